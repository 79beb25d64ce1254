"""Replays: events as data and the positions they fold to. Pure: a file or the log alike."""

"""Replays: the events of a match and the positions they fold to, read from a file or from the log. Pure."""

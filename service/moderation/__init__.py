"""Moderation: reports from players, what moderators may do about them, and the log of what they did."""

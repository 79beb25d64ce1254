"""Notifications: the players' preferences and the outbox of messages to send."""

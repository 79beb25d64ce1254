"""Streaming: subscriptions to the updates of a match and to a player's turns."""

"""Streaming: subscriptions to the news of a match and to a player's turns."""

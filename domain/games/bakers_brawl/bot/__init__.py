"""The game's bots."""

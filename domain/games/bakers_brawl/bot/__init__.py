"""How a bot plays the game."""

"""The public door to Crumbtrail for games, bots and learning programs."""

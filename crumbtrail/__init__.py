"""The public Python API of Crumbtrail for games, bots and learning programs."""

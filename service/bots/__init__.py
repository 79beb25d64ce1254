"""House bots: their levels, their turns and what they decided."""

"""The arena: series of matches between bots."""

"""The game as players see it: narration, drawings, table and rules page."""

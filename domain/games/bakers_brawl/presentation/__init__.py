"""How the game is shown: narration, drawings, its table and its rules page."""

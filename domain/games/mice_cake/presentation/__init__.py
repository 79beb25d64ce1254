"""The presentation: narration, drawings, the match page and the rules page."""

"""Presentation: narration, drawings, the match page and the rules page."""

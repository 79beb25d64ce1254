"""The presentation: narration, drawing and text."""

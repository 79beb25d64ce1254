"""The functions that the jobs call."""

"""Read models: lists, work and ratings, derived from the log."""

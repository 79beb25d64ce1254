"""Jobs: the queue and the functions that run from it."""

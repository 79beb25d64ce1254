"""Read models: lists, work queues and ratings derived from the log."""

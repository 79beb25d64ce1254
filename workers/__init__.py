"""Background work: the dispatcher, the reconciler, jobs, and bots."""

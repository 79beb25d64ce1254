"""From events to work: dispatcher, reconciler, jobs, and the bots that they run."""

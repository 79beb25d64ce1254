"""Long-running processes: dispatcher, worker and reconciler."""

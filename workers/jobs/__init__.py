"""The job queue: ids, allowed jobs and scheduling."""

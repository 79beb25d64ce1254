"""What the jobs do: the functions that a worker process calls, put together from the other packages."""

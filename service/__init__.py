"""The service: the log on Redis, the application layer, the HTTP API, the pages and the command line."""

"""The edge: the log on Redis, the application service, the HTTP interface, the pages and the command line."""

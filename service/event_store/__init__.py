"""The log: one stream of events per match on a Redis-protocol server, appended by one script."""

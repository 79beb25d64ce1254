"""The log: one stream of events per match on a Redis-compatible server, appended by a single script."""

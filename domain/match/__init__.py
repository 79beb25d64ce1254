"""The match around a game: who sits where, clocks, takebacks, disputes, the end."""

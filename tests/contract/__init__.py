"""The contract of a game, held to by every registered game at every number of seats."""

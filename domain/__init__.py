"""The rules of games and matches: pure functions over immutable values, without I/O, a clock or global randomness."""

"""The house bots. A bot sees only what its seat sees, and plays through the same service as a person."""

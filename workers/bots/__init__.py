"""The bots. A bot sees what its seat sees and plays through the same service as a person."""

"""The kernel: the types and helpers that every game and every match is built on."""

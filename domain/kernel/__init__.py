"""The kernel: what every game and every match is made of."""

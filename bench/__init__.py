"""What things cost, each beside its floor in the same run: `make bench`."""

"""Benchmarks. Each figure is measured next to its floor in the same run: `make bench`."""

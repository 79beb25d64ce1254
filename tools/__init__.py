"""Generators of files that the project ships."""

"""Matches: creating them, changing them and reading them."""

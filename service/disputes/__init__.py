"""Disputes: arbiters' statements, the server's signing keys and the keys it trusts."""

"""Accounts: players, sessions, sign-in links and arbiters."""

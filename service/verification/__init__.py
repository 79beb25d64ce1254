"""Verification: audits of matches, and checks of uploaded replay files."""

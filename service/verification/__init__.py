"""Verification: audits of matches, uploaded replay files and imported matches."""

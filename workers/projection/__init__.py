"""Projection: builds the read models from the feeds."""

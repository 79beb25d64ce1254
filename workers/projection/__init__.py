"""Projection: from the feeds to the read models."""

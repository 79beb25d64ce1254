"""Notifications: what players asked to be told, and what waits to be sent."""

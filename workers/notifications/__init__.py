"""Notifications: scheduling and delivering mail and webhook calls."""

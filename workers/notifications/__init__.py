"""Notifications: scheduling and delivery of emails and webhook calls."""

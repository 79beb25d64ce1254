"""The process itself: settings, logging, clock, limits and health."""

"""The process: settings, logging, clock, limits and health."""

"""The former location of `service.runtime.gunicorn_config`. A running gunicorn of 0.1 loads it again on reload."""

from service.runtime.gunicorn_config import *  # noqa: F403 -- gunicorn reads the settings and hooks by name

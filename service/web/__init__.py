"""The pages: rendered on the server, whole without JavaScript, improved by small modules of our own."""

from service.web.app_setup import register

__all__ = ["register"]

"""The pages: rendered on the server, whole without JavaScript, improved by small modules of our own."""

from service.web.register import register

__all__ = ["register"]

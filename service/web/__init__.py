"""Server-rendered pages. They work without JavaScript; small modules enhance them."""

from service.web.app_setup import register

__all__ = ["register"]

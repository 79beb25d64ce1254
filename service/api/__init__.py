"""The HTTP API under `/api/v1`, and `/healthz`, `/readyz` and `/metrics` at the root.

Each resource has a module with its routes and schemas. marshmallow validates requests; msgspec encodes answers, whose
types also describe them in the OpenAPI document.
"""

from service.api.app_setup import register

__all__ = ["register"]

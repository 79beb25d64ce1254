"""The HTTP interface under `/api/v1`, and beside it `/healthz`, `/readyz` and `/metrics`.

A blueprint and its schemas for each resource. marshmallow checks what comes in and documents what goes out; what goes
out is encoded once, by msgspec.
"""

from service.api.app_setup import register

__all__ = ["register"]

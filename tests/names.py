"""Names for players in services that live longer than one test."""

import secrets


def fresh_name(name: str) -> str:
    """Return a name that nobody has yet, because names are unique: `Bo 4f1d09c2`."""
    return f"{name} {secrets.token_hex(4)}"

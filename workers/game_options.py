"""Options of a game on the command line."""

from typing import Any

import click
import msgspec


def read_option(text: str) -> tuple[str, Any]:
    """Return the name and value of NAME=VALUE. Numbers and booleans are JSON. Raises BadParameter."""
    name, given, value = text.partition("=")
    if not given:
        raise click.BadParameter("write NAME=VALUE", param_hint="--option")
    try:
        return name, msgspec.json.decode(value)
    except msgspec.DecodeError:
        return name, value


def option_text(name: str, value: Any) -> str:
    """Return an option in command line form."""
    return f"{name}={msgspec.json.encode(value).decode()}"

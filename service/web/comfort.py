"""Comfort settings: theme, pace of animations, sound and board size. They belong to the device, so a cookie has them.

The server writes them on the `html` element, where style sheets and scripts find them before the first paint.
"""

from typing import Literal, get_args

import msgspec
from flask import request
from markupsafe import Markup

COOKIE = "comfort"
COOKIE_SECONDS = 365 * 24 * 3600

Theme = Literal["system", "light", "dark"]
Pace = Literal["normal", "slow", "fast", "off"]
Sound = Literal["off", "on"]
BoardSize = Literal["normal", "large"]


class Comfort(msgspec.Struct, frozen=True):
    """The settings of one device. The first value of each is the default."""

    theme: Theme = "system"
    pace: Pace = "normal"
    sound: Sound = "off"
    board: BoardSize = "normal"


CHOICES: dict[str, tuple[str, ...]] = {
    "theme": get_args(Theme),
    "pace": get_args(Pace),
    "sound": get_args(Sound),
    "board": get_args(BoardSize),
}
"""The values of each setting, the default first."""
TITLES = {"theme": "Theme", "pace": "Animations", "sound": "Sound", "board": "Board size"}
LABELS = {
    "system": "As on this device",
    "light": "Light",
    "dark": "Dark",
    "normal": "Normal",
    "slow": "Slow",
    "fast": "Fast",
    "off": "Off",
    "on": "On",
    "large": "Large",
}
"""What the page calls each value."""


def read_comfort(text: str) -> Comfort:
    """Return the settings in a cookie such as `theme=dark&pace=fast`. Anything unknown counts as the default."""
    pairs = (pair.partition("=") for pair in text.split("&"))
    known = {name: value for name, _, value in pairs if value in CHOICES.get(name, ())}
    return msgspec.convert(known, Comfort)


def write_comfort(settings: Comfort) -> str:
    """Return the settings as the text of a cookie."""
    return "&".join(f"{name}={getattr(settings, name)}" for name in CHOICES)


def current_comfort() -> Comfort:
    """Return the settings of the device that sent the request."""
    return read_comfort(request.cookies.get(COOKIE, ""))


def comfort_attributes() -> Markup:
    """Return the settings as attributes of the `html` element. Defaults are left out."""
    settings = current_comfort()
    chosen = [(name, getattr(settings, name)) for name, values in CHOICES.items()]
    return Markup("").join(
        Markup(' data-{}="{}"').format(name, value) for name, value in chosen if value != CHOICES[name][0]
    )


def comfort_choices() -> list[tuple[tuple[str, str], list[tuple[str, str]], str]]:
    """Return each setting for a form: its name and title, its values with their labels, and the current value."""
    settings = current_comfort()
    return [
        ((name, TITLES[name]), [(value, LABELS[value]) for value in values], getattr(settings, name))
        for name, values in CHOICES.items()
    ]

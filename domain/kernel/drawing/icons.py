"""Icons: 24 grid, lines of 2 units with round ends, in the colour of the text around them."""

from domain.kernel.svg import Number, element

Line = tuple[str, Number]
"""A path and the width of its line. A width of 0 means a filled area."""

ICONS: dict[str, tuple[Line, ...]] = {
    "back": (("M15 5l-7 7 7 7", 2.2),),
    "next": (("M9 5l7 7-7 7", 2.2),),
    "up": (("M6 15l6-6 6 6", 2.2),),
    "down": (("M6 9l6 6 6-6", 2.2),),
    "first": (("M17 6l-7 6 7 6M6.5 6v12", 2.2),),
    "last": (("M7 6l7 6-7 6M17.5 6v12", 2.2),),
    "arrow": (("M4 12h14M13 6l6 6-6 6", 2.2),),
    "log": (("M8.5 6H20M8.5 12H20M8.5 18H20", 2), ("M4 6h.01M4 12h.01M4 18h.01", 3)),
    "menu": (("M12 5h.01M12 12h.01M12 19h.01", 3.6),),
    "undo": (("M9 6L4 11l5 5", 2), ("M4.5 11H15a5 5 0 0 1 0 10h-3", 2)),
    "redo": (("M15 6l5 5-5 5", 2), ("M19.5 11H9a5 5 0 0 0 0 10h3", 2)),
    "hint": (("M9 18h6M10 21h4M12 3a6.5 6.5 0 0 0-3.5 12v3h7v-3A6.5 6.5 0 0 0 12 3z", 2),),
    "close": (("M6 6l12 12M18 6L6 18", 2.2),),
    "check": (("M5 13l4.5 4.5L19 7", 2.6),),
    "plus": (("M12 5v14M5 12h14", 2.2),),
    "minus": (("M5 12h14", 2.2),),
    "play": (("M8 5l11 7-11 7z", 2), ("M8 5l11 7-11 7z", 0)),
    "pause": (("M8.5 5.5v13M15.5 5.5v13", 3.6),),
    "skip": (("M5 6l7 6-7 6zM13 6l7 6-7 6z", 2), ("M5 6l7 6-7 6zM13 6l7 6-7 6z", 0)),
    "rematch": (("M19 8a8 8 0 1 0 1 6", 2), ("M20 3v5.5h-5.5", 2)),
    "scores": (("M6 3h9l4 4v14H6z", 2), ("M9 11h7M9 15h7", 2)),
    "share": (("M12 15V4M8 7.5L12 3.5 16 7.5M5 13v7h14v-7", 2),),
    "copy": (("M9 8h11v12H9z", 2), ("M5 16H4V4h11v1", 2)),
    "chat": (("M4 5h16v11H11l-4.5 4V16H4z", 2),),
    "flag": (("M6 21V4q6-3 12 1-1 4 0 8-6-4-12-1", 2),),
    "settings": (
        ("M4 7h8M18 7h2M4 17h2M12 17h8", 2),
        (
            "M15 4.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 1 1 0-5zM9 14.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 1 1 0-5z",
            2,
        ),
    ),
    "trash": (("M6 7h12M10 7V4h4v3M8 7l1 13h6l1-13", 2),),
    "swap": (("M4 8h14l-4-4M20 16H6l4 4", 2),),
    "sleep": (("M5 6h6l-6 7h6M14 12h5l-5 6h5", 2),),
    "mouse": (
        ("M5 19c-1-7 2-11 7-11s8 4 7 11z", 0),
        ("M4.5 7a3 3 0 1 0 6 0 3 3 0 1 0-6 0M13.5 7a3 3 0 1 0 6 0 3 3 0 1 0-6 0", 0),
    ),
    "bolt": (("M13 2L5 13h6l-1 9 9-12h-6z", 0),),
    "clock": (("M12 3.5a8.5 8.5 0 1 0 .01 0zM12 7.5V12l3.5 2.5", 2),),
    "hourglass": (("M7 3h10M7 21h10M8 3q0 6 4 9-4 3-4 9M16 3q0 6-4 9 4 3 4 9", 2),),
    "lock": (("M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3", 2),),
    "eye": (("M2.5 12q9.5-13 19 0-9.5 13-19 0z", 2), ("M12 9.5a2.5 2.5 0 1 0 .01 0z", 2)),
    "search": (("M10.5 4a6.5 6.5 0 1 0 .01 0zM15.5 15.5L20 20", 2.2),),
    "sound": (("M4 9.5v5h4l5 4.5V5L8 9.5zM16 9q2.5 3 0 6M18.5 6.5q5 5.5 0 11", 2),),
    "mute": (("M4 9.5v5h4l5 4.5V5L8 9.5zM16.5 9.5l5 5M21.5 9.5l-5 5", 2),),
    "sun": (
        ("M12 8a4 4 0 1 0 .01 0z", 2),
        ("M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4", 2),
        ("M18.7 5.3l-1.4 1.4M6.7 17.3l-1.4 1.4", 2),
    ),
    "moon": (("M14 3.5a8.5 8.5 0 1 0 6.5 11.5 7.5 7.5 0 0 1-6.5-11.5z", 2),),
    "speed": (("M4 17a8.5 8.5 0 1 1 16 0M12 15l4-6", 2.2),),
    "zoom-in": (("M10.5 4a6.5 6.5 0 1 0 .01 0zM15.5 15.5L20 20M10.5 8v5M8 10.5h5", 2),),
    "zoom-out": (("M10.5 4a6.5 6.5 0 1 0 .01 0zM15.5 15.5L20 20M8 10.5h5", 2),),
    "proof": (
        ("M12 3l7.5 2.5q1 10-7.5 15.5Q3.5 15.5 4.5 5.5z", 2),
        ("M8.5 11.5l2.5 2.5 4.5-5", 2),
    ),
    "rules": (("M12 6.5Q8 4 3.5 5v13.5q4.5-1 8.5 1.5 4-2.5 8.5-1.5V5Q16 4 12 6.5zM12 6.5V20", 2),),
    "player": (("M12 3.5a4.25 4.25 0 1 0 .01 0zM4 20.5q0-8 8-8t8 8z", 2),),
    "eye-off": (("M2.5 12q9.5-13 19 0-9.5 13-19 0zM4 20L20 4", 2),),
    "envelope": (("M3.5 6h17v12h-17zM4 6.5l8 6.5 8-6.5", 2),),
    "warning": (("M12 3.5l9.5 17h-19z", 2), ("M12 10v4.5", 2.2), ("M12 17.5h.01", 2.6)),
    "info": (("M12 3.5a8.5 8.5 0 1 0 .01 0zM12 11.5v5", 2), ("M12 8h.01", 2.6)),
    "star": (("M12 3l2.7 5.8 6.3.8-4.6 4.3 1.2 6.3-5.6-3.1-5.6 3.1 1.2-6.3L3 9.6l6.3-.8z", 0),),
    "trophy": (("M7 4h10v6a5 5 0 0 1-10 0zM7 5.5H3.5q0 5 4 5M17 5.5h3.5q0 5-4 5M12 15v4M8 20h8", 2),),
    "hat": (
        (
            "M6.5 20v-7.5q-4-.5-3-4.5 1-3 4.5-2.5 1-2.5 4-2.5t4 2.5q3.5-.5 4.5 2.5 1 4-3 4.5V20zM6.5 16.5h11",
            2,
        ),
    ),
    "pie": (("M4 12h16l-2.5 7h-11zM4 12q0-6 8-6t8 6M9.5 9.5l1 1.5M14.5 9.5l-1 1.5", 2),),
    "cards": (("M3.5 7.5l6-1.5 3 12.5-6 1.5zM12 5h8.5v13h-6", 2),),
    "people": (
        ("M9 5a3.25 3.25 0 1 0 .01 0zM3 19.5q0-7 6-7t6 7z", 2),
        ("M15.5 5.2a3.2 3.2 0 0 1 0 6.2M17.5 13q3.5 1 3.5 6.5", 2),
    ),
    "cube": (("M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9", 2),),
    "print": (("M7 9V4h10v5M7 16H4V9h16v7h-3M7 14h10v6H7z", 2),),
    "link": (("M10 14l4-4M9 10l-3 3a3.5 3.5 0 0 0 5 5l3-3M15 14l3-3a3.5 3.5 0 0 0-5-5l-3 3", 2),),
    "home": (("M4 11l8-7 8 7M6 9.5V20h12V9.5M10 20v-6h4v6", 2),),
}
"""The lines of each icon, by name."""


def icon_symbols() -> str:
    """Return all icons as symbols named `icon-<name>`."""
    return "".join(
        element("symbol", *(_stroke(*one) for one in lines), id=f"icon-{name}", viewBox="0 0 24 24")
        for name, lines in ICONS.items()
    )


def _stroke(path: str, width: Number) -> str:
    if not width:
        return element("path", d=path, fill="currentColor")
    drawn = {"fill": "none", "stroke": "currentColor", "stroke_width": width}
    return element("path", d=path, **drawn, stroke_linecap="round", stroke_linejoin="round")

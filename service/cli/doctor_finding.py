"""What `crumbtrail doctor` finds."""

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """The result of one check; `advice` says how to fix a fault."""

    what: str
    well: bool
    found: str
    advice: str = ""

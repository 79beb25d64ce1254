"""Exceptions for requests that the rules or the state of a match do not allow."""


class Refused(Exception):
    """Raised for a request that the rules do not allow. Nothing has changed.

    `code` is stable and meant for programs. `rule` names the rule of the game's specification. `message` is a sentence
    for the player and must not reveal anything hidden from them.
    """

    def __init__(self, code: str, rule: str, message: str) -> None:
        super().__init__(f"{message} [{code}, rule {rule}]")
        self.code = code
        self.rule = rule
        self.message = message


class IllegalMove(Refused):
    """Raised for a move that the rules do not allow this seat in this position."""


class BadOptions(Refused):
    """Raised if the game cannot start with these options, this number of seats or this position document."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__("bad_options", rule, message)


class MatchRefused(Refused):
    """Raised for a command that the current state of the match does not allow. Its rule is always `match`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, "match", message)

"""What a setting that cannot be raises; in a room of its own, so that a command that needs no settings loads none."""


class InvalidSetting(ValueError):
    """Settings that cannot be, in words for the operator, a line for each."""

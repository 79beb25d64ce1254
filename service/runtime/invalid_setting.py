"""The error for invalid settings, in its own module so that commands without settings need not load them."""


class InvalidSetting(ValueError):
    """Some settings are invalid. The message for the operator has one line for each."""

"""Small helpers for sentences."""


def capital(sentence: str) -> str:
    """Return the sentence with its first letter in upper case and the rest unchanged."""
    return sentence[:1].upper() + sentence[1:]

"""Helpers that read and check the fields of posted forms."""

import re
import secrets

from flask import request
from werkzeug.exceptions import BadRequest

from domain.kernel.game import Seat
from domain.kernel.table import BadForm
from domain.match.commands import NO_CLIENT_SEED
from service.matches.results import IdempotencyKey

FORM_KEY_PATTERN = re.compile(r"[0-9a-f]{32}", re.ASCII)
NUMBER_PATTERN = re.compile(r"[0-9]{1,9}", re.ASCII)
CLIENT_SEED_PATTERN = re.compile(r"[\x21-\x7e]{1,64}", re.ASCII)
SEED_PATTERN = re.compile(r"(?:[0-9a-fA-F]{2}){1,64}", re.ASCII)


def new_form_key() -> str:
    """Return a new idempotency key, so that a form sent twice takes effect once."""
    return secrets.token_hex(16)


def posted_form_key() -> str:
    """Return the idempotency key of the posted form. Raises BadRequest."""
    key = request.form.get("key", "")
    if not FORM_KEY_PATTERN.fullmatch(key):
        raise BadRequest("This form is incomplete. Reload the page and try again.")
    return key


def posted_idempotency_key(player: str) -> IdempotencyKey:
    """Return the posted form's idempotency key, scoped to the player. Raises BadRequest."""
    return IdempotencyKey(player, posted_form_key())


def parse_number(text: str | None) -> int | None:
    """Return a whole number of up to 9 digits, or None for any other text."""
    return int(text) if text and NUMBER_PATTERN.fullmatch(text) else None


def posted_seat() -> Seat:
    """Return the seat that the form acts for. Raises BadRequest."""
    seat = parse_number(request.form.get("seat"))
    if seat is None:
        raise BadRequest("This form doesn't name a seat. Reload the page and try again.")
    return seat


def posted_ply() -> int:
    """Return the ply given in the form. Raises BadForm."""
    ply = parse_number(request.form.get("ply"))
    if ply is None:
        raise BadForm("Enter the number of a move, such as 12.")
    return ply


def posted_client_seed() -> str:
    """Return the player's client seed, `NO_CLIENT_SEED` if the field is empty. Raises BadForm."""
    given = request.form.get("client_seed", "").strip()
    if given and not CLIENT_SEED_PATTERN.fullmatch(given):
        raise BadForm("Your random seed can have up to 64 letters, digits and symbols. Remove any spaces or accents.")
    return given or NO_CLIENT_SEED


def posted_seed() -> bytes | None:
    """Return the seed of a practice match, or None if the field is empty. Raises BadForm."""
    given = request.form.get("seed", "").strip()
    if given and not SEED_PATTERN.fullmatch(given):
        raise BadForm("Enter the seed in hexadecimal: 2 to 128 digits (0 to 9, a to f), and an even number of them.")
    return bytes.fromhex(given) if given else None

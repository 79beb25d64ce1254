"""Reading posted forms: what every one of them has, and fields of common kinds."""

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
    """The idempotency key of a form: sent twice, it does its work once."""
    return secrets.token_hex(16)


def posted_form_key() -> str:
    """The key of the form at hand. Raises BadRequest."""
    key = request.form.get("key", "")
    if not FORM_KEY_PATTERN.fullmatch(key):
        raise BadRequest("This form lacks its key. Open the page again and send it from there.")
    return key


def posted_idempotency_key(player: str) -> IdempotencyKey:
    """Under what the form at hand is remembered. Raises BadRequest."""
    return IdempotencyKey(player, posted_form_key())


def parse_number(text: str | None) -> int | None:
    """A whole number, None for anything else."""
    return int(text) if text and NUMBER_PATTERN.fullmatch(text) else None


def posted_seat() -> Seat:
    """The seat that the form acts for. Raises BadRequest."""
    seat = parse_number(request.form.get("seat"))
    if seat is None:
        raise BadRequest("This form does not say for which seat it is. Open the page again and send it from there.")
    return seat


def posted_ply() -> int:
    """The ply that the form names. Raises BadForm."""
    ply = parse_number(request.form.get("ply"))
    if ply is None:
        raise BadForm("Enter the number of a ply, such as 12.")
    return ply


def posted_client_seed() -> str:
    """The player's own share of the luck, `none` if the field is empty. Raises BadForm."""
    given = request.form.get("client_seed", "").strip()
    if given and not CLIENT_SEED_PATTERN.fullmatch(given):
        raise BadForm("Your share of the luck has 1 to 64 letters, digits or signs, without spaces and accents.")
    return given or NO_CLIENT_SEED


def posted_seed() -> bytes | None:
    """The seed of a practice match, None if the field is empty. Raises BadForm."""
    given = request.form.get("seed", "").strip()
    if given and not SEED_PATTERN.fullmatch(given):
        raise BadForm("A seed is written in hexadecimal: 2 to 128 digits 0 to 9 and a to f, an even number of them.")
    return bytes.fromhex(given) if given else None

"""Helpers that read and check the fields of posted forms."""

import re
import secrets

from flask import request
from msgspec import UNSET, UnsetType
from werkzeug.exceptions import BadRequest

from domain.kernel.events import LuckLevel
from domain.kernel.game import AnyGame, Seat
from domain.kernel.table import BadForm
from domain.match.commands import TakeSeat
from service.matches.results import IdempotencyKey

FORM_KEY_PATTERN = re.compile(r"[0-9a-f]{32}", re.ASCII)
NUMBER_PATTERN = re.compile(r"[0-9]{1,9}", re.ASCII)
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


def posted_seating(seat: Seat, player: str) -> TakeSeat:
    """Return the command to take a seat with the share or seal in the form, if the page's script has put one there."""
    given = {name: value for name in ("commitment", "share", "seal") if (value := request.form.get(name))}
    return TakeSeat(seat, player, **given)


def posted_luck_level(game: AnyGame, *, rated: bool = False) -> LuckLevel | UnsetType:
    """Return the level of luck for a new match. Raises BadForm.

    It is unset without the page's script, which makes shares. People are then seated immediately, without a share.
    """
    chosen = request.form.get("shares")
    if not chosen or game.luck_protocol == 1:
        return UNSET
    match chosen:
        case "default":
            return "sealed" if rated else "open"
        case "open":
            return "open"
        case "sealed":
            return "sealed"
        case _:
            raise BadForm("Choose from the list when players show their shares.")


def posted_seed() -> bytes | None:
    """Return the seed of a practice match, or None if the field is empty. Raises BadForm."""
    given = request.form.get("seed", "").strip()
    if given and not SEED_PATTERN.fullmatch(given):
        raise BadForm("Enter the seed in hexadecimal: 2 to 128 digits (0 to 9, a to f), and an even number of them.")
    return bytes.fromhex(given) if given else None

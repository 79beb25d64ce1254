"""The options of a match and the moves of a seat, as they are written in JSON."""

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import force_setattr

from domain.games.pie_contest.rules.parts import MAX_SEATS, Card, Variant
from domain.kernel.values import Value


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """Section 11. `pies_for_all` and `closing_round` null: by the number of seats and the variant."""

    variant: Variant = "standard"
    pies_for_all: Annotated[int, Meta(ge=1, le=3)] | None = None
    first_seat: Literal["random"] | Annotated[int, Meta(ge=0, lt=MAX_SEATS)] = "random"
    dive_own: bool = True
    pie_floor: Literal["none", "zero"] = "none"
    tie_break: Literal["shared", "next_best"] = "shared"
    closing_round: Annotated[int, Meta(ge=10, le=500)] | None = None

    def resolved(self, seats: int) -> "Options":
        """The same with numbers for what was left open (R50, section 10)."""
        return msgspec.structs.replace(
            self,
            pies_for_all=self.pies_for_all or (1 if seats >= 4 else 2),
            closing_round=self.closing_round or (200 if self.variant == "grand" else 80),
        )


OptionKey = Annotated[str, Meta(max_length=40)]
"""An answer to a question: `card:12`, `pair:3/40`, `pie:1.2`, `yes` ..."""
NUMBER = re.compile(r"[0-9]+")


def option_sort_key(key: str) -> tuple[tuple[int, ...], str]:
    """Q4 Option keys sort by the numbers in them, left to right."""
    return tuple(int(digits) for digits in NUMBER.findall(key)), key


class PlayCard(Value, frozen=True, tag_field="type", tag="play_card", forbid_unknown_fields=True):
    """Play a card of the hand (T3, T4)."""

    card: Card


class Dive(Value, frozen=True, tag_field="type", tag="dive", forbid_unknown_fields=True):
    """Trash two cards of the hand, then take one card of the Trash (T5). The two may be named in any order."""

    trash: tuple[Card, ...]
    take: Card

    def __post_init__(self) -> None:
        if len(self.trash) != 2 or self.trash[0] > self.trash[1]:  # there are thousands to list, all in order
            force_setattr(self, "trash", tuple(sorted(self.trash)))


class Pass(Value, frozen=True, tag_field="type", tag="pass", forbid_unknown_fields=True):
    """Play nothing more this turn (T6)."""


class TrimHand(Value, frozen=True, tag_field="type", tag="trim_hand", forbid_unknown_fields=True):
    """Trash down to seven cards (T7), named in any order."""

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "cards", tuple(sorted(self.cards)))


class Choose(Value, frozen=True, tag_field="type", tag="choose", forbid_unknown_fields=True):
    """Answer the question that is open to this seat (Q1, H2). Several picks may be named in any order."""

    picks: tuple[OptionKey, ...]

    def __post_init__(self) -> None:
        if len(self.picks) > 1:
            force_setattr(self, "picks", tuple(sorted(self.picks, key=option_sort_key)))


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Leave the contest (V3)."""


Move = PlayCard | Dive | Pass | TrimHand | Choose | Resign

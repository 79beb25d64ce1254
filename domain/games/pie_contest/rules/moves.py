"""The options of a match and the moves of a seat, in their JSON form."""

import re
from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import force_setattr

from domain.games.pie_contest.rules.parts import MAX_SEATS, Card, Variant
from domain.kernel.values import Value


class Options(Value, frozen=True, forbid_unknown_fields=True):
    """The options of a match (section 11). Null means a default that depends on the number of seats or the variant."""

    variant: Variant = "standard"
    pies_for_all: Annotated[int, Meta(ge=1, le=3)] | None = None
    first_seat: Literal["random"] | Annotated[int, Meta(ge=0, lt=MAX_SEATS)] = "random"
    dive_own: bool = True
    pie_floor: Literal["none", "zero"] = "none"
    tie_break: Literal["shared", "next_best"] = "shared"
    closing_round: Annotated[int, Meta(ge=10, le=500)] | None = None

    def resolved(self, seats: int) -> "Options":
        """Return the options with the defaults for this number of seats filled in (R50, section 10)."""
        return msgspec.structs.replace(
            self,
            pies_for_all=self.pies_for_all or (1 if seats >= 4 else 2),
            closing_round=self.closing_round or (200 if self.variant == "grand" else 80),
        )


OptionKey = Annotated[str, Meta(max_length=40)]
"""An answer to a question: `card:12`, `pair:3/40`, `pie:1.2`, `yes` ..."""
NUMBER = re.compile(r"[0-9]+")


def option_sort_key(key: str) -> tuple[tuple[int, ...], str]:
    """Return the sort key of an option key: the numbers in it, left to right (Q4)."""
    return tuple(int(digits) for digits in NUMBER.findall(key)), key


class PlayCard(Value, frozen=True, tag_field="type", tag="play_card", forbid_unknown_fields=True):
    """Play a card from the hand (T3, T4)."""

    card: Card


class Dive(Value, frozen=True, tag_field="type", tag="dive", forbid_unknown_fields=True):
    """Trash two cards from the hand, in any order, then take a card from the Trash (T5)."""

    trash: tuple[Card, ...]
    take: Card

    def __post_init__(self) -> None:
        if len(self.trash) != 2 or self.trash[0] > self.trash[1]:  # skips sorting for listed moves
            force_setattr(self, "trash", tuple(sorted(self.trash)))


class Pass(Value, frozen=True, tag_field="type", tag="pass", forbid_unknown_fields=True):
    """Play no more cards this turn (T6)."""


class TrimHand(Value, frozen=True, tag_field="type", tag="trim_hand", forbid_unknown_fields=True):
    """Trash these cards, given in any order, to get down to seven (T7)."""

    cards: tuple[Card, ...]

    def __post_init__(self) -> None:
        force_setattr(self, "cards", tuple(sorted(self.cards)))


class Choose(Value, frozen=True, tag_field="type", tag="choose", forbid_unknown_fields=True):
    """Answer this seat's open choice (Q1, H2). Several picks can be given in any order."""

    picks: tuple[OptionKey, ...]

    def __post_init__(self) -> None:
        if len(self.picks) > 1:
            force_setattr(self, "picks", tuple(sorted(self.picks, key=option_sort_key)))


class Resign(Value, frozen=True, tag_field="type", tag="resign", forbid_unknown_fields=True):
    """Leave the contest (V3)."""


Move = PlayCard | Dive | Pass | TrimHand | Choose | Resign

"""Who sits where, and in words: whose turn it is, and how a match ended."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from domain.kernel.game import Seat
from domain.kernel.registry import find_game
from domain.match.match import AnyMatch, SeatState
from service.read_models.projections import Row, RowSeat
from service.web.blueprint import services, web
from service.web.visitor import known_player

ERASED = "an erased player"
"""Somebody whose record was erased."""


class Sitting(msgspec.Struct, frozen=True):
    """One seat of a match: its name in the game, who sits there, whether that is the reader, whether it owes a move."""

    seat: Seat
    name: str
    kind: str
    who: str
    you: bool
    owes: bool
    private: bool
    deadline: datetime | None = None
    standin: str | None = None
    player: str | None = None
    away: datetime | None = None

    @property
    def title(self) -> str:
        """Seat and sitter in two or three words, to stand in a sentence."""
        return "you" if self.you else f"{self.who} ({self.name})"


def sittings(match: AnyMatch | Row, reader: str | None) -> list[Sitting]:
    """The seats of a match as this player reads them."""
    seats: Sequence[SeatState | RowSeat] = match.seats
    version = None if isinstance(match, Row) else match.rules_version
    drawn_later = match.by_chance and match.status == "open"
    game = find_game(match.game, version)
    seat_names = [f"seat {n + 1}" for n in range(len(seats))] if drawn_later else game.seat_names(len(seats))
    names = services().players.names({taken.player for taken in seats if taken.player})
    if reader and (me := known_player()):
        names[reader] = me.name  # the names of others may be some seconds old, one's own may not
    return [
        Sitting(
            seat=seat,
            name=seat_names[seat],
            kind=taken.kind,
            who=sitter(taken, names),
            you=taken.player is not None and taken.player == reader,
            owes=seat in match.to_move,
            private=taken.private,
            deadline=deadline_of(match, seat),
            standin=taken.standin,
            player=taken.player,
            away=None if isinstance(match, Row) or not match.clocks else match.clocks[seat].away,
        )
        for seat, taken in enumerate(seats)
    ]


def deadline_of(match: AnyMatch | Row, seat: Seat) -> datetime | None:
    """When the time of a seat is up."""
    if isinstance(match, Row):
        return match.seats[seat].deadline
    return match.clocks[seat].deadline if match.clocks else None


def sitter(taken: SeatState | RowSeat, names: Mapping[str, str]) -> str:
    """Who sits there."""
    if taken.kind == "open":
        return "an open seat"
    if taken.kind == "bot":
        return bot_name(taken.level)
    return names.get(taken.player or "", ERASED)


def bot_name(level: str | None) -> str:
    """A bot's name: its level."""
    return f"{(level or 'bot').replace('_', ' ').capitalize()} bot"


def listed(words: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def opponents(table: Sequence[Sitting]) -> str:
    """Everybody at the table as the reader would name them: `against Mia`, `Mia against Leo`."""
    others = [sitting.who for sitting in table if not sitting.you]
    if len(others) == len(table):
        return " against ".join(others)
    return f"against {listed(others)}" if others else "against yourself"


def whose_turn(match: AnyMatch | Row, table: Sequence[Sitting], call: str = "make your move") -> str:
    """What the match waits for, in a sentence; `call` says what a move is in this game."""
    if match.status == "over":
        return how_it_ended(match, table)
    if match.status == "open":
        missing = [sitting.name for sitting in table if sitting.kind == "open"]
        if match.by_chance:
            return f"Waiting for {'one more player' if len(missing) == 1 else f'{len(missing)} more players'}."
        return f"Waiting for somebody to sit down as {listed(missing)}."
    if any(sitting.you and sitting.owes and not sitting.standin for sitting in table):
        return f"Your turn: {call}."
    late = [sitting.title for sitting in table if sitting.owes and sitting.standin]
    if late:
        return f"Time was up for {listed(late)}: a bot makes this move."
    waiting = [sitting.title for sitting in table if sitting.owes]
    return f"Waiting for {listed(waiting)}." if waiting else "The round is being played."


def how_it_ended(match: AnyMatch | Row, table: Sequence[Sitting]) -> str:
    """Who won, in a sentence."""
    if match.outcome is None:
        return "This match was annulled." if match.annulled else "This match was cancelled."
    winners = [table[seat] for seat in match.outcome.winners]
    if not winners:
        return "It is a draw."
    if any(sitting.you for sitting in winners) and not all(sitting.you for sitting in table):
        return "You won!" if len(winners) == 1 else f"{capital(listed([w.title for w in winners]))} won!"
    return f"{capital(listed([f'{sitting.who} ({sitting.name})' for sitting in winners]))} won."


@web.app_template_filter("capital")
def capital(words: str) -> str:
    """The words with a capital at the front, the rest as it is."""
    return words[:1].upper() + words[1:]

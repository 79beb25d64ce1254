"""Seats of a match as text: their players, whose turn it is and how the match ended."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec

from domain.kernel.game import AnyGame, Seat
from domain.kernel.registry import games
from domain.match.luck import unopened_seats
from domain.match.state import AnyMatch, SeatState
from service.app_context import services
from service.read_models.summary import MatchSummary, SeatSummary
from service.web.blueprint import web
from service.web.visitor import current_player

ERASED_NAME = "an erased player"
"""Shown instead of the name of a player whose account was erased."""


class SeatInfo(msgspec.Struct, frozen=True):
    """One seat of a match as the reader sees it. `name` is its name in the game, `occupant` the player's or bot's."""

    seat: Seat
    name: str
    kind: str
    occupant: str
    is_you: bool
    is_to_move: bool
    private: bool
    deadline: datetime | None = None
    standin: str | None = None
    player: str | None = None
    vacation_until: datetime | None = None
    kept_for: str | None = None
    """The name of the player for whom an open seat is kept."""
    is_kept_for_you: bool = False
    has_namesake: bool = False
    """Whether another seat of the match has a player or bot of the same name."""

    @property
    def title(self) -> str:
        """Return the player's name, with the seat if another player has the same name: `Mia`, `Greedy bot (red)`."""
        return f"{self.occupant} ({self.name})" if self.has_namesake else self.occupant

    @property
    def label(self) -> str:
        """Return the player for use in a sentence: `you`, or their title."""
        return "you" if self.is_you else self.title


def seat_infos(match: AnyMatch | MatchSummary, reader: str | None) -> list[SeatInfo]:
    """Return the seats of a match as this player sees them."""
    seats: Sequence[SeatState | SeatSummary] = match.seats
    drawn_later = match.by_chance and match.status in ("open", "opening")
    game = games().get(match.game) if isinstance(match, MatchSummary) else match.rules
    numbered = [f"seat {n + 1}" for n in range(len(seats))]
    seat_names = numbered if drawn_later or game is None else names_in_game(game, len(seats)) or numbered
    kept = [taken.reserved_for for taken in seats]
    named = (*(taken.player for taken in seats), *kept)
    names = services().accounts.players.names({player for player in named if player})
    if reader and (me := current_player()):
        names[reader] = me.name  # names may be cached for some seconds; the reader's own must be current
    occupants = [occupant_name(taken, names) for taken in seats]
    return [
        SeatInfo(
            seat=seat,
            name=seat_names[seat],
            kind=taken.kind,
            occupant=occupants[seat],
            has_namesake=occupants.count(occupants[seat]) > 1,
            is_you=taken.player is not None and taken.player == reader,
            is_to_move=seat in match.to_move,
            private=taken.private,
            deadline=deadline_of(match, seat),
            standin=taken.standin,
            player=taken.player,
            vacation_until=None
            if isinstance(match, MatchSummary) or not match.clocks
            else match.clocks[seat].vacation_until,
            kept_for=names.get(kept[seat] or "", ERASED_NAME) if kept[seat] else None,
            is_kept_for_you=kept[seat] is not None and kept[seat] == reader,
        )
        for seat, taken in enumerate(seats)
    ]


def names_in_game(game: AnyGame, seats: int) -> Sequence[str]:
    """Return the names of the seats, or nothing if the game has none: an older version may have had more seats."""
    try:
        names = game.seat_names(seats)
    except Exception:  # another author's package must not break a list of matches
        return ()
    return names if len(names) == seats else ()


def deadline_of(match: AnyMatch | MatchSummary, seat: Seat) -> datetime | None:
    """Return the deadline of a seat, or None if it has none."""
    if isinstance(match, MatchSummary):
        return match.seats[seat].deadline
    return match.clocks[seat].deadline if match.clocks else None


def occupant_name(taken: SeatState | SeatSummary, names: Mapping[str, str]) -> str:
    """Return the name of the player or bot in a seat."""
    if taken.kind == "open":
        return "an open seat"
    if taken.kind == "bot":
        return bot_name(taken.level)
    return names.get(taken.player or "", ERASED_NAME)


def bot_name(level: str | None) -> str:
    """Return a bot's name, made from its level."""
    return f"{(level or 'bot').replace('_', ' ').capitalize()} bot"


def join_words(words: Sequence[str]) -> str:
    """Return words joined as a list: `a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def describe_opponents(table: Sequence[SeatInfo]) -> str:
    """Return the opponents of the reader (`against Mia`), or all players for a spectator (`Mia against Leo`).

    Open seats are left out, so a match of one player who is waiting for others has no opponents.
    """
    taken = [sitting for sitting in table if sitting.kind != "open"]
    others = [sitting.occupant for sitting in taken if not sitting.is_you]
    if len(others) == len(taken):
        return list_players(table)
    return f"against {join_words(others)}" if others else "against yourself" if len(taken) == len(table) else ""


@web.app_template_filter("players")
def list_players(table: Sequence[SeatInfo]) -> str:
    """Return all players and bots: `Mia against Leo`, or `Mia, Leo and Greedy bot`. Open seats are left out."""
    names = [sitting.occupant for sitting in table if sitting.kind != "open"]
    return " against ".join(names) if len(names) == 2 else join_words(names)


def describe_turn(match: AnyMatch | MatchSummary, table: Sequence[SeatInfo], call: str = "make your move") -> str:
    """Return whose turn it is or how the match ended. `call` is the game's wording for "make your move"."""
    if match.status == "over":
        return describe_result(match, table)
    if match.status == "open":
        return describe_missing_players(match, table)
    if match.status == "opening":
        return describe_opening(match, table)
    if any(sitting.is_you and sitting.is_to_move and not sitting.standin for sitting in table):
        return f"Your turn: {call}."
    late = [sitting.label for sitting in table if sitting.is_to_move and sitting.standin]
    if late:
        return f"Time ran out for {join_words(late)}. A bot makes this move."
    waiting = [sitting.label for sitting in table if sitting.is_to_move]
    return f"Waiting for {join_words(waiting)}." if waiting else "The round is being played."


def describe_missing_players(match: AnyMatch | MatchSummary, table: Sequence[SeatInfo]) -> str:
    """Return who has to sit down before the match can start."""
    if any(sitting.is_kept_for_you for sitting in table):
        return "Sit down to begin."
    missing = [sitting.name for sitting in table if sitting.kind == "open" and not sitting.kept_for]
    kept = join_words(sorted({sitting.kept_for for sitting in table if sitting.kept_for}))
    wanted = f"someone to play {join_words(missing)}"
    if match.by_chance:
        wanted = "one more player" if len(missing) == 1 else f"{len(missing)} more players"
    if not missing:
        return f"Waiting for {kept} to sit down."
    return f"Waiting for {kept} to sit down, and for {wanted}." if kept else f"Waiting for {wanted}."


def describe_opening(match: AnyMatch | MatchSummary, table: Sequence[SeatInfo]) -> str:
    """Return who has to open a share before the match can start."""
    closed = match.unopened if isinstance(match, MatchSummary) else unopened_seats(match)
    if any(table[seat].is_you for seat in closed):
        return "Open the match to begin."
    if any(sitting.is_you for sitting in table):
        return f"Waiting for {join_words([table[seat].label for seat in closed])} to open the match."
    return "The players are opening their shares."


def describe_result(match: AnyMatch | MatchSummary, table: Sequence[SeatInfo]) -> str:
    """Return a sentence that says who won."""
    if match.outcome is None:
        return "This match was annulled." if match.annulled else "This match was cancelled."
    winners = [table[seat] for seat in match.outcome.winners]
    if not winners:
        return "It is a draw."
    if any(sitting.is_you for sitting in winners) and not all(sitting.is_you for sitting in table):
        return "You won!" if len(winners) == 1 else f"{capitalize_first(join_words([w.label for w in winners]))} won!"
    return f"{capitalize_first(join_words([sitting.title for sitting in winners]))} won."


@web.app_template_filter("capital")
def capitalize_first(words: str) -> str:
    """Return the text with its first letter in upper case and the rest unchanged."""
    return words[:1].upper() + words[1:]

"""The end of a match as its page shows it: the verdict, why it ended, everyone's place, and what decided it."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from domain.kernel.game import Outcome, Seat
from domain.kernel.table import Table
from domain.match.disputes import RULING_REASON
from domain.match.state import AnyMatch
from service.app_context import services
from service.web.match_history import event_lines, stored_events
from service.web.score_history import scores_of
from service.web.seating import SeatInfo, join_words
from service.web.table_board import TablePlayer

RULING_SENTENCE = "An arbiter decided the result."


class Place(msgspec.Struct, frozen=True):
    """One player's place, with the result in the words of the game."""

    rank: int
    player: TablePlayer
    result: str


class Decided(msgspec.Struct, frozen=True):
    """The move after which the winner's lead had grown most."""

    ply: int
    title: str
    words: str


class RatingChange(msgspec.Struct, frozen=True):
    """The reader's rating before and after the match."""

    before: int
    after: int

    @property
    def change(self) -> int:
        """Return the difference."""
        return self.after - self.before


class Ending(msgspec.Struct, frozen=True):
    """Everything that the end of a match shows to one reader."""

    verdict: str
    why: str
    places: tuple[Place, ...]
    decided: Decided | None
    rating: RatingChange | None


def describe_ending(
    head: AnyMatch,
    how: Table,
    players: Sequence[TablePlayer],
    table: Sequence[SeatInfo],
    seat: Seat | None,
    reader: str | None,
) -> Ending | None:
    """Return the end of a match, or None while it runs."""
    if head.status != "over":
        return None
    if head.outcome is None:
        return Ending("Annulled" if head.annulled else "Cancelled", "The match has no result.", (), None, None)
    outcome = head.outcome
    why = RULING_SENTENCE if outcome.reason == RULING_REASON else how.endings.get(outcome.reason, "")
    return Ending(
        verdict(outcome, players, seat),
        why,
        ranked_places(outcome, how, players),
        deciding_move(head, outcome, table),
        rating_change(head, reader),
    )


def verdict(outcome: Outcome, players: Sequence[TablePlayer], seat: Seat | None) -> str:
    """Return who won, in few words: "You win!", "Mia wins", "A draw"."""
    if not outcome.winners:
        return "A draw"
    if len(outcome.winners) == 1 and outcome.winners[0] == seat:
        return "You win!"
    names = ["you" if winner == seat else players[winner].occupant for winner in outcome.winners]
    words = join_words(sorted(names, key="you".__ne__))
    words = words[:1].upper() + words[1:]
    return f"{words} {'win' if len(names) > 1 else 'wins'}{'!' if seat in outcome.winners else ''}"


def ranked_places(outcome: Outcome, how: Table, players: Sequence[TablePlayer]) -> tuple[Place, ...]:
    """Return all players, best first."""
    order = sorted(players, key=lambda player: (outcome.places[player.seat], player.seat))
    return tuple(Place(outcome.places[one.seat], one, result_words(outcome, how, one.seat)) for one in order)


def result_words(outcome: Outcome, how: Table, seat: Seat) -> str:
    """Return a seat's result in the words of the game, or its score."""
    if how.outcome_text:
        return how.outcome_text(outcome, seat)
    score = outcome.scores[seat]
    return "no score" if score is None else f"{score:,}"


def deciding_move(head: AnyMatch, outcome: Outcome, table: Sequence[SeatInfo]) -> Decided | None:
    """Return the move with the largest swing towards the only winner, or None if no move changed the lead."""
    if len(outcome.winners) != 1 or len(table) < 2:
        return None
    winner = outcome.winners[0]
    leads = [(ply, lead_of(winner, each)) for ply, each in enumerate(scores_of(head), 1) if each is not None]
    swings = [(after - before, ply) for (_, before), (ply, after) in pairwise(leads)]
    swing, ply = max(swings, key=lambda found: (found[0], -found[1]), default=(0, 0))
    if swing <= 0:
        return None
    event = stored_events(head)(ply)
    lines = event_lines(head, event, table, stored_events(head))
    return Decided(ply, f"Move {ply} decided it", lines[0] if lines else "")


def lead_of(seat: Seat, scores: Sequence[int | None]) -> int:
    """Return by how much a seat leads over the best other seat. No score counts as 0."""
    others = [score or 0 for other, score in enumerate(scores) if other != seat]
    return (scores[seat] or 0) - max(others)


def rating_change(head: AnyMatch, reader: str | None) -> RatingChange | None:
    """Return the change of the reader's rating, or None if the match didn't change it, or hasn't yet."""
    if reader is None or not head.is_rated or not head.seats_of(reader):
        return None
    history = services().read_models.profiles.rating_history(head.game, reader)
    point = next((point for point in reversed(history) if point.match == head.id), None)
    if point is None or point.change is None:
        return None
    return RatingChange(point.rating - point.change, point.rating)

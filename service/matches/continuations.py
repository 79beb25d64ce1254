"""Continues a match in a new one, after its game's component data has changed."""

from contextlib import suppress

from msgspec import UNSET

from domain.kernel.events import without_retracted
from domain.kernel.refusals import MatchRefused
from domain.kernel.values import Value
from domain.match.commands import ForkSource, SeatSpec
from domain.match.history import fold
from domain.match.luck import fork_from
from domain.match.state import AnyMatch, SeatState
from service.event_store.errors import CommandReused
from service.matches.creation import MatchCreator
from service.matches.errors import NotSeated, PositionLost
from service.matches.repository import MatchRepository
from service.matches.results import IdempotencyKey

CONTINUATION_AUTHOR = "continuation"
"""Stands for all players of a match in the idempotency key of its continuation. No player has this id."""


class Continuation(Value, frozen=True):
    """The match in which another one continues: with its position (`keeps_position`), or from the beginning."""

    match: str
    keeps_position: bool


class MatchContinuer:
    """Creates continuations. Every player of a match can ask for it, and all get the same one."""

    def __init__(self, repository: MatchRepository, creation: MatchCreator) -> None:
        self._repository = repository
        self._creation = creation

    def continue_match(self, match: str, player: str) -> Continuation:
        """Return the match in which this one continues, with everybody in the same seat. The first call creates it.

        It is a fork if the position can still be computed, otherwise a fresh match. It is unrated, and everybody is
        seated immediately, so that nobody gets to see another seat's hand. Raises MatchNotFound, GameNotInstalled,
        NotSeated, MatchRefused, BadOptions, LimitExceeded, LogUnavailable.
        """
        head = self._load(match)
        if not head.seats_of(player):
            raise NotSeated("you don't play in this match")
        plan = self._plan(head)
        by = IdempotencyKey(CONTINUATION_AUTHOR, head.id)
        with suppress(CommandReused):  # another player was faster
            self._creation.create(
                player,
                head.game,
                [same_seat(seat) for seat in head.seats],
                head.options,
                fork=plan,
                position=None if plan else head.position,
                clock=head.time_control,
                private=head.private,
                level=UNSET,
                by=by,
            )
        return Continuation(self._creation.derive_match_id(by), plan is not None)

    def _load(self, match: str) -> AnyMatch:
        """Return a match that needs a continuation. Raises MatchRefused for any other."""
        try:
            head = self._repository.load(match)
        except PositionLost:
            head = self._repository.load_without_game(match)
        if head.status != "playing" or not (head.without_game or head.has_changed_components):
            raise MatchRefused("can_go_on", "This match doesn't need a continuation. Go back to it.")
        return head

    def _plan(self, head: AnyMatch) -> ForkSource | None:
        """Return what a fork of the match begins with, or None if its position is lost or the game is over there."""
        if head.without_game or head.rules.outcome(head.state) is not None or not head.to_move:
            return None
        events = list(self._repository.read_events(head.id, last=head.ply, game=head.rules))
        return ForkSource(
            fork=fork_from(fold(events), "new"),
            rules_version=head.rules_version,
            facts=tuple(fact for event in without_retracted(events) for fact in event.facts),
        )


def same_seat(seat: SeatState) -> SeatSpec:
    """Return the seat in the continuation of the player or bot who has this seat now."""
    return SeatSpec("bot", level=seat.level) if seat.kind == "bot" else SeatSpec("human", player=seat.player)

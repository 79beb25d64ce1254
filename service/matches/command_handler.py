"""Decides the commands of players, bots and arbiters, and appends their events.

A command is decided at the head of the log and appended only if the head has not moved. If it has moved, a command
without an expected ply is decided again; a command with one fails with StalePly. A command id that was used before
returns the earlier result.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from cachetools import LRUCache
from msgspec.structs import replace

from domain.kernel.chance import Luck
from domain.kernel.event_codec import write_event
from domain.kernel.game import Seat
from domain.kernel.refusals import IllegalMove, MatchRefused, Refused
from domain.kernel.table import Foreseen
from domain.match.clock import is_opening_overdue, lobby_closing_time, overdue_seat
from domain.match.commands import (
    Abort,
    CloseDispute,
    CloseLobby,
    Command,
    Expire,
    LeaveSeat,
    Play,
    Propose,
    TakeOver,
    TakeSeat,
)
from domain.match.decide import decide
from domain.match.disputes import ruling_due_at
from domain.match.event_recorder import Decided
from domain.match.information import only_move_by, reveals_nothing
from domain.match.state import AnyMatch
from service.event_store.errors import CommandReused, LogUnavailable, VersionConflict
from service.event_store.log import MatchLog, RememberedCommand
from service.matches.banned_players import IsBanned, removals
from service.matches.errors import STALE_HEAD_REFUSALS, NotSeated, NotYourTurn, StalePly
from service.matches.permissions import require_role, require_same_components, require_seat_holder
from service.matches.repository import MatchRepository
from service.matches.results import CLOCK_AUTHOR, CommandResult, IdempotencyKey, payload_digest
from service.matches.seat_limits import SeatLimits, is_resignation
from service.matches.seat_worlds import SeatWorlds
from service.runtime.clock import Clock

K = TypeVar("K")

logger = logging.getLogger("crumbtrail.matches")


MAX_ATTEMPTS = 20
"""Maximum attempts to decide a command without an expected ply while the head keeps moving."""
MAX_REFUSED_ATTEMPTS = 10_000
"""Maximum number of positions and seats for which a process remembers that a move was refused."""
LIMITED_COMMANDS = (TakeSeat, LeaveSeat, Abort)
"""Commands that count against the limits on seats. Resigning can count as well."""
TO_LAST_MOVE = 0
"""The `to_ply` of a takeback of the seat's last move. It is resolved when the command is decided."""


class MatchCommandHandler:
    """Carries out commands in matches. `is_archived` returns whether a match was imported.

    `secret` is the service's secret, from which the worlds of dry runs are made. `require_rated_allowed` raises
    MatchRefused for a player who may not play rated matches now, `require_may_join` for one who may not join matches.
    """

    def __init__(
        self,
        log: MatchLog,
        repository: MatchRepository,
        clock: Clock,
        is_arbiter: Callable[[str], bool] = lambda player: False,
        is_archived: Callable[[str], bool] = lambda match: False,
        secret: bytes = b"",
        require_rated_allowed: Callable[[str], None] = lambda player: None,
        require_may_join: Callable[[str], None] = lambda player: None,
        seat_limits: SeatLimits | None = None,
        require_below_limit: Callable[[str, AnyMatch], None] = lambda player, match: None,
        is_banned: IsBanned = lambda player: False,
    ) -> None:
        self._log = log
        self._repository = repository
        self._clock = clock
        self._is_arbiter = is_arbiter
        self._is_archived = is_archived
        self._require_rated_allowed = require_rated_allowed
        self._require_may_join = require_may_join
        self._seat_limits = seat_limits
        self._require_below_limit = require_below_limit
        self._is_banned = is_banned
        self._worlds = SeatWorlds(repository, secret)
        self._refused_attempts: LRUCache[tuple[str, int, Seat], bool] = LRUCache(MAX_REFUSED_ATTEMPTS)

    def submit(
        self, match: str, command: Command, by: IdempotencyKey, expected: int | None = None, address: str | None = None
    ) -> CommandResult:
        """Decide a command at the head and append its events.

        `address` is where a player's request comes from, or empty if that is unknown. Without one, the command is the
        service's own and counts against no limit.

        Raises MatchNotFound, NotSeated, NotArbiter, StalePly, Refused, NotYourTurn, CommandReused, and LogUnavailable
        if the outcome is unknown; then repeat the call with the same key.
        """
        command_id, payload = by.digest().hex(), payload_digest([match, command])
        for attempt in range(MAX_ATTEMPTS):
            # At an outdated head, a resignation or an abort could wrongly count against the player's limit.
            is_fresh_head_needed = isinstance(command, Abort) or is_resignation(command)
            cached = None if attempt or is_fresh_head_needed else self._repository.cached(match)
            head, remembered = (cached, None) if cached else self._repository.load_with_command(match, command_id)
            if remembered:
                return self._repeated_result(match, remembered, payload)
            try:
                decided = self._decide_if_permitted(head, command, by, expected, address)
                if decided is not None:
                    result = self._append(head, decided, command_id, payload)
                    self._release_seat(head, command, by.author, address)
                    return result
            except VersionConflict as conflict:
                if expected is not None and not cached:
                    raise StalePly(conflict.actual) from None
            except STALE_HEAD_REFUSALS:
                if not cached:
                    raise
        raise StalePly(self._repository.load(match).ply)

    def _decide_if_permitted(
        self, head: AnyMatch, command: Command, by: IdempotencyKey, expected: int | None, address: str | None
    ) -> Decided | None:
        """Return the command's events at this head, or None if an overdue deadline had to be applied first.

        The head may be outdated if it comes from the cache. The events are appended only if the head has not moved,
        and a refusal is final only at a head that was just read. Raises one of STALE_HEAD_REFUSALS.
        """
        if not isinstance(command, Expire | CloseLobby) and self.expire_overdue(head):
            return None
        if isinstance(command, TakeSeat) and self.remove_banned(head):
            return None
        require_same_components(head, command)
        require_seat_holder(head, command, by.author)
        require_role(head, command, by.author, self._is_arbiter, self._is_archived)
        if isinstance(command, TakeSeat | TakeOver):
            self._require_may_join(command.player)
            self._require_below_limit(command.player, head)
        if isinstance(command, TakeSeat) and head.was_created_rated:
            self._require_rated_allowed(command.player)
        if expected is not None and expected != head.ply:
            raise StalePly(head.ply)
        return self._decide_within_limits(head, command, by.author, address)

    def _decide_within_limits(self, head: AnyMatch, command: Command, player: str, address: str | None) -> Decided:
        """Decide a command that the limits on seats allow. A refused command does not count."""
        luck = self._repository.secrets(head)
        limited = isinstance(command, LIMITED_COMMANDS) or is_resignation(command)
        if self._seat_limits is None or address is None or not limited:
            return self._decide(head, command, luck)
        uses = self._seat_limits.use(head, command, player, address)
        try:
            return self._decide(head, command, luck)
        except Refused:
            self._seat_limits.undo(uses)
            raise

    def _release_seat(self, head: AnyMatch, command: Command, player: str, address: str | None) -> None:
        """Stop counting a seat that its player has left."""
        if self._seat_limits is not None and address is not None and isinstance(command, LeaveSeat):
            with suppress(LogUnavailable):  # the player has left the seat, which stops counting after a while
                self._seat_limits.release(head, player, address)

    def _append(self, head: AnyMatch, decided: Decided, command_id: str, payload: str) -> CommandResult:
        """Append the decided events. Raises VersionConflict, CommandReused, LogUnavailable."""
        lines = [write_event(event) for event in decided.events]
        appended = self._log.append(head.id, head.ply, lines, command=command_id, payload=payload, head=head.head_hash)
        if appended.is_duplicate:
            return self._repository.load_result(head.id, RememberedCommand(appended.first, appended.last, payload))
        return CommandResult(self._repository.cache(decided.match, head), tuple(decided.events), is_repeat=False)

    def previous_result(
        self, match: str, commands: Mapping[K, Command], by: IdempotencyKey
    ) -> tuple[K, CommandResult] | None:
        """Return the command that was carried out under this key and its result, or None.

        Lets an author repeat a command that they may no longer give. Raises MatchNotFound, LogUnavailable.
        """
        _, remembered = self._repository.load_with_command(match, by.digest().hex())
        for name, command in commands.items() if remembered else ():
            if remembered and remembered.payload == payload_digest([match, command]):
                return name, self._repository.load_result(match, remembered)
        return None

    def _repeated_result(self, match: str, remembered: RememberedCommand, payload: str) -> CommandResult:
        """Return the earlier result of a repeated command. Raises CommandReused if the key had another command."""
        if remembered.payload != payload:
            raise CommandReused(match)
        return self._repository.load_result(match, remembered)

    def expire_overdue(self, head: AnyMatch) -> bool:
        """Apply a deadline that has passed. Return False if there is none. Raises the errors of `submit`."""
        if head.has_changed_components:
            return False  # nobody can move, so nobody runs out of time
        now = self._clock.now()
        seat = overdue_seat(head, now)
        if seat is None and not is_opening_overdue(head, now):
            return False
        command, name = (CloseLobby(), "close") if seat is None else (Expire(seat), "expire")
        try:
            self.submit(head.id, command, IdempotencyKey(CLOCK_AUTHOR, f"{name}-{head.ply}"), expected=head.ply)
        except (StalePly, CommandReused):
            return True  # another process has done it
        return True

    def close_if_abandoned(self, head: AnyMatch) -> None:
        """Cancel a match that no one has joined, or whose shares were not opened in time. Raises as `submit` does."""
        until = lobby_closing_time(head)
        if until is None or self._clock.now() < until:
            return
        with suppress(StalePly, CommandReused):
            self.submit(head.id, CloseLobby(), IdempotencyKey(CLOCK_AUTHOR, f"close-{head.ply}"), expected=head.ply)

    def remove_banned(self, head: AnyMatch) -> bool:
        """Take banned players out of a match that has not started. Return False if there are none.

        Raises as `submit` does.
        """
        found = list(removals(head, self._is_banned))
        for number, (author, command) in enumerate(found):
            by = IdempotencyKey(author, f"banned-{head.ply}-{number}")
            with suppress(Refused, NotSeated, CommandReused):  # the player or the creator was faster
                self.submit(head.id, command, by)
        return bool(found)

    def close_unresolved_disputes(self, head: AnyMatch) -> None:
        """Rule by the audit's verdict on the disputes that no arbiter has resolved in time. Raises as `submit` does."""
        for dispute in head.disputes:
            due = ruling_due_at(head, dispute)
            if due is not None and due <= self._clock.now():
                by = IdempotencyKey(CLOCK_AUTHOR, f"rule-{dispute.number}")
                with suppress(MatchRefused, CommandReused):  # an arbiter or another process was faster
                    self.submit(head.id, CloseDispute(dispute.number), by)

    def _decide(self, head: AnyMatch, command: Command, luck: Luck) -> Decided:
        if isinstance(command, Propose) and command.what == "takeback":
            command = self._resolve_takeback(head, command)
        if isinstance(command, Play):
            return self._decide_move(head, command, luck)
        return decide(head, command, self._clock.now(), luck, self._repository.past_states(head.id))

    def _decide_move(self, head: AnyMatch, command: Play, luck: Luck) -> Decided:
        """Decide a move, so that refusals reveal nothing that its seat may not know, not even through their timing.

        After a seat is refused a move, its moves are tried in a world of the seat first, until someone makes a move.
        After that, the real state is used only for a legal move. Trying every move there would add 20 to 70 % to the
        time of a move, and a single measurement shows nothing. The refusal always comes from the seat's world, even if
        it is not the seat's turn.
        """
        attempt = (head.id, head.draw_count, command.seat)
        if attempt in self._refused_attempts:
            self._decide_in_world(head, command)
        try:
            return self._decide_once(head, command, luck)
        except (IllegalMove, NotYourTurn) as error:
            refusal = error.refusal if isinstance(error, NotYourTurn) else error
            if refusal.code == "bad_move":
                raise
            self._refused_attempts[attempt] = True
            self._decide_in_world(head, command)
            logger.error(
                "Match %s, ply %d: the rules refuse a move (%s) that is legal in a world that its seat can't "
                "tell from the real one. This is a fault in the game.",
                head.id,
                head.ply,
                refusal.code,
            )
            raise MatchRefused(
                "game_fault", "The rules of this game contradict themselves here. Choose another move."
            ) from None

    def _decide_in_world(self, head: AnyMatch, command: Play) -> None:
        """Decide a move in a world of its seat. Raises the refusal of the move, if it is refused there."""
        world, luck = self._worlds.world_for(head, command.seat)
        self._decide_once(world, command, luck)

    def _decide_once(self, head: AnyMatch, command: Play, luck: Luck) -> Decided:
        """Decide a move. Raises NotYourTurn instead of a refusal of the game if it is not the seat's turn."""
        try:
            return decide(head, command, self._clock.now(), luck, self._repository.past_states(head.id))
        except Refused as refusal:
            if refusal.code != "bad_move" and command.seat not in head.to_move:
                raise NotYourTurn(refusal) from None
            raise

    def _resolve_takeback(self, head: AnyMatch, command: Propose) -> Propose:
        """Return the takeback with its ply and whether it needs consent. Raises MatchRefused."""
        to_ply = command.to_ply
        if to_ply == TO_LAST_MOVE:
            last = self._repository.last_move_ply(head, command.seat)
            if last is None:
                raise MatchRefused("no_such_move", "You have no move to undo.")
            to_ply = last - 1
        free = to_ply is not None and self.can_take_back_freely(head, command.seat, to_ply)
        return replace(command, to_ply=to_ply, free=free)

    def can_take_back_freely(self, match: AnyMatch, seat: Seat, to_ply: int) -> bool:
        """Return whether a seat may go back to this ply without consent, because no one has learned anything since."""
        if match.status != "playing" or not 1 <= to_ply < match.ply:
            return False
        moved = only_move_by(self._repository.read_events(match.id, to_ply + 1, match.ply, match.rules), seat)
        if moved is None:
            return False
        then = self._repository.at_ply(match.id, to_ply)
        return reveals_nothing(then, moved, self._repository.known_facts(then, seat))

    def dry_run(self, match: AnyMatch, seat: Seat, document: Any) -> Foreseen:
        """Return the certain effects of a move, without using the match's draws or hidden information.

        Raises the errors that the move would raise.
        """
        move = match.rules.read_move(document)
        self._decide_in_world(match, Play(seat, document))
        return self._worlds.foresee(match, seat, move)

"""Limits on seats: how many a player holds without having moved, how many they leave, and how many matches they abort.

Each limit counts for the player and for the address that the request comes from, so using a new guest for every step
gains nothing. It never counts for a seat or a match, so nobody can use up another player's limit. Addresses are stored
only as a keyed hash, and only for a week.
"""

import hmac
from collections.abc import Callable, Iterable
from datetime import timedelta
from importlib.resources import files
from typing import Any, NamedTuple

from redis import Redis

from domain.kernel.refusals import MatchRefused
from domain.match.absence import absent_seats
from domain.match.commands import Abort, Command, LeaveSeat, Play, TakeSeat
from domain.match.early_end import is_abort_costly
from domain.match.state import AnyMatch
from service.event_store.errors import MatchNotFound, redis_errors_as_unavailable
from service.event_store.keys import seat_uses_key
from service.runtime.clock import Clock, to_milliseconds
from service.runtime.rate_limits import RateLimits, address_network

USE_SCRIPT = files("service.matches").joinpath("seat_limits.lua").read_text(encoding="utf-8")
HOUR, WEEK = timedelta(hours=1), timedelta(days=7)
UNPLAYED_COUNTS_FOR = timedelta(days=1)
"""How long a seat counts after its player has resigned without making a move. Otherwise a player could resign
immediately in any number of other people's matches."""
TAKING_LASTS_AT_MOST = timedelta(seconds=10)
"""How long the log may take to show a counted seat. Until then it counts even if its player doesn't have it yet.
Otherwise simultaneous requests would remove each other's counts."""
ADDED, FULL = 1, -1


class Use(NamedTuple):
    """One use of a limit: the key of the list that counts it, the member it adds, the limit and its window.

    Without a window, the uses are seats, which count until their players have moved there.
    """

    key: str
    member: str
    most: int
    window: timedelta | None
    refusal: MatchRefused


class SeatLimits:
    """Counts the uses of the limits. `load` returns a match at its head and raises MatchNotFound."""

    def __init__(
        self, redis: Redis, clock: Clock, secret: bytes, limits: RateLimits, load: Callable[[str], AnyMatch]
    ) -> None:
        self._redis: Any = redis
        self._clock = clock
        self._secret = secret
        self._limits = limits
        self._load = load
        self._use_script = redis.register_script(USE_SCRIPT)

    def use(self, match: AnyMatch, command: Command, player: str, address: str) -> tuple[Use, ...]:
        """Count a command against the limits of its player and address, and return what was added for `undo`.

        A repeated command counts once. Raises MatchRefused `too_many_seats`, `left_too_often` or `too_many_aborts`, and
        LogUnavailable.
        """
        added: list[Use] = []
        for use in self._uses(match, command, player, address):
            outcome = self._add(use)
            if outcome == FULL and use.window is None and self._remove_settled(use):
                outcome = self._add(use)
            if outcome == FULL:
                self.undo(added)
                raise use.refusal
            if outcome == ADDED:
                added.append(use)
        return tuple(added)

    def undo(self, uses: Iterable[Use]) -> None:
        """Remove the uses of a command that was refused. Raises LogUnavailable."""
        with redis_errors_as_unavailable():
            for use in uses:
                self._redis.zrem(use.key, use.member)

    def release(self, match: AnyMatch, player: str, address: str) -> None:
        """Stop counting a player's seat in a match. Raises LogUnavailable."""
        with redis_errors_as_unavailable():
            for key in self._keys("held", player, address):
                self._redis.zrem(key, held_member(match, player))

    def _uses(self, match: AnyMatch, command: Command, player: str, address: str) -> list[Use]:
        """Return the uses that a command counts as; none if it harms nobody or the operator sets no limit."""
        limits = self._limits
        match command:
            case TakeSeat() if counts_as_held(match, command):
                member, kind, window = held_member(match, player), "held", None
                own, common, refusals = limits.unmoved_seats, limits.address_unmoved_seats, TOO_MANY_SEATS
            case LeaveSeat(seat) if player != match.creator and seat < len(match.seats):
                member, kind, window = f"{match.id}:{seat}:{match.seats[seat].times_vacated}", "left", HOUR
                own, common, refusals = limits.seats_left, limits.address_seats_left, LEFT_TOO_OFTEN
            case Abort(seat) if counts_as_abort(match, seat, self._clock):
                member, kind, window = match.id, "aborted", WEEK
                own, common, refusals = limits.aborts, limits.address_aborts, TOO_MANY_ABORTS
            case Play(seat) if is_resignation(command) and escapes_rating(match, seat):
                member, kind, window = match.id, "aborted", WEEK
                own, common, refusals = limits.aborts, 0, TOO_MANY_RESIGNATIONS
            case _:
                return []
        code, by_player, by_address = refusals
        counted = zip((own, common), self._keys(kind, player, address), (by_player, by_address), strict=False)
        return [
            Use(key, member, most, window, MatchRefused(code, message.format(most=most)))
            for most, key, message in counted
            if most
        ]

    def _keys(self, kind: str, player: str, address: str) -> tuple[str, ...]:
        """Return the keys of the lists that count for a player and, if it is known, for their address."""
        own = seat_uses_key(kind, player)
        return (own, seat_uses_key(kind, self._hash_address(address))) if address else (own,)

    def _hash_address(self, address: str) -> str:
        network = f"seats/v1|{address_network(address)}".encode()
        return f"address:{hmac.digest(self._secret, network, 'sha256').hex()}"

    def _add(self, use: Use) -> int:
        now, window = to_milliseconds(self._clock.now()), use.window or timedelta()
        millisecond = timedelta(milliseconds=1)
        arguments: list[str | int] = [now, window // millisecond, use.most, use.member, WEEK // millisecond]
        with redis_errors_as_unavailable():
            return int(self._use_script(keys=[use.key], args=arguments))

    def _remove_settled(self, use: Use) -> bool:
        """Remove the seats of a full list that no longer count, and return whether there were any."""
        with redis_errors_as_unavailable():
            held = self._redis.zrange(use.key, 0, -1, withscores=True)
        settled = [member for member, added in held if self._is_settled(*member.decode().split(":"), added=added)]
        if settled:
            with redis_errors_as_unavailable():
                self._redis.zrem(use.key, *settled)
        return bool(settled)

    def _is_settled(self, match: str, player: str, *, added: float) -> bool:
        """Return whether a seat no longer counts: its player has moved or lost it, or the match ended otherwise.

        `added` is the time in milliseconds when the seat was counted, which is before it is taken.
        """
        try:
            head = self._load(match)
        except MatchNotFound:
            return True
        own = [head.seats[seat] for seat in head.seats_of(player)]
        if not own:
            return to_milliseconds(self._clock.now()) - added >= TAKING_LASTS_AT_MOST // timedelta(milliseconds=1)
        if any(seat.has_moved for seat in own):
            return True
        if head.status != "over":
            return False
        resigned = any(seat.has_resigned for seat in own) or player in head.discarded_by
        return not resigned or self._clock.now() >= head.last_event_at + UNPLAYED_COUNTS_FOR


def held_member(match: AnyMatch, player: str) -> str:
    """Return the entry of a player's seat in a list of seats that count."""
    return f"{match.id}:{player}"


def counts_as_held(match: AnyMatch, command: TakeSeat) -> bool:
    """Return whether taking a seat counts: someone else created the match, and the player needs no invitation."""
    if command.player == match.creator or not 0 <= command.seat < len(match.seats):
        return False
    return not match.seats[command.seat].private


def counts_as_abort(match: AnyMatch, seat: int, clock: Clock) -> bool:
    """Return whether an abort counts: it takes the match from other people, and none of them is absent."""
    if not 0 <= seat < len(match.seats):
        return False
    return is_abort_costly(match, seat) and not absent_seats(match, clock.now(), seat)


def is_resignation(command: Command) -> bool:
    """Return whether a command is the move that resigns."""
    return isinstance(command, Play) and isinstance(command.move, dict) and command.move.get("type") == "resign"


def escapes_rating(match: AnyMatch, seat: int) -> bool:
    """Return whether a resignation ends a rated match of two people that doesn't count yet, though its luck is known.

    Without a limit, a player could look at every hand and keep only the good ones.
    """
    if match.status != "playing" or not match.is_rated or not 0 <= seat < len(match.seats):
        return False
    return len(match.seats) == 2 and bool(match.idle_seats) and not match.seats[seat].has_resigned


TOO_MANY_SEATS = (
    "too_many_seats",
    "You have {most} seats where you have not moved yet, the maximum. Make a first move or leave a seat, then join "
    "another match.",
    "Players at your network address have {most} seats where they have not moved yet, the maximum. Make a first move "
    "in one of your matches, or use an invitation.",
)
TOO_MANY_RESIGNATIONS = (
    "too_many_aborts",
    "You have aborted matches, or resigned rated ones before both players had moved, {most} times in seven days. "
    "That is the maximum. Keep playing, or resign once both of you have moved.",
    "",
)
LEFT_TOO_OFTEN = (
    "left_too_often",
    "You have left {most} seats in the last hour, the maximum. Try again later.",
    "Players at your network address have left {most} seats in the last hour, the maximum. Try again later.",
)
TOO_MANY_ABORTS = (
    "too_many_aborts",
    "You have aborted {most} matches in the last seven days, the maximum. You can resign, or keep playing.",
    "Players at your network address have aborted {most} matches in the last seven days, the maximum. You can resign, "
    "or keep playing.",
)

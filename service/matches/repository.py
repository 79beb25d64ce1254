"""Reads matches from the log and caches them.

A process caches the matches that it has folded and writes snapshots at intervals. Both only save time, because every
decision is checked against the log.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec
from cachetools import LRUCache

from domain.kernel.chance import Luck
from domain.kernel.event_codec import read_event, read_header
from domain.kernel.events import AnyEvent, Created, Moved, without_retracted
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import GENESIS
from domain.kernel.placeholder import placeholder_game
from domain.kernel.registry import find_pinned_game
from domain.match.guards import MatchLookup
from domain.match.history import History, fold, fold_without_game
from domain.match.luck import load_secrets
from domain.match.state import AnyMatch, snapshot_decoder
from replays.redaction import redact_events
from service.event_store.errors import LogDamaged, MatchNotFound
from service.event_store.log import MatchLog, RememberedCommand
from service.matches.errors import PositionLost
from service.matches.results import CommandResult, MatchUpdate

SNAPSHOT_INTERVAL = 16
"""Number of events between two snapshots. A process without a cached match folds at most about this many."""
MAX_CACHED_MATCHES = 2048
"""Maximum number of cached matches per process. Each takes 2 to 10 kB, measured in mid-match for every game."""
SNAPSHOT_FORMAT = 9
FOLD_ERRORS = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""Errors that rules may raise for facts that don't belong to their component data."""


class MatchRepository:
    """The matches in the log. Threads, greenlets and processes may share the log; each process has its own cache."""

    def __init__(self, log: MatchLog) -> None:
        self._log = log
        self._heads: LRUCache[str, AnyMatch] = LRUCache(MAX_CACHED_MATCHES)
        self._secrets: LRUCache[tuple[str, str], Luck] = LRUCache(MAX_CACHED_MATCHES)
        """By match and commitment, because an unconfirmed creation may be retried with another seed."""

    def load(self, match: str) -> AnyMatch:
        """Return the match at its head. Raises MatchNotFound, LogUnavailable, GameNotInstalled, PositionLost."""
        return self.load_with_command(match)[0]

    def load_without_game(self, match: str) -> AnyMatch:
        """Return what is known about a match without its game. Raises MatchNotFound, LogUnavailable.

        Use it if `load` raises GameNotInstalled or PositionLost. The result is never cached.
        """
        return match_without_game(self.log_lines(match))

    def cached(self, match: str) -> AnyMatch | None:
        """Return the match as this process last saw it. The head may have moved since then."""
        return self._heads.get(match)

    def updates_since(self, known: Mapping[str, AnyMatch | None]) -> dict[str, MatchUpdate | None]:
        """Return the updates of several matches since these versions, in one round trip. None: the match is gone.

        Leaves out unchanged and damaged matches. For a match without a known version, returns the events that this
        process has not seen, or all. Raises LogUnavailable.
        """
        bases = {match: head or self._heads.get(match) for match, head in known.items()}
        tails = self._log.tails({match: head.ply - 1 if head else 0 for match, head in bases.items()})
        looks: dict[str, MatchUpdate | None] = {}
        for match, lines in tails.items():
            with suppress(LogDamaged):  # a damaged match must not hide the updates of the others
                looks[match] = self._update_from_lines(match, bases[match], lines)
        return {match: look for match, look in looks.items() if look is None or look.match is not known[match]}

    def update_since(self, match: str, after: int) -> MatchUpdate:
        """Return the match at its head, with the events after a ply. Raises MatchNotFound, LogUnavailable."""
        head = self.load(match)
        new = after < head.ply
        return MatchUpdate(head, list(self.read_events(match, after + 1, head.ply, head.rules)) if new else [])

    def at_ply(self, match: str, ply: int) -> AnyMatch:
        """Return the match after this ply, folded from the log. Raises MatchNotFound."""
        return fold(self.read_events(match, last=ply))

    def visible_events(
        self, match: AnyMatch, seat: Seat | None, after: int = 0, most: int | None = None
    ) -> list[AnyEvent]:
        """Return up to `most` events after ply `after`, redacted for this seat. Stops at the ply of `match`."""
        if after >= match.ply:
            return []
        last = match.ply if most is None else min(match.ply, after + most)
        found = self.read_events(match.id, first=after + 1, last=last, game=match.rules)
        return self.filter_events(found, match, seat)

    def filter_events(self, events: Iterable[AnyEvent], match: AnyMatch, seat: Seat | None) -> list[AnyEvent]:
        """Return these events of the match as this seat may see them now."""
        return redact_events(events, match, seat, self.past_states(match.id))

    def log_lines(self, match: str) -> list[bytes]:
        """Return the unredacted lines of the log, for audits and replays of finished matches."""
        lines = self._log.lines(match)
        if not lines:
            raise MatchNotFound(match)
        return lines

    def known_facts(self, match: AnyMatch, seat: Seat | None) -> list[Any]:
        """Return the facts of a match that the seat may see, without retracted ones."""
        return [fact for event in without_retracted(self.visible_events(match, seat)) for fact in event.facts]

    def last_move_ply(self, match: AnyMatch, seat: Seat) -> int | None:
        """Return the ply of the seat's last move that was not retracted, or None. Raises MatchNotFound."""
        moves = (
            e
            for e in without_retracted(self.read_events(match.id, last=match.ply, game=match.rules))
            if isinstance(e, Moved)
        )
        return max((event.ply for event in moves if event.seat == seat), default=None)

    def past_states(self, match: str) -> MatchLookup:
        """Return a function that looks up the match after an earlier ply. Its first call reads the log."""
        read: list[History] = []

        def at(ply: int) -> AnyMatch:
            if not read:
                read.append(History(list(self.read_events(match))))
            return read[0].at(ply)

        return at

    def read_events(
        self, match: str, first: int = 1, last: int | None = None, game: AnyGame | None = None
    ) -> Iterator[AnyEvent]:
        """Return the unredacted events from ply `first` to `last`. Raises MatchNotFound."""
        lines = self._log.lines(match, first, last)
        if not lines:
            raise MatchNotFound(match)
        game = game or pinned_game(lines)
        return (read_event(line, game) for line in lines)

    def event_at(self, match: AnyMatch, ply: int) -> AnyEvent:
        """Return the unredacted event at a ply of the match. Raises MatchNotFound."""
        return next(self.read_events(match.id, ply, ply, match.rules))

    def load_with_command(self, match: str, command: str | None = None) -> tuple[AnyMatch, RememberedCommand | None]:
        """Return the match at its head and the remembered command. Raises MatchNotFound, LogUnavailable."""
        head = self._heads.get(match) or self._restore_snapshot(match)
        tail = self._log.tail(match, head.ply - 1 if head else 0, command)
        if head is not None and not (tail.lines and is_newest_event(tail.lines[0], head)):
            # The cache holds an event that was lost in a failover or by restoring a backup.
            self._heads.pop(match, None)
            head, tail = None, self._log.tail(match, 0, command)
        lines = tail.lines[1:] if head else tail.lines
        if head is None and not lines:
            raise MatchNotFound(match)
        if lines:
            head = self._fold_and_cache(head, lines)
        assert head is not None
        return head, tail.remembered

    def load_result(self, match: str, remembered: RememberedCommand) -> CommandResult:
        """Return the result of a remembered command."""
        head = self.load(match)
        events = tuple(self.read_events(match, remembered.first, remembered.last, head.rules))
        return CommandResult(head, events, is_repeat=True)

    def cache(self, match: AnyMatch, before: AnyMatch | None) -> AnyMatch:
        """Cache the match, last known as `before`, write a snapshot if one is due, and return the match."""
        known = self._heads.get(match.id)
        if known is None or known.ply <= match.ply:
            self._heads[match.id] = match
        if match.ply // SNAPSHOT_INTERVAL > (before.ply if before else 0) // SNAPSHOT_INTERVAL:
            self._log.write_snapshot(match.id, match.ply, snapshot_version(match.rules), msgspec.json.encode(match))
        return match

    def secrets(self, match: AnyMatch) -> Luck:
        """Return the secrets of a match, which determine its luck."""
        luck = self._secrets.get((match.id, match.commitment))
        if luck is None:
            luck = self._secrets[match.id, match.commitment] = load_secrets(match, self._log.seed(match.id))
        return luck

    def _update_from_lines(self, match: str, base: AnyMatch | None, lines: list[bytes]) -> MatchUpdate | None:
        """Return the update from these lines. The first line should be the newest event of `base`."""
        if base is None or not (lines and is_newest_event(lines[0], base)):
            try:
                return self.update_since(match, base.ply if base else 0)
            except MatchNotFound:
                return None
        new = lines[1:]
        if not new:
            return MatchUpdate(base, [])
        events = [read_event(line, base.rules) for line in new]
        cached = self._heads.get(match)
        fits = cached is not None and is_newest_event(new[-1], cached)  # this process has already folded these events
        return MatchUpdate(cached if cached is not None and fits else self._fold_and_cache(base, new, events), events)

    def _fold_and_cache(
        self, match: AnyMatch | None, lines: Sequence[bytes], events: Sequence[AnyEvent] | None = None
    ) -> AnyMatch:
        """Fold further lines of the log into the match, cache it and return it. `events` are the lines, if read.

        Raises LogDamaged, GameNotInstalled, PositionLost.
        """
        game = match.rules if match else pinned_game(lines)
        try:
            events = events or [read_event(line, game) for line in lines]
            require_links(events, match)
            folded = fold(events, match, self.past_states(match.id) if match else None)
        except FOLD_ERRORS as error:
            recorded = match.components if match else recorded_components(lines)
            if recorded == game.components_digest:
                raise
            raise PositionLost(match.id if match else read_header(lines[0]).match) from error
        return self.cache(folded, match)

    def _restore_snapshot(self, match: str) -> AnyMatch | None:
        """Return the last snapshot, or None if it was written with different rules or in a different format."""
        stored = self._log.read_snapshot(match)
        if stored is None:
            return None
        slug, version, *_ = stored.version.split("/")
        try:
            game = find_pinned_game(slug, int(version))
            if snapshot_version(game) != stored.version:
                return None
            return snapshot_decoder(game).decode(stored.raw)
        except (LookupError, ValueError, msgspec.MsgspecError):
            return None


def is_newest_event(line: bytes, match: AnyMatch) -> bool:
    """Return whether this line of the log is the newest event of the match."""
    return b'"hash":"%s"' % match.head_hash.encode() in line


def require_links(events: Sequence[AnyEvent], before: AnyMatch | None) -> None:
    """Check that each event names the hash of the one before it, the first one that of `before`. Raises LogDamaged."""
    link = before.head_hash if before else GENESIS
    for event in events:
        if event.prev != link:
            raise LogDamaged(f"The log is damaged: event {event.ply} doesn't continue event {event.ply - 1}.")
        link = event.hash or ""


def pinned_game(lines: Sequence[bytes]) -> AnyGame:
    """Return the game and rules version named in a log's first line."""
    header = read_header(lines[0])
    return find_pinned_game(header.game, header.rules_version)


def read_events_without_game(lines: Sequence[bytes]) -> list[AnyEvent]:
    """Return the events of a log, their facts and moves as plain JSON."""
    header = read_header(lines[0])
    game = placeholder_game(header.game, header.rules_version)
    return [read_event(line, game) for line in lines]


def match_without_game(lines: Sequence[bytes]) -> AnyMatch:
    """Return what is known about a match without its game, from all lines of its log."""
    return fold_without_game(read_events_without_game(lines))


def recorded_components(lines: Sequence[bytes]) -> str | None:
    """Return the digest of the component data in a log's first event, or None if the event can't be read."""
    try:
        first = read_events_without_game(lines[:1])[0]
    except ValueError:
        return None
    return first.components if isinstance(first, Created) else None


def snapshot_version(game: AnyGame) -> str:
    """Return the version that a snapshot must have to be read: game, rules version, format, components."""
    return f"{game.slug}/{game.rules_version}/{SNAPSHOT_FORMAT}/{game.components_digest[:16]}"

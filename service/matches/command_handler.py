"""The application service: everything that people, bots and arbiters do to a match goes through here.

A command is decided at the head of the log and appended under the expectation that the head has not moved. Whoever
names no ply is decided anew after a lost race; whoever names one is told what was missed. A repeated command id gets
its first answer. Positions are cached by match; the caches never decide anything.
"""

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar

import msgspec
from cachetools import LRUCache
from msgspec.structs import replace

from domain.kernel.chance import SEED_BYTES, Seed
from domain.kernel.event_codec import read_event, read_header, write_event
from domain.kernel.events import AnyEvent, Moved, TimeControl, without_retracted
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import MatchRefused, Refused
from domain.kernel.registry import find_game
from domain.kernel.table import Foreseen
from domain.match.clock import lobby_closing_time, overdue_seat
from domain.match.commands import (
    AnswerProposal,
    CloseLobby,
    Command,
    Create,
    Expire,
    ForkSource,
    HandOver,
    LeaveSeat,
    OfferSeat,
    Play,
    Propose,
    RaiseDispute,
    RecordVerdict,
    ResolveDispute,
    Resume,
    SeatSpec,
    TakeVacation,
    WithdrawOffer,
)
from domain.match.decide import decide
from domain.match.event_recorder import Decided
from domain.match.guards import MatchLookup, require_unretracted_ply
from domain.match.history import History, fold
from domain.match.information import only_move_by, predict_move, reveals_nothing
from domain.match.lobby import create
from domain.match.luck import fork_from
from domain.match.state import AnyMatch, snapshot_decoder
from replays.file import MAX_LINE
from replays.redaction import redact_events
from service.event_store.errors import CommandReused, MatchNotFound, VersionConflict
from service.event_store.keys import match_id_for, new_match_id
from service.event_store.log import MatchLog, RememberedCommand
from service.runtime.clock import Clock

K = TypeVar("K")

MAX_ATTEMPTS = 20
"""How often a command that names no ply is decided anew after a lost race."""
SNAPSHOT_INTERVAL = 16
"""How often a snapshot is written: about so many events at most are folded by who does not know the match."""
MAX_CACHED_MATCHES = 2048
"""How many matches a process keeps folded: 2 to 10 kB each, measured in the midst of matches of every game."""
SNAPSHOT_FORMAT = 7
CLOCK_AUTHOR = "clock"
"""The name under which deadlines act. No player is called so."""
AUDITOR_AUTHOR = "auditor"
"""The name under which audits write their verdicts. No player is called so."""


TO_LAST_MOVE = 0
"""The `to_ply` of a takeback that means the ply before the seat's last move, found when the command is decided."""
SEAT_COMMANDS = (
    Play,
    LeaveSeat,
    RaiseDispute,
    Propose,
    AnswerProposal,
    Resume,
    TakeVacation,
    OfferSeat,
    WithdrawOffer,
    HandOver,
)
"""Commands that only who sits at their seat may give."""


class NotArbiter(Exception):
    """Only an arbiter may do this."""


class NotSeated(Exception):
    """The player does not sit where this needs somebody to sit."""


class StalePly(Exception):
    """The ply that the client expected is not the match's any more; `actual` is."""

    def __init__(self, actual: int) -> None:
        super().__init__(f"the match is at ply {actual}")
        self.actual = actual


class NotYourTurn(Exception):
    """The move is refused because this seat owes none now; `refusal` is the game's own word on it."""

    def __init__(self, refusal: Refused) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


STALE_HEAD_REFUSALS = (Refused, NotYourTurn, NotSeated, NotArbiter, StalePly)
"""How a command is refused that would be carried out at another head."""


class IdempotencyKey(msgspec.Struct, frozen=True):
    """Under what id a command is remembered: author and the key that the author chose, hashed, so none can probe."""

    author: str
    key: str

    def digest(self) -> bytes:
        """SHA-256 over author and key."""
        return hashlib.sha256(canonical_json([self.author, self.key])).digest()


class CommandResult(msgspec.Struct, frozen=True):
    """A command that stands in the log: its own events, and the match as it is now."""

    match: AnyMatch
    events: tuple[AnyEvent, ...]
    is_repeat: bool


class MatchUpdate(NamedTuple):
    """A match at its head, and the events that led there from where it was known."""

    match: AnyMatch
    events: list[AnyEvent]


class MatchCommandHandler:
    """Matches in the log, and what may be done to them."""

    def __init__(
        self,
        log: MatchLog,
        clock: Clock,
        secret: bytes,
        is_arbiter: Callable[[str], bool] = lambda player: False,
        is_archived: Callable[[str], bool] = lambda match: False,
        count_new: Callable[[str], None] = lambda player: None,
    ) -> None:
        self._log = log
        self._clock = clock
        self._secret = secret
        self._is_arbiter = is_arbiter
        self._is_archived = is_archived
        self._count_new_match = count_new
        self._heads: LRUCache[str, AnyMatch] = LRUCache(MAX_CACHED_MATCHES)
        self._seeds: LRUCache[tuple[str, str], Seed] = LRUCache(MAX_CACHED_MATCHES)
        """By match and commitment: a match whose beginning was never acknowledged may begin anew with another seed."""

    # -- reading ------------------------------------------------------------------------------------------------

    def load(self, match: str) -> AnyMatch:
        """The match at its head. Raises MatchNotFound, LogUnavailable."""
        return self._load_with_command(match)[0]

    def cached(self, match: str) -> AnyMatch | None:
        """The match as this process saw it last, perhaps no longer the head: good for what never changes."""
        return self._heads.get(match)

    def updates_since(self, known: Mapping[str, AnyMatch | None]) -> dict[str, MatchUpdate | None]:
        """What has happened to several matches since they stood so, in one round trip; None for one that is no more.

        Those to which nothing has happened are left out. Of a match that was not known, all is told that this process
        had not seen, or the whole. Raises LogUnavailable.
        """
        bases = {match: head or self._heads.get(match) for match, head in known.items()}
        tails = self._log.tails({match: head.ply - 1 if head else 0 for match, head in bases.items()})
        looks = {match: self._update_from_lines(match, bases[match], lines) for match, lines in tails.items()}
        return {match: look for match, look in looks.items() if look is None or look.match is not known[match]}

    def update_since(self, match: str, after: int) -> MatchUpdate:
        """The match at its head, with all that has happened behind a ply. Raises MatchNotFound, LogUnavailable."""
        head = self.load(match)
        new = after < head.ply
        return MatchUpdate(head, list(self._read_events(match, after + 1, head.ply, head.rules)) if new else [])

    def _update_from_lines(self, match: str, base: AnyMatch | None, lines: list[bytes]) -> MatchUpdate | None:
        """The match behind these lines, the first of which is the newest event of `base`."""
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
        fits = cached is not None and is_newest_event(
            new[-1], cached
        )  # this process has decided it, or was asked meanwhile
        return MatchUpdate(cached if cached is not None and fits else self._fold_and_cache(base, events), events)

    def at_ply(self, match: str, ply: int) -> AnyMatch:
        """The match as it stood behind this ply, folded from the log. Raises MatchNotFound."""
        return fold(self._read_events(match, last=ply))

    def visible_events(
        self, match: AnyMatch, seat: Seat | None, after: int = 0, most: int | None = None
    ) -> list[AnyEvent]:
        """The first events behind `after` (`most`: so many) up to the ply of `match`, as this seat may see them."""
        if after >= match.ply:
            return []
        last = match.ply if most is None else min(match.ply, after + most)
        found = self._read_events(match.id, first=after + 1, last=last, game=match.rules)
        return self.filter_events(found, match, seat)

    def filter_events(self, events: Iterable[AnyEvent], match: AnyMatch, seat: Seat | None) -> list[AnyEvent]:
        """These events of the match as this seat may see them now."""
        return redact_events(events, match, seat, self._past_states(match.id))

    def log_lines(self, match: str) -> list[bytes]:
        """The log's own lines, unredacted: for audits, and for replays of finished matches."""
        lines = self._log.lines(match)
        if not lines:
            raise MatchNotFound(match)
        return lines

    def _past_states(self, match: str) -> MatchLookup:
        """The match behind earlier plies: the log is read when the first is asked for, and folded once."""
        read: list[History] = []

        def at(ply: int) -> AnyMatch:
            if not read:
                read.append(History(list(self._read_events(match))))
            return read[0].at(ply)

        return at

    def _read_events(
        self, match: str, first: int = 1, last: int | None = None, game: AnyGame | None = None
    ) -> Iterator[AnyEvent]:
        lines = self._log.lines(match, first, last)
        if not lines:
            raise MatchNotFound(match)
        game = game or pinned_game(lines)
        return (read_event(line, game) for line in lines)

    def _load_with_command(self, match: str, command: str | None = None) -> tuple[AnyMatch, RememberedCommand | None]:
        head = self._heads.get(match) or self._restore_snapshot(match)
        tail = self._log.tail(match, head.ply - 1 if head else 0, command)
        if head is not None and not (tail.lines and is_newest_event(tail.lines[0], head)):
            # We have seen what was never acknowledged and is no more: a failover, or a restored copy.
            self._heads.pop(match, None)
            head, tail = None, self._log.tail(match, 0, command)
        lines = tail.lines[1:] if head else tail.lines
        if head is None and not lines:
            raise MatchNotFound(match)
        if lines:
            game = head.rules if head else pinned_game(lines)
            head = self._fold_and_cache(head, [read_event(line, game) for line in lines])
        assert head is not None
        return head, tail.remembered

    def _fold_and_cache(self, match: AnyMatch | None, events: Sequence[AnyEvent]) -> AnyMatch:
        """The match after further events of the log, folded and kept."""
        return self._keep(fold(events, match, self._past_states(match.id) if match else None), match)

    def _keep(self, match: AnyMatch, before: AnyMatch | None) -> AnyMatch:
        """The match, cached and now and then kept as a snapshot. It was last known as `before`."""
        known = self._heads.get(match.id)
        if known is None or known.ply <= match.ply:
            self._heads[match.id] = match
        if match.ply // SNAPSHOT_INTERVAL > (before.ply if before else 0) // SNAPSHOT_INTERVAL:
            self._log.write_snapshot(match.id, match.ply, snapshot_version(match.rules), msgspec.json.encode(match))
        return match

    def _restore_snapshot(self, match: str) -> AnyMatch | None:
        """The last snapshot, if it is of the rules at hand; a snapshot is never more than a cache."""
        stored = self._log.read_snapshot(match)
        if stored is None:
            return None
        slug, version, *_ = stored.version.split("/")
        try:
            game = find_game(slug, int(version))
            if snapshot_version(game) != stored.version:
                return None
            return snapshot_decoder(game).decode(stored.raw)
        except (LookupError, ValueError, msgspec.MsgspecError):
            return None

    # -- writing ------------------------------------------------------------------------------------------------

    def derive_match_id(self, by: IdempotencyKey) -> str:
        """The id of the match that this command creates, or has created; every process of the service finds the same.

        Who knows the id of a private match may look at it, and author and key can be guessed: so the secret is in it.
        """
        return match_id_for(hmac.digest(self._secret, b"match/v1|" + by.digest(), "sha256"))

    def create(
        self,
        creator: str,
        game: str,
        seats: Sequence[SeatSpec],
        options: Mapping[str, Any],
        *,
        seed: bytes | None = None,
        position: Mapping[str, Any] | None = None,
        fork: ForkSource | None = None,
        clock: TimeControl | None = None,
        rated: bool = False,
        private: bool = False,
        by_chance: bool = False,
        key: str | None = None,
        by: IdempotencyKey | None = None,
    ) -> CommandResult:
        """A new match, remembered under the creator's `key`, or `by` a name that several share.

        Raises UnknownGame, BadOptions, MatchRefused, CommandReused, TooMany, LogUnavailable.
        """
        key = by.key if by else key
        command_id = by or IdempotencyKey(creator, key or secrets.token_hex(16))
        match = self.derive_match_id(command_id) if key else new_match_id()
        command = Create(
            match=match,
            game=game,
            creator=creator,
            options=options,
            seats=tuple(seats),
            position=position,
            fork=fork,
            clock=clock,
            rated=rated,
            private=private,
            by_chance=by_chance,
        )
        payload = payload_digest([command, seed.hex() if seed else None])
        if key is None or not self._log.lines(match, 1, 1):  # a repetition gets its answer, whatever there is already
            self._count_new_match(creator)
        return self._append_new(command, self._choose_seed(fork, seed), command_id, payload)

    def fork(
        self, parent: str, ply: int, creator: str, seats: Sequence[SeatSpec], same_luck: bool, key: str | None = None
    ) -> CommandResult:
        """A new match that goes on from a ply of another one, which is over or the creator's own practice.

        Raises MatchNotFound, MatchRefused, BadOptions, CommandReused, LogUnavailable.
        """
        head = self.load(parent)
        require_forkable(head, creator)
        require_unretracted_ply(head, ply)
        events = list(self._read_events(parent, last=ply, game=head.rules))
        then = fold(events)
        if then.status != "playing" or head.rules.outcome(then.state) is not None or not head.rules.to_move(then.state):
            raise MatchRefused("no_position", f"At ply {ply} the game was not being played; fork from another ply.")
        if len(seats) != len(head.seats):
            raise MatchRefused("bad_seats", f"The match has {len(head.seats)} seats, and so has its fork.")
        plan = ForkSource(
            fork=fork_from(then, "same" if same_luck else "new"),
            rules_version=head.rules_version,
            facts=tuple(fact for event in without_retracted(events) for fact in event.facts),
        )
        return self.create(creator, head.game, seats, head.options, fork=plan, private=head.private, key=key)

    def _choose_seed(self, fork: ForkSource | None, seed: bytes | None) -> Seed:
        """The luck of a new match: given, or that of the match that it is a fork of, or its own."""
        if seed is not None:
            return Seed(seed, given=True)
        if fork is not None and fork.fork.luck == "same":
            return self._seed(self.load(fork.fork.match))
        return Seed(secrets.token_bytes(SEED_BYTES))

    def _append_new(self, command: Create, luck: Seed, command_id: IdempotencyKey, payload: str) -> CommandResult:
        match = command.match
        events, made = create(command, self._clock.now(), luck)
        if any(len(write_event(event)) > MAX_LINE for event in events):
            raise MatchRefused("too_long", "The match is too long to be forked there.")
        try:
            appended = self._log.append(
                match,
                0,
                [write_event(event) for event in events],
                command=command_id.digest().hex(),
                payload=payload,
                seed=bytes.fromhex(luck.reveal()),
            )
        except VersionConflict:
            # The id of a match is derived from its command id, so this is the same key with another body.
            raise CommandReused(match) from None
        if appended.is_duplicate:
            return self._load_result(match, RememberedCommand(appended.first, appended.last, payload))
        return CommandResult(self._keep(made, None), tuple(events), is_repeat=False)

    def submit(self, match: str, command: Command, by: IdempotencyKey, expected: int | None = None) -> CommandResult:
        """Decide a command at the head and append what it does.

        Raises MatchNotFound, NotSeated, StalePly (only when a ply is expected), Refused and NotYourTurn, CommandReused,
        and LogUnavailable when the outcome is unknown: repeat it with the same key.
        """
        command_id, payload = by.digest().hex(), payload_digest([match, command])
        for attempt in range(MAX_ATTEMPTS):
            cached = None if attempt else self.cached(match)
            head, remembered = (cached, None) if cached else self._load_with_command(match, command_id)
            if remembered:
                return self._repeated_result(match, remembered, payload)
            try:
                decided = self._decide_if_permitted(head, command, by, expected)
                if decided is not None:
                    return self._append(head, decided, command_id, payload)
            except VersionConflict as conflict:
                if expected is not None and not cached:
                    raise StalePly(conflict.actual) from None
            except STALE_HEAD_REFUSALS:
                if not cached:
                    raise
        raise StalePly(self.load(match).ply)

    def _decide_if_permitted(
        self, head: AnyMatch, command: Command, by: IdempotencyKey, expected: int | None
    ) -> Decided | None:
        """What a command does at this head; None if a deadline had passed, which had to be appended first.

        The head may be an old one, as the cache has it: what is decided there is appended only if nothing has happened
        since, and a refusal counts only at a head that was just read. Raises one of REFUSALS.
        """
        if not isinstance(command, Expire | CloseLobby) and self.expire_overdue(head):
            return None
        require_seat_holder(head, command, by.author)
        self._require_role(head, command, by.author)
        if expected is not None and expected != head.ply:
            raise StalePly(head.ply)
        return self._decide(head, command, self._seed(head))

    def _append(self, head: AnyMatch, decided: Decided, command_id: str, payload: str) -> CommandResult:
        """The events in the log. Raises VersionConflict, CommandReused, LogUnavailable.

        They were folded when they were decided, at the very head that they now follow.
        """
        lines = [write_event(event) for event in decided.events]
        appended = self._log.append(head.id, head.ply, lines, command=command_id, payload=payload, head=head.head_hash)
        if appended.is_duplicate:
            return self._load_result(head.id, RememberedCommand(appended.first, appended.last, payload))
        return CommandResult(self._keep(decided.match, head), tuple(decided.events), is_repeat=False)

    def previous_result(
        self, match: str, commands: Mapping[K, Command], by: IdempotencyKey
    ) -> tuple[K, CommandResult] | None:
        """Which of these commands was carried out under this id, and what it did; None if none of them was.

        For who may not give the command any more and repeats it. Raises MatchNotFound, LogUnavailable.
        """
        _, remembered = self._load_with_command(match, by.digest().hex())
        for name, command in commands.items() if remembered else ():
            if remembered and remembered.payload == payload_digest([match, command]):
                return name, self._load_result(match, remembered)
        return None

    def _repeated_result(self, match: str, remembered: RememberedCommand, payload: str) -> CommandResult:
        """What a command did that was carried out before. Raises CommandReused if it asked for something else."""
        if remembered.payload != payload:
            raise CommandReused(match)
        return self._load_result(match, remembered)

    def _resolve_takeback(self, head: AnyMatch, command: Propose) -> Propose:
        """A takeback that names its ply, and says whether it is free. Raises MatchRefused."""
        to_ply = command.to_ply
        if to_ply == TO_LAST_MOVE:
            last = self.last_move_ply(head, command.seat)
            if last is None:
                raise MatchRefused("no_such_move", "This seat has made no move that could be taken back.")
            to_ply = last - 1
        free = to_ply is not None and self.can_take_back_freely(head, command.seat, to_ply)
        return replace(command, to_ply=to_ply, free=free)

    def expire_overdue(self, head: AnyMatch) -> bool:
        """Append what follows from a deadline that has passed, before anything else; False when none has.

        Raises what `submit` raises.
        """
        seat = overdue_seat(head, self._clock.now())
        if seat is None:
            return False
        try:
            self.submit(head.id, Expire(seat), IdempotencyKey(CLOCK_AUTHOR, f"expire-{head.ply}"), expected=head.ply)
        except (StalePly, CommandReused):
            return True  # somebody else has done it
        return True

    def close_if_abandoned(self, head: AnyMatch) -> None:
        """Call off a match to which nobody has come for too long. Raises what `submit` raises."""
        until = lobby_closing_time(head)
        if until is None or self._clock.now() < until:
            return
        with suppress(StalePly, CommandReused):
            self.submit(head.id, CloseLobby(), IdempotencyKey(CLOCK_AUTHOR, f"close-{head.ply}"), expected=head.ply)

    def _require_role(self, head: AnyMatch, command: Command, author: str) -> None:
        """Refuse what only an arbiter or the auditor may do, and any change of an archived match.

        Raises NotSeated, NotArbiter, MatchRefused.
        """
        if head.status == "over" and self._is_archived(head.id):
            raise MatchRefused("archived", "This match was taken up from a file: it can be looked at and forked.")
        match command:
            case Expire() | CloseLobby() if author != CLOCK_AUTHOR:
                raise NotSeated("deadlines act by themselves")
            case RecordVerdict() if author != AUDITOR_AUTHOR:
                raise NotArbiter("verdicts come from audits alone")
            case ResolveDispute() if author != command.arbiter or not self._is_arbiter(author):
                raise NotArbiter("only an arbiter may resolve a dispute")
            case RaiseDispute(seat=None) if author != command.arbiter or not self._is_arbiter(author):
                raise NotSeated("only who sits at a match, and arbiters, may dispute it")

    def _decide(self, head: AnyMatch, command: Command, luck: Seed) -> Decided:
        if isinstance(command, Propose) and command.what == "takeback":
            command = self._resolve_takeback(head, command)
        try:
            return decide(head, command, self._clock.now(), luck, self._past_states(head.id))
        except Refused as refusal:
            if isinstance(command, Play) and refusal.code != "bad_move" and command.seat not in head.to_move:
                raise NotYourTurn(refusal) from None
            raise

    def _seed(self, match: AnyMatch) -> Seed:
        luck = self._seeds.get((match.id, match.commitment))
        if luck is None:
            luck = self._seeds[match.id, match.commitment] = Seed(self._log.seed(match.id), given=match.has_given_seed)
        return luck

    def _load_result(self, match: str, remembered: RememberedCommand) -> CommandResult:
        head = self.load(match)
        events = tuple(self._read_events(match, remembered.first, remembered.last, head.rules))
        return CommandResult(head, events, is_repeat=True)

    # -- asking -------------------------------------------------------------------------------------------------

    def dry_run(self, match: AnyMatch, seat: Seat, document: Any) -> Foreseen:
        """What a move would surely do. Draws nothing of the match and reads nothing that the seat may not know.

        Raises what the move itself would raise.
        """
        move = match.rules.read_move(document)
        luck = Seed(secrets.token_bytes(SEED_BYTES))  # legality must not depend on luck, and no true draw is looked at
        self._decide(match, Play(seat, document), luck)
        return predict_move(match, seat, move, self.known_facts(match, seat))

    def known_facts(self, match: AnyMatch, seat: Seat | None) -> list[Any]:
        """The facts of a match that count, as the seat sees them: what was taken back is no part of the game."""
        return [fact for event in without_retracted(self.visible_events(match, seat)) for fact in event.facts]

    def last_move_ply(self, match: AnyMatch, seat: Seat) -> int | None:
        """The ply of the seat's last move that stands, None if it has made none. Raises MatchNotFound."""
        moves = (
            e
            for e in without_retracted(self._read_events(match.id, last=match.ply, game=match.rules))
            if isinstance(e, Moved)
        )
        return max((event.ply for event in moves if event.seat == seat), default=None)

    def can_take_back_freely(self, match: AnyMatch, seat: Seat, to_ply: int) -> bool:
        """Whether a seat may go back to behind a ply without asking anybody: nobody has learned anything since."""
        if match.status != "playing" or not 1 <= to_ply < match.ply:
            return False
        moved = only_move_by(self._read_events(match.id, to_ply + 1, match.ply, match.rules), seat)
        if moved is None:
            return False
        then = self.at_ply(match.id, to_ply)
        return reveals_nothing(then, moved, self.known_facts(then, seat))


def require_seat_holder(match: AnyMatch, command: Command, author: str) -> None:
    """Refuse a command for a seat that its author does not hold. A bot's author is `bot:<match>:<seat>`."""
    if not isinstance(command, SEAT_COMMANDS) or command.seat is None:
        return
    if not 0 <= command.seat < len(match.seats):
        raise NotSeated("this match has no such seat")
    holder = match.seats[command.seat]
    by_bot = holder.kind == "bot" or (isinstance(command, Play) and holder.standin is not None)
    mine = author == bot_author(match.id, command.seat) if by_bot else holder.player == author
    if mine:
        return
    if by_bot and holder.player == author:
        raise MatchRefused("time_was_up", "Your time was up: a bot makes this move, and you go on behind it.")
    raise NotSeated("somebody else sits there")


def require_forkable(head: AnyMatch, creator: str) -> None:
    """Refuse to fork a match that is not public yet. Raises MatchRefused."""
    if head.status == "over" and head.draw_count:
        return
    others = any(seat.player not in (None, creator) for seat in head.seats)
    if head.status == "playing" and head.has_given_seed and not others:
        return
    raise MatchRefused("not_over", "A match can be forked when it is over, your own practice also before.")


def bot_author(match: str, seat: Seat) -> str:
    """The name under which the bot at this seat acts."""
    return f"bot:{match}:{seat}"


def is_newest_event(line: bytes, match: AnyMatch) -> bool:
    """Whether this line of the log is the event that the match was folded up to."""
    return b'"hash":"%s"' % match.head_hash.encode() in line


def pinned_game(lines: Sequence[bytes]) -> AnyGame:
    """The game that a log's first line pins."""
    header = read_header(lines[0])
    return find_game(header.game, header.rules_version)


def payload_digest(value: Any) -> str:
    """What tells two commands under one id apart."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def snapshot_version(game: AnyGame) -> str:
    """Under what name a snapshot is good: game, rules version, format, components."""
    return f"{game.slug}/{game.rules_version}/{SNAPSHOT_FORMAT}/{game.components_digest[:16]}"

"""Creates new matches and forks of existing ones."""

import hmac
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, UnsetType

from domain.kernel.chance import SEED_BYTES, Luck
from domain.kernel.event_codec import write_event
from domain.kernel.events import LuckLevel, TimeControl, without_retracted
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game
from domain.match.commands import (
    Create,
    ForkSource,
    SeatSpec,
)
from domain.match.guards import require_unretracted_ply
from domain.match.history import fold
from domain.match.lobby import create
from domain.match.luck import fork_from, new_secrets, stored_secrets, with_new_salts
from replays.file import MAX_LINE
from service.event_store.errors import CommandReused, VersionConflict
from service.event_store.keys import match_id_for, new_match_id
from service.event_store.log import MatchLog, RememberedCommand
from service.matches.permissions import require_forkable
from service.matches.repository import MatchRepository
from service.matches.results import CommandResult, IdempotencyKey, payload_digest
from service.runtime.clock import Clock


class MatchCreator:
    """Creates matches.

    `count_new` counts a player's new match and raises LimitExceeded. `require_rated_allowed` raises MatchRefused for a
    player who may not play rated matches now, `require_may_join` for one who may not start matches, and
    `require_below_limit` for one who may have no more matches with other people now.
    """

    def __init__(
        self,
        log: MatchLog,
        repository: MatchRepository,
        clock: Clock,
        secret: bytes,
        count_new: Callable[[str], None] = lambda player: None,
        require_rated_allowed: Callable[[str], None] = lambda player: None,
        require_may_join: Callable[[str], None] = lambda player: None,
        require_below_limit: Callable[[str], None] = lambda player: None,
    ) -> None:
        self._log = log
        self._repository = repository
        self._clock = clock
        self._secret = secret
        self._count_new_match = count_new
        self._require_rated_allowed = require_rated_allowed
        self._require_may_join = require_may_join
        self._require_below_limit = require_below_limit

    def derive_match_id(self, by: IdempotencyKey) -> str:
        """Return the id of the match that this command creates, which is the same in every process.

        The id is derived from a secret because anyone who has the id of an unlisted match can watch it. Author and key
        could be guessed.
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
        level: LuckLevel | UnsetType = UNSET,
        key: str | None = None,
        by: IdempotencyKey | None = None,
    ) -> CommandResult:
        """Create a match under the creator's idempotency key `key`, or under `by`, which several players may share.

        With a `level` of luck, people sit down later, with their shares (see `Create`).

        Raises UnknownGame, BadOptions, MatchRefused, CommandReused, LimitExceeded, LogUnavailable.
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
            level=level,
        )
        payload = payload_digest([command, seed.hex() if seed else None])
        if key is not None and self._log.lines(match, 1, 1):
            return self._earlier_result(match, command_id, payload)
        self._require_may_join(creator)
        if any(wish.kind != "bot" and wish.player != creator for wish in seats):
            self._require_below_limit(creator)
        if rated:
            self._require_rated_allowed(creator)
        self._count_new_match(creator)
        return self._append_new(command, self._choose_secrets(command, seed), command_id, payload)

    def fork(
        self,
        parent: str,
        ply: int,
        creator: str,
        seats: Sequence[SeatSpec],
        same_luck: bool,
        level: LuckLevel | UnsetType = UNSET,
        key: str | None = None,
    ) -> CommandResult:
        """Create a match that continues another one from a ply.

        The original must be over, or be the creator's own practice match.

        With the same luck, its draws are those that the original would have had; with new luck it has its own, and
        with a `level` people sit down later, with their shares.

        Raises MatchNotFound, MatchRefused, BadOptions, CommandReused, LogUnavailable.
        """
        head = self._repository.load(parent)
        require_forkable(head, creator, same_luck)
        require_unretracted_ply(head, ply)
        events = list(self._repository.read_events(parent, last=ply, game=head.rules))
        then = fold(events)
        if then.status != "playing" or head.rules.outcome(then.state) is not None or not head.rules.to_move(then.state):
            raise MatchRefused("no_position", f"The game wasn't in progress at move {ply}. Choose another move.")
        if len(seats) != len(head.seats):
            raise MatchRefused("bad_seats", f"The fork must have {len(head.seats)} seats, like the match.")
        plan = ForkSource(
            fork=fork_from(then, "same" if same_luck else "new"),
            rules_version=head.rules_version,
            facts=tuple(fact for event in without_retracted(events) for fact in event.facts),
        )
        return self.create(
            creator, head.game, seats, head.options, fork=plan, private=head.private, level=level, key=key
        )

    def _choose_secrets(self, command: Create, seed: bytes | None) -> Luck:
        """Return the secrets of a new match: with the given seed, the forked match's seed, or a new one."""
        plan, salts = command.fork, secrets.token_bytes(SEED_BYTES)
        game = find_game(command.game, plan.rules_version if plan else None)
        if seed is not None:
            return new_secrets(game, command.match, seed, salts, given=True)
        if plan is not None and plan.fork.luck == "same":
            parent = self._repository.load(plan.fork.match)
            return with_new_salts(parent, self._repository.secrets(parent), salts)
        return new_secrets(game, command.match, secrets.token_bytes(SEED_BYTES), salts)

    def _earlier_result(self, match: str, command_id: IdempotencyKey, payload: str) -> CommandResult:
        """Return the result of an earlier creation with the same id. Raises CommandReused.

        A repeated creation is not decided again, because what a creation may contain can change with a release.
        """
        _, remembered = self._repository.load_with_command(match, command_id.digest().hex())
        if remembered is None or remembered.payload != payload:
            raise CommandReused(match)
        return self._repository.load_result(match, remembered)

    def _append_new(self, command: Create, luck: Luck, command_id: IdempotencyKey, payload: str) -> CommandResult:
        match = command.match
        events, made = create(command, self._clock.now(), luck)
        if any(len(write_event(event)) > MAX_LINE for event in events):
            raise MatchRefused("too_long", "The match is too long to continue from this move. Choose an earlier move.")
        try:
            appended = self._log.append(
                match,
                0,
                [write_event(event) for event in events],
                command=command_id.digest().hex(),
                payload=payload,
                seed=stored_secrets(luck),
            )
        except VersionConflict:
            # The id of a match is derived from its command id, so this is the same key with another body.
            raise CommandReused(match) from None
        if appended.is_duplicate:
            return self._repository.load_result(match, RememberedCommand(appended.first, appended.last, payload))
        return CommandResult(self._repository.cache(made, None), tuple(events), is_repeat=False)

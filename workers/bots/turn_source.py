"""The source of a worker's bot turns: the local log or the service's API.

A remote worker receives only what its seat may know: view, facts and seed. That is enough to compute the legal moves,
which are the same in every world that the seat can't distinguish from the real one.
"""

import json
import logging
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from http.client import HTTPException
from typing import Any, Protocol

import msgspec

from domain.bots.levels import LEVELS, BotChoice, BotInput
from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame, Seat
from domain.kernel.refusals import Refused
from domain.kernel.registry import find_game
from domain.match.bots import bot_version
from service.bots.house_bots import BotTurn, DecisionNote, HouseBots
from service.event_store.errors import REDIS_ERRORS, CommandReused
from service.matches.errors import NotYourTurn, StalePly
from service.runtime.job_failures import JobFailures

logger = logging.getLogger("workers")

TIMEOUT_SECONDS = 10
JOB_NAME = "play_bot"
"""The job name under which failed turns are counted."""
FALLBACK_ENGINE = "any move, since the level failed"
"""The engine recorded for a move that replaces a failed level's choice."""


class ApiUnavailable(Exception):
    """The service's API failed or is unreachable. The turn stays due and is retried."""


class TokenRefused(Exception):
    """The service doesn't accept this worker's token, or no longer does."""


@dataclass(frozen=True)
class BotTask:
    """A turn owed by a bot. `failures` is the number of failed attempts so far."""

    match: str
    ply: int
    seat: Seat
    level: str
    failures: int
    game: AnyGame
    build_input: Callable[[], BotInput]
    """Returns the bot's input. Each input can be used for only one choice."""
    bot: str | None = None
    """The recorded version of the bot's strategy. None: the match has luck protocol 1."""
    turn: BotTurn | None = None
    """The turn itself. None: the task comes from the API."""

    @property
    def is_outdated(self) -> bool:
        """Whether this worker's version of the bot's strategy is different from the recorded one."""
        return self.bot is not None and self.bot != bot_version(self.game, self.level)

    def is_fallback(self, choice: BotChoice) -> bool:
        """Return whether the log has to say that the recorded strategy did not choose this move."""
        return choice.is_fallback or self.is_outdated

    def note_for(self, choice: BotChoice) -> DecisionNote:
        """Return the note to record for a choice."""
        if choice.is_fallback:
            return DecisionNote(engine=FALLBACK_ENGINE, version=1)
        level = LEVELS[self.level]
        return DecisionNote(
            engine=level.engine,
            version=level.version,
            budget=choice.search.budget if choice.search else None,
            iterations=choice.search.iterations if choice.search else None,
        )


class TurnSource(Protocol):
    """A source of bot turns."""

    def owed_turn(self, match: str, ply: int) -> BotTask | None:
        """Return the turn that a bot owes after this ply. None: the match has advanced."""

    def play(self, task: BotTask, choice: BotChoice) -> None:
        """Play the move, unless the turn has already been played. Raises Refused if it is illegal."""

    def report_failure(self, match: str, ply: int) -> None:
        """Count a failed turn. Never raises, since the caller is already handling an error."""


class LogTurnSource:
    """Bot turns from the local log."""

    def __init__(self, house: HouseBots, failures: JobFailures) -> None:
        self._house = house
        self._failures = failures

    def owed_turn(self, match: str, ply: int) -> BotTask | None:
        """See `TurnSource`. Raises MatchNotFound, LogUnavailable."""
        turn = self._house.owed_turn(match, ply)
        if turn is None:
            return None
        game, state, seat = turn.match.rules, turn.match.state, turn.seat

        def look() -> BotInput:
            return BotInput(
                game=game,
                view=game.view(state, seat),
                seat=seat,
                legal=game.legal_moves(state, seat),
                facts=lambda: self._house.known_facts(turn),
                seed=turn.seed,
            )

        return BotTask(match, ply, seat, turn.level, turn.failures, game, look, turn.bot, turn)

    def play(self, task: BotTask, choice: BotChoice) -> None:
        """See `TurnSource`. Raises LogUnavailable."""
        assert task.turn is not None
        move = msgspec.to_builtins(choice.move)
        self._house.log_decision(task.turn, move, task.note_for(choice))
        with suppress(StalePly, NotYourTurn, CommandReused):
            self._house.submit(task.match, task.ply, task.seat, move, is_fallback=task.is_fallback(choice))

    def report_failure(self, match: str, ply: int) -> None:
        """See `TurnSource`."""
        with suppress(ValueError, *REDIS_ERRORS):
            self._failures.record_turn_failure(JOB_NAME, match, ply)


class RemoteTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn as the API describes it (`service.bots.house_bots.TurnDocument`)."""

    match: str
    ply: int
    game: str
    rules_version: int
    seat: Seat
    level: str
    seed: str
    failures: int
    bot: str | None = None
    view: msgspec.Raw
    facts: msgspec.Raw


def read_bot_input(turn: RemoteTurn, game: AnyGame) -> BotInput:
    """Return the bot's input for a turn from the API."""
    view, facts, seat = game.read_view(bytes(turn.view)), game.read_facts(turn.facts), turn.seat

    def legal() -> Iterator[Any]:
        yield from game.legal_moves(game.determinize(view, facts, seat, Fast(turn.seed)), seat)

    return BotInput(game=game, view=view, seat=seat, legal=legal(), facts=lambda: facts, seed=turn.seed)


class ApiTurnSource:
    """Bot turns from the service's API, for a worker without a log."""

    def __init__(self, url: str, token: str) -> None:
        self._base_url = url.rstrip("/") + "/api/v1/house"
        self._token = token

    def check_connection(self) -> None:
        """Check that the service is reachable and accepts the token. Raises ApiUnavailable, TokenRefused."""
        try:
            self._request("")
        except _ProblemResponse as refusal:
            raise ApiUnavailable(
                f"CRUMBTRAIL_API_URL is not the URL of a Crumbtrail server ({refusal.status})."
            ) from None

    def owed_turn(self, match: str, ply: int) -> BotTask | None:
        """See `TurnSource`. Raises ApiUnavailable, TokenRefused, UnknownGame for rules that are not installed here."""
        raw = self._request(f"/turns/{match}/{ply}")
        if not raw:
            return None
        turn = msgspec.json.decode(raw, type=RemoteTurn)
        game = find_game(turn.game, turn.rules_version)
        build_input = partial(read_bot_input, turn, game)
        return BotTask(match, ply, turn.seat, turn.level, turn.failures, game, build_input, turn.bot)

    def play(self, task: BotTask, choice: BotChoice) -> None:
        """See `TurnSource`. Raises ApiUnavailable, TokenRefused."""
        thinking = msgspec.to_builtins(task.note_for(choice))
        body = {"seat": task.seat, "move": msgspec.to_builtins(choice.move), **thinking}
        body |= {"fallback": True} if task.is_fallback(choice) else {}
        try:
            self._request(f"/turns/{task.match}/{task.ply}", body, key=f"turn-{task.ply}-{task.seat}")
        except _ProblemResponse as refusal:
            if refusal.status != 422 or refusal.code == "idempotency_key_reused":
                return  # the turn has already been played
            raise Refused(refusal.code, refusal.rule, refusal.detail) from None

    def report_failure(self, match: str, ply: int) -> None:
        """See `TurnSource`."""
        with suppress(ApiUnavailable, TokenRefused, _ProblemResponse):
            self._request(f"/turns/{match}/{ply}/failures", {})

    def _request(self, path: str, body: Any = None, key: str | None = None) -> bytes:
        """Return the body of the response. Raises _ProblemResponse, ApiUnavailable, TokenRefused."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept": "application/json"}
        headers |= {"Idempotency-Key": key} if key else {}
        headers |= {"Content-Type": "application/json"} if body is not None else {}
        raw = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base_url + path, raw, headers)  # noqa: S310 -- the operator's own address
        try:
            with _opener.open(request, timeout=TIMEOUT_SECONDS) as response:
                document: bytes = response.read()
                return document
        except urllib.error.HTTPError as error:
            raise _error_for(error) from None
        except (OSError, HTTPException) as error:
            raise ApiUnavailable(f"The service's API cannot be reached ({type(error).__name__}).") from None


class _ProblemResponse(Exception):
    """A response with a problem document."""

    def __init__(self, status: int, code: str, rule: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.code, self.rule, self.detail = status, code, rule, detail


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Blocks redirects, which would send the token to another address."""

    def redirect_request(self, *arguments: Any) -> None:
        """Follow no redirect."""


_opener = urllib.request.build_opener(_NoRedirect)


def _error_for(error: urllib.error.HTTPError) -> Exception:
    """Return the exception for an error response."""
    if error.code in (401, 403):
        return TokenRefused(f"The service refuses this worker's token ({error.code}).")
    try:
        problem = json.load(error)
        code, rule, detail = str(problem["code"]), str(problem.get("rule", "")), str(problem["detail"])
    except (ValueError, KeyError, TypeError, AttributeError, OSError):
        return ApiUnavailable(f"The service's API gave an unexpected response ({error.code}).")
    # a rate limit does not concern the turn itself: it stays due and is retried
    if error.code >= 500 or error.code < 400 or error.code == HTTPStatus.TOO_MANY_REQUESTS:
        return ApiUnavailable(f"The service's API is unavailable ({error.code} {code}).")
    return _ProblemResponse(error.code, code, rule, detail)

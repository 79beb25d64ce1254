"""Moves and commands: what a seat may do, and doing it."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Annotated, Any, TypeVar

from flask import Response
from marshmallow import INCLUDE, ValidationError, fields, validate, validates_schema
from msgspec import Meta, Struct

from domain.kernel.events import AnyEvent
from domain.kernel.game import MoveGrammar, Seat
from domain.kernel.refusals import IllegalMove
from domain.match.commands import (
    AnswerProposal,
    Cancel,
    Command,
    HandOver,
    LeaveSeat,
    OfferSeat,
    Play,
    Propose,
    Resume,
    TakeVacation,
    WithdrawOffer,
)
from domain.match.state import AnyMatch
from service.accounts.players import Token
from service.api.authentication import current_token, require_full_access, require_player
from service.api.blueprint import PREFIX, TOKEN_REQUIRED, ApiBlueprint
from service.api.components import AnyFact, AnyMove
from service.api.fields import IfMatchHeader, QueryFlag, QueryInteger
from service.api.matches import MATCH_LINKS, IdempotencyHeaders, result_headers
from service.api.problems import Problem, problem_from_error
from service.api.responses import etag_header, json_response, match_document_for
from service.api.schemas import InputSchema, VariantField
from service.api.seats import acting_seat, seat_or_spectator
from service.app_context import services
from service.bots.levels import LEVELS
from service.event_store.errors import CommandReused
from service.matches.command_handler import TO_LAST_MOVE, CommandResult, IdempotencyKey, NotYourTurn, StalePly
from service.matches.match_document import MatchDocument
from service.runtime.metrics import MOVE_COUNTER

blp = ApiBlueprint("moves", "Legal moves, moves, and commands about a match.")

K = TypeVar("K")

MAX_LISTED_MOVES = 10_000
DEFAULT_LISTED_MOVES, DEFAULT_LISTED_WITH_GRAMMAR = 1000, 200
"""How many moves are listed unless one asks for another number; the fewer where the game says how moves are built."""
MAX_MISSED_EVENTS = 100
"""How many missed events a refusal lists."""
COMMANDS = (
    "leave", "cancel", "takeback", "pause", "resume", "extend", "agree", "decline", "vacation",
    "hand_over", "keep_seat",
)  # fmt: skip


class LegalMovesQuery(InputSchema):
    """Which legal moves."""

    as_ = QueryInteger(data_key="as", metadata={"description": "For this seat, if you hold several."})
    limit = QueryInteger(
        least=1,
        most=MAX_LISTED_MOVES,
        metadata={
            "description": f"At most so many; {DEFAULT_LISTED_MOVES} if not given, "
            f"{DEFAULT_LISTED_WITH_GRAMMAR} where there is a `grammar`."
        },
    )


class LegalMoves(Struct, frozen=True, kw_only=True):
    """The legal moves of a seat, without `resign`; `more` says that the limit cut them off.

    In games with very many moves `grammar` says how each type of move is built at this ply.
    """

    ply: int
    seat: Seat
    moves: list[AnyMove]
    more: bool
    grammar: Annotated[tuple[MoveGrammar, ...], Meta(description="Empty in games whose moves are few enough to list.")]


class MoveIn(InputSchema):
    """A move of the match's game."""

    class Meta:
        """The rest is checked by the game."""

        unknown = INCLUDE

    type = fields.String(required=True)


class CommandIn(InputSchema):
    """A command.

    Before the start: `leave_seat` your seat or, if you created the match, `cancel` it. While it is played: ask for a
    `takeback`, a `pause` or more time (`extend`), which all others answer with `agree` or `decline`; `resume` ends a
    pause without asking. Who asked withdraws by `decline`. `vacation` takes days off, where the clock gives them.
    `hand_over` gives your seat to a bot of `level`, or without a level offers it to whoever brings the invitation (the
    match has it under `offers`; POST it to the seat); `keep_seat` withdraws that. With `of` it asks all others to do so
    with the seat of somebody whose time was up.
    """

    type = fields.String(required=True, validate=validate.OneOf(COMMANDS, error="There are the commands {choices}."))
    to_ply = fields.Integer(
        strict=True,
        metadata={"description": "Of a takeback: the ply just before the move to take back; your last if left out."},
    )
    seconds = fields.Integer(strict=True, metadata={"description": "Of `extend`: 1 hour to 14 days."})
    proposal = fields.Integer(strict=True, metadata={"description": "Of `agree` and `decline`: its number."})
    level = fields.String(validate=validate.OneOf(LEVELS), metadata={"description": "Of `hand_over`: to such a bot."})
    of = fields.Integer(strict=True, metadata={"description": "Of `hand_over`: the seat of who has vanished."})
    offer = fields.Integer(strict=True, metadata={"description": "Of `keep_seat`: its number."})
    days = fields.Integer(strict=True, metadata={"description": "Of `vacation`: whole days of 24 hours."})

    variant_fields = (
        VariantField("to_ply", ("takeback",)),
        VariantField("seconds", ("extend",), required=True),
        VariantField("proposal", ("agree", "decline"), required=True),
        VariantField("days", ("vacation",), required=True),
        VariantField("level", ("hand_over",)),
        VariantField("of", ("hand_over",)),
        VariantField("offer", ("keep_seat",), required=True),
    )

    @validates_schema
    def check_fields_fit_type(self, body: dict[str, Any], **_: Any) -> None:
        """Each command has its own fields."""
        for field in self.variant_fields:
            if field.name in body and body["type"] not in field.kinds:
                raise ValidationError(f"Only {' and '.join(field.kinds)} has this.", field.name)
            if field.required and body["type"] in field.kinds and field.name not in body:
                raise ValidationError(f"The command {body['type']} needs this.", field.name)


class SeatQuery(InputSchema):
    """For which seat."""

    as_ = QueryInteger(data_key="as", metadata={"description": "For this seat, if you hold several."})


class MoveQuery(SeatQuery):
    """For which seat, and whether in earnest."""

    dry_run = QueryFlag(
        load_default=False, metadata={"description": "1: only say whether it is legal and what it does."}
    )


class CommandHeaders(IdempotencyHeaders):
    """The headers of what changes a match."""

    expected = IfMatchHeader(
        data_key="If-Match",
        metadata={"description": 'The ply that you act upon, in quotes ("12"); at any other: 409.'},
    )


class DryRun(Struct, frozen=True, kw_only=True):
    """A legal move, and the facts it would surely have, as far as its seat can know; `complete`: these are all."""

    legal: bool
    facts: Sequence[AnyFact]
    complete: bool


class Done(Struct, frozen=True, kw_only=True):
    """A command that was carried out: its own event, all events of that append, the match as it is now."""

    event: AnyEvent
    events: list[AnyEvent]
    match: MatchDocument


@blp.route("/matches/<match>/legal-moves")
@blp.arguments(LegalMovesQuery, location="query")
@blp.response(200, LegalMoves)
@blp.doc(operationId="listLegalMoves", security=TOKEN_REQUIRED)
def legal_moves(query: dict[str, Any], match: str) -> Response:
    """The legal moves of your seat, in a fixed order; none while it is not your turn."""
    player = require_player()
    now = services().matches.load(match)
    seat = acting_seat(now, player, query.get("as_"))
    game, due = now.rules, seat in now.to_move
    limit = query.get("limit", DEFAULT_LISTED_WITH_GRAMMAR if game.grammar else DEFAULT_LISTED_MOVES)
    moves = list(islice(game.legal_moves(now.state, seat), limit + 1)) if due else []
    grammar = game.grammar(game.view(now.state, seat), seat) if game.grammar and due else ()
    listed = LegalMoves(ply=now.ply, seat=seat, moves=moves[:limit], more=len(moves) > limit, grammar=grammar)
    return json_response(listed, headers=etag_header(now.ply))


@blp.route("/matches/<match>/moves", methods=["POST"])
@blp.arguments(MoveIn)
@blp.arguments(MoveQuery, location="query")
@blp.arguments(CommandHeaders, location="headers")
@blp.response(201, Done)
@blp.alt_response(200, schema=DryRun, description="With `dry_run=1`: the move is legal.", success=True)
@blp.doc(operationId="makeMove", security=TOKEN_REQUIRED, responses={201: {"links": MATCH_LINKS}})
def move(body: dict[str, Any], query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Make a move. With `dry_run=1` nothing happens and nothing is drawn."""
    player = require_player()
    if query["dry_run"]:
        return dry_run_response(match, player, query.get("as_"), body, headers.get("expected"))
    done, seat = make_move(match, player, query.get("as_"), body, headers)
    return command_response(done, seat, player)


def make_move(
    match: str, player: str, wanted: Seat | None, body: dict[str, Any], headers: dict[str, Any]
) -> tuple[CommandResult, Seat]:
    """Make a move, for the seat that is wanted or the only own one; gives the seat as well. Raises Problem."""
    now = match_for_seat_lookup(match, player)
    commands = {seat: Play(seat, body) for seat in possible_seats(now, wanted)}
    try:
        seat = acting_seat(now, player, wanted)
    except Problem as refusal:
        return previous_result_or_raise(refusal, match, player, commands, headers)
    try:
        found = run_command(match, player, seat, commands, headers)
    except Exception as error:
        problem = problem_from_error(error)
        MOVE_COUNTER.labels(now.game, problem.code).inc()
        raise problem from None
    MOVE_COUNTER.labels(now.game, "accepted").inc()
    return found


FULL_ACCESS_COMMANDS = {
    "vacation": "take vacation",
    "hand_over": "hand a seat over",
    "keep_seat": "withdraw the offer of a seat",
}
"""Commands that a token of scope `bot` may not give: what they do lasts for the match. Asking the others for a seat is
a question like any other."""


@blp.route("/matches/<match>/commands", methods=["POST"])
@blp.arguments(CommandIn)
@blp.arguments(SeatQuery, location="query")
@blp.arguments(CommandHeaders, location="headers")
@blp.response(201, Done)
@blp.doc(operationId="sendCommand", security=TOKEN_REQUIRED, responses={201: {"links": MATCH_LINKS}})
def command(body: dict[str, Any], query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Everything that is not a move: leave, cancel, ask and answer, take days off, hand a seat over."""
    player = require_player()
    if (what := FULL_ACCESS_COMMANDS.get(body["type"])) and "of" not in body:
        require_full_access(what)
    if body["type"] == "cancel":
        return command_response(submit_command(match, Cancel(player), player, None, headers), None, player)
    if body["type"] == "leave":
        return leave_seat(match, player, query.get("as_"), headers)
    done, seat = run_for_own_seat(match, player, query.get("as_"), lambda seat: command_from_body(seat, body), headers)
    return command_response(done, seat, player)


def command_from_body(seat: Seat, body: dict[str, Any]) -> Command:
    """What a command while the match is played asks for."""
    match body["type"]:
        case "takeback":
            return Propose(seat=seat, what="takeback", to_ply=body.get("to_ply", TO_LAST_MOVE))
        case "pause":
            return Propose(seat=seat, what="pause")
        case "extend":
            return Propose(seat=seat, what="extend", seconds=body["seconds"])
        case "resume":
            return Resume(seat)
        case "vacation":
            return TakeVacation(seat, body["days"])
        case "hand_over" if "of" in body:
            return Propose(seat=seat, what="hand_over", of=body["of"], level=body.get("level"))
        case "hand_over":
            return HandOver(seat, body["level"]) if "level" in body else OfferSeat(seat)
        case "keep_seat":
            return WithdrawOffer(seat, body["offer"])
        case answer_type:
            return AnswerProposal(seat, body["proposal"], answer_type == "agree")


def run_for_own_seat(
    match: str, player: str, wanted: Seat | None, of_seat: Callable[[Seat], Command], headers: dict[str, Any]
) -> tuple[CommandResult, Seat]:
    """Carry out a command of the seat that is wanted or the only own one; gives the seat as well. Raises Problem."""
    now = services().matches.load(match)
    commands = {seat: of_seat(seat) for seat in possible_seats(now, wanted)}
    try:
        seat = acting_seat(now, player, wanted)
    except Problem as refusal:
        return previous_result_or_raise(refusal, match, player, commands, headers)
    return run_command(match, player, seat, commands, headers)


def possible_seats(now: AnyMatch, wanted: Seat | None) -> Iterable[Seat]:
    """For which seats a request may have been that names this one, or none: its author may have sat elsewhere then."""
    return range(len(now.seats)) if wanted is None else (wanted,)


def run_command(
    match: str, player: str, seat: Seat, commands: Mapping[Seat, Command], headers: dict[str, Any]
) -> tuple[CommandResult, Seat]:
    """Carry out the command of an own seat, unless the key was used for the same request of another seat."""
    try:
        return submit_command(match, commands[seat], player, seat, headers), seat
    except CommandReused as refusal:
        return previous_result_or_raise(refusal, match, player, commands, headers)


def previous_result_or_raise(
    refusal: Exception, match: str, player: str, commands: Mapping[K, Command], headers: dict[str, Any]
) -> tuple[CommandResult, K]:
    """What this very request has done under its key, and by which of the commands that it may have been.

    Whoever repeats a request has the answer of the first, whatever has become of the seat since; else the refusal.
    """
    key = headers.get("key")
    found = services().matches.previous_result(match, commands, IdempotencyKey(player, key)) if key else None
    if found is None:
        raise refusal
    which, done = found
    return done, which


def leave_seat(match: str, player: str, wanted: Seat | None, headers: dict[str, Any]) -> Response:
    """Get up from a seat. Who repeats it sits nowhere any more."""
    if wanted is not None:
        return command_response(submit_command(match, LeaveSeat(wanted), player, wanted, headers), wanted, player)
    return command_response(*run_for_own_seat(match, player, None, LeaveSeat, headers), player)


def match_for_seat_lookup(match: str, player: str) -> AnyMatch:
    """The match with its seats as they are, or as this process saw them last if the player sits there.

    Seats seldom change hands behind the start, and whoever acts for one is looked at again when the move is decided.
    """
    cached = services().matches.cached(match)
    fits = cached is not None and cached.status != "open" and cached.seats_of(player)
    return cached if cached is not None and fits else services().matches.load(match)


def submit_command(
    match: str, wanted: Command, player: str, seat: Seat | None, headers: dict[str, Any]
) -> CommandResult:
    """Carry a command out. Raises what `Matches.submit` raises, said with all that a client needs to go on."""
    expected, by = headers.get("expected"), IdempotencyKey(player, headers.get("key") or secrets.token_hex(16))
    with adding_refusal_details(match, player, seat, expected):
        return services().matches.submit(match, wanted, by, expected)
    raise AssertionError("unreachable")


@contextmanager
def adding_refusal_details(match: str, player: str, seat: Seat | None, expected: int | None) -> Iterator[None]:
    """Turns the refusals of a command into problems that say how to go on: the present ply, or the legal moves."""
    try:
        yield
    except StalePly:
        raise stale_ply_problem(services().matches.load(match), player, seat, expected) from None
    except NotYourTurn as error:
        now = services().matches.load(match)
        problem = problem_from_error(error)
        problem.extensions |= {"ply": now.ply, "events": missed_events(now, player, seat, expected)}
        raise problem from None
    except IllegalMove as error:
        problem = problem_from_error(error)
        problem.extensions |= {"legal_moves_url": f"{PREFIX}/matches/{match}/legal-moves?as={seat}"}
        raise problem from None


def stale_ply_problem(now: AnyMatch, player: str, seat: Seat | None, expected: int | None) -> Problem:
    """The refusal of a command that expected another ply: the present one, and the events missed."""
    detail = f"The match is at ply {now.ply}, you expected {expected}. Look at what you missed and decide anew."
    if expected is None:
        detail = "The match moves on faster than you; try again."
    return Problem(409, "stale_ply", detail, ply=now.ply, events=missed_events(now, player, seat, expected))


def missed_events(now: AnyMatch, player: str, seat: Seat | None, expected: int | None) -> list[AnyEvent]:
    """The first events behind the expected ply, as the player may see them."""
    if expected is None:
        return []
    return services().matches.visible_events(now, seat_or_spectator(now, player, seat), expected, MAX_MISSED_EVENTS)


def dry_run_response(
    match: str, player: str, wanted: Seat | None, document: dict[str, Any], expected: int | None
) -> Response:
    """Whether a move is legal, and what it would surely do, for who sits there in the very state that answers.

    Nothing is appended that would fail for who has got up meanwhile.
    """
    now = services().matches.load(match)
    seat = acting_seat(now, player, wanted)
    if expected is not None and expected != now.ply:
        raise stale_ply_problem(now, player, seat, expected)
    with adding_refusal_details(match, player, seat, expected):
        found = services().matches.dry_run(now, seat, document)
    return json_response(DryRun(legal=True, facts=found.facts, complete=found.complete))


def command_response(done: CommandResult, seat: Seat | None, player: str) -> Response:
    """The answer to a command that was carried out."""
    return json_response(command_document(done, seat, player, current_token()), 201, result_headers(done))


def command_document(done: CommandResult, seat: Seat | None, player: str, token: Token | None) -> Done:
    """What a command did, as its author may see it now."""
    seat = seat_or_spectator(done.match, player, seat)
    events = services().matches.filter_events(done.events, done.match, seat)
    return Done(event=events[0], events=events, match=match_document_for(done.match, seat, player, token))

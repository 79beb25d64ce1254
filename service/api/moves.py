"""Moves and commands: what a seat may do, and doing it."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from flask import Response
from marshmallow import INCLUDE, ValidationError, fields, validate, validates_schema

from domain.kernel.events import AnyEvent
from domain.kernel.game import IllegalMove, Seat
from domain.match.clock import TakeVacation
from domain.match.handover import HandOver, KeepSeat, OfferSeat
from domain.match.match import AnyMatch, Cancel, Command, LeaveSeat, Play
from domain.match.proposals import Answer, Propose, Resume
from service.accounts.players import Token
from service.api.fields import Digits, PlyTag, Switch
from service.api.matches import LINKS, Keyed, created_headers
from service.api.metrics import MOVES
from service.api.problems import Problem, from_error
from service.api.request_context import (
    PREFIX,
    SECURED,
    Resource,
    acting_seat,
    answer,
    asking_token,
    etag,
    held_seat,
    require_all,
    require_player,
    services,
    shown,
)
from service.api.schemas import Done as DoneSchema
from service.api.schemas import Fact, In, Move, Out, Own
from service.bots.levels import LEVELS
from service.event_store.log import CommandReused
from service.matches.command_handler import LAST_MOVE, CommandId, Done, NotYourTurn, StalePly

blp = Resource("moves", "Legal moves, moves, and commands about a match.")

K = TypeVar("K")

MOST_MOVES = 10_000
LISTED, LISTED_WITH_GRAMMAR = 1000, 200
"""How many moves are listed unless one asks for another number; the fewer where the game says how moves are built."""
MOST_EVENTS = 100
"""How many missed events a refusal lists."""
COMMANDS = (
    "leave", "cancel", "takeback", "pause", "resume", "extend", "agree", "decline", "vacation",
    "hand_over", "keep_seat",
)  # fmt: skip


class Legal(In):
    """Which legal moves."""

    as_ = Digits(data_key="as", metadata={"description": "For this seat, if you hold several."})
    limit = Digits(
        least=1,
        most=MOST_MOVES,
        metadata={
            "description": f"At most so many; {LISTED} if not given, {LISTED_WITH_GRAMMAR} where there is a `grammar`."
        },
    )


class BeyondOut(Out):
    """A rule for moves that match the schema: who breaks it is refused with this code."""

    code = fields.String()
    rule = fields.String()
    text = fields.String(metadata={"description": "For people."})


class GrammarOut(Out):
    """How the legal moves of one type are built at this ply: all match the schema, and break none of the rules."""

    type = fields.String()
    rule = fields.String()
    schema = fields.Dict(metadata={"description": "JSON Schema 2020-12 of a move, with what you may use just now."})
    beyond = fields.List(fields.Nested(BeyondOut))


class LegalMoves(Out):
    """The legal moves of a seat, without `resign`; `more` says that the limit cut them off.

    In games with very many moves `grammar` says how each type of move is built at this ply.
    """

    ply = fields.Integer()
    seat = fields.Integer()
    moves = fields.List(fields.Nested(Move))
    more = fields.Boolean()
    grammar = fields.List(
        fields.Nested(GrammarOut), metadata={"description": "Empty in games whose moves are few enough to list."}
    )


class MoveIn(In):
    """A move of the match's game."""

    class Meta:
        """The rest is checked by the game."""

        unknown = INCLUDE

    type = fields.String(required=True)


class CommandIn(In):
    """A command.

    Before the start: `leave` your seat or, if you created the match, `cancel` it. While it is played: ask for a
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

    own = (
        Own("to_ply", ("takeback",)),
        Own("seconds", ("extend",), needed=True),
        Own("proposal", ("agree", "decline"), needed=True),
        Own("days", ("vacation",), needed=True),
        Own("level", ("hand_over",)),
        Own("of", ("hand_over",)),
        Own("offer", ("keep_seat",), needed=True),
    )

    @validates_schema
    def fits_type(self, body: dict[str, Any], **_: Any) -> None:
        """Each command has its own fields."""
        for field in self.own:
            if field.name in body and body["type"] not in field.of:
                raise ValidationError(f"Only {' and '.join(field.of)} has this.", field.name)
            if field.needed and body["type"] in field.of and field.name not in body:
                raise ValidationError(f"The command {body['type']} needs this.", field.name)


class Act(In):
    """For which seat."""

    as_ = Digits(data_key="as", metadata={"description": "For this seat, if you hold several."})


class ActOrTry(Act):
    """For which seat, and whether in earnest."""

    dry_run = Switch(load_default=False, metadata={"description": "1: only say whether it is legal and what it does."})


class Headers(Keyed):
    """The headers of what changes a match."""

    expected = PlyTag(
        data_key="If-Match",
        metadata={"description": 'The ply that you act upon, in quotes ("12"); at any other: 409.'},
    )


class DryRun(Out):
    """A legal move, and the facts it would surely have, as far as its seat can know; `complete`: these are all."""

    legal = fields.Boolean()
    facts = fields.List(fields.Nested(Fact))
    complete = fields.Boolean()


@blp.route("/matches/<match>/legal-moves")
@blp.arguments(Legal, location="query")
@blp.response(200, LegalMoves)
@blp.doc(operationId="listLegalMoves", security=SECURED)
def legal_moves(query: dict[str, Any], match: str) -> Response:
    """The legal moves of your seat, in a fixed order; none while it is not your turn."""
    player = require_player()
    now = services().matches.load(match)
    seat = acting_seat(now, player, query.get("as_"))
    game, due = now.rules, seat in now.to_move
    limit = query.get("limit", LISTED_WITH_GRAMMAR if game.grammar else LISTED)
    moves = list(islice(game.legal_moves(now.state, seat), limit + 1)) if due else []
    grammar = game.grammar(game.view(now.state, seat), seat) if game.grammar and due else ()
    document = {"ply": now.ply, "seat": seat, "moves": moves[:limit], "more": len(moves) > limit, "grammar": grammar}
    return answer(document, headers=etag(now.ply))


@blp.route("/matches/<match>/moves", methods=["POST"])
@blp.arguments(MoveIn)
@blp.arguments(ActOrTry, location="query")
@blp.arguments(Headers, location="headers")
@blp.response(201, DoneSchema)
@blp.alt_response(200, schema=DryRun, description="With `dry_run=1`: the move is legal.", success=True)
@blp.doc(operationId="makeMove", security=SECURED, responses={201: {"links": LINKS}})
def move(body: dict[str, Any], query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Make a move. With `dry_run=1` nothing happens and nothing is drawn."""
    player = require_player()
    if query["dry_run"]:
        return try_move(match, player, query.get("as_"), body, headers.get("expected"))
    done, seat = made(match, player, query.get("as_"), body, headers)
    return done_answer(done, seat, player)


def made(
    match: str, player: str, wanted: Seat | None, body: dict[str, Any], headers: dict[str, Any]
) -> tuple[Done, Seat]:
    """Make a move, for the seat that is wanted or the only own one; gives the seat as well. Raises Problem."""
    now = known_seats(match, player)
    commands = {seat: Play(seat, body) for seat in seats_meant(now, wanted)}
    try:
        seat = acting_seat(now, player, wanted)
    except Problem as refusal:
        return recalled(refusal, match, player, commands, headers)
    try:
        found = carried_out(match, player, seat, commands, headers)
    except Exception as error:
        problem = from_error(error)
        MOVES.labels(now.game, problem.code).inc()
        raise problem from None
    MOVES.labels(now.game, "accepted").inc()
    return found


OF_PEOPLE = {
    "vacation": "take vacation",
    "hand_over": "hand a seat over",
    "keep_seat": "withdraw the offer of a seat",
}
"""Commands that a token of scope `bot` may not give: what they do lasts for the match. Asking the others for a seat is
a question like any other."""


@blp.route("/matches/<match>/commands", methods=["POST"])
@blp.arguments(CommandIn)
@blp.arguments(Act, location="query")
@blp.arguments(Headers, location="headers")
@blp.response(201, DoneSchema)
@blp.doc(operationId="sendCommand", security=SECURED, responses={201: {"links": LINKS}})
def command(body: dict[str, Any], query: dict[str, Any], headers: dict[str, Any], match: str) -> Response:
    """Everything that is not a move: leave, cancel, ask and answer, take days off, hand a seat over."""
    player = require_player()
    if (what := OF_PEOPLE.get(body["type"])) and "of" not in body:
        require_all(what)
    if body["type"] == "cancel":
        return done_answer(submit(match, Cancel(player), player, None, headers), None, player)
    if body["type"] == "leave":
        return leave(match, player, query.get("as_"), headers)
    done, seat = for_own_seat(match, player, query.get("as_"), lambda seat: wish_of(seat, body), headers)
    return done_answer(done, seat, player)


def wish_of(seat: Seat, body: dict[str, Any]) -> Command:
    """What a command while the match is played asks for."""
    match body["type"]:
        case "takeback":
            return Propose(seat=seat, what="takeback", to_ply=body.get("to_ply", LAST_MOVE))
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
            return KeepSeat(seat, body["offer"])
        case answer_type:
            return Answer(seat, body["proposal"], answer_type == "agree")


def for_own_seat(
    match: str, player: str, wanted: Seat | None, of_seat: Callable[[Seat], Command], headers: dict[str, Any]
) -> tuple[Done, Seat]:
    """Carry out a command of the seat that is wanted or the only own one; gives the seat as well. Raises Problem."""
    now = services().matches.load(match)
    commands = {seat: of_seat(seat) for seat in seats_meant(now, wanted)}
    try:
        seat = acting_seat(now, player, wanted)
    except Problem as refusal:
        return recalled(refusal, match, player, commands, headers)
    return carried_out(match, player, seat, commands, headers)


def seats_meant(now: AnyMatch, wanted: Seat | None) -> Iterable[Seat]:
    """For which seats a request may have been that names this one, or none: its author may have sat elsewhere then."""
    return range(len(now.seats)) if wanted is None else (wanted,)


def carried_out(
    match: str, player: str, seat: Seat, commands: Mapping[Seat, Command], headers: dict[str, Any]
) -> tuple[Done, Seat]:
    """Carry out the command of an own seat, unless the key was used for the same request of another seat."""
    try:
        return submit(match, commands[seat], player, seat, headers), seat
    except CommandReused as refusal:
        return recalled(refusal, match, player, commands, headers)


def recalled(
    refusal: Exception, match: str, player: str, commands: Mapping[K, Command], headers: dict[str, Any]
) -> tuple[Done, K]:
    """What this very request has done under its key, and by which of the commands that it may have been.

    Whoever repeats a request has the answer of the first, whatever has become of the seat since; else the refusal.
    """
    key = headers.get("key")
    found = services().matches.recall(match, commands, CommandId(player, key)) if key else None
    if found is None:
        raise refusal
    which, done = found
    return done, which


def leave(match: str, player: str, wanted: Seat | None, headers: dict[str, Any]) -> Response:
    """Get up from a seat. Who repeats it sits nowhere any more."""
    if wanted is not None:
        return done_answer(submit(match, LeaveSeat(wanted), player, wanted, headers), wanted, player)
    return done_answer(*for_own_seat(match, player, None, LeaveSeat, headers), player)


def known_seats(match: str, player: str) -> AnyMatch:
    """The match with its seats as they are, or as this process saw them last if the player sits there.

    Seats seldom change hands behind the start, and whoever acts for one is looked at again when the move is decided.
    """
    cached = services().matches.cached(match)
    fits = cached is not None and cached.status != "open" and cached.seats_of(player)
    return cached if cached is not None and fits else services().matches.load(match)


def submit(match: str, wanted: Command, player: str, seat: Seat | None, headers: dict[str, Any]) -> Done:
    """Carry a command out. Raises what `Matches.submit` raises, said with all that a client needs to go on."""
    expected, by = headers.get("expected"), CommandId(player, headers.get("key") or secrets.token_hex(16))
    with explained(match, player, seat, expected):
        return services().matches.submit(match, wanted, by, expected)
    raise AssertionError("unreachable")


@contextmanager
def explained(match: str, player: str, seat: Seat | None, expected: int | None) -> Iterator[None]:
    """Turns the refusals of a command into problems that say how to go on: the present ply, or the legal moves."""
    try:
        yield
    except StalePly:
        raise stale(services().matches.load(match), player, seat, expected) from None
    except NotYourTurn as error:
        now = services().matches.load(match)
        problem = from_error(error)
        problem.extensions |= {"ply": now.ply, "events": missed(now, player, seat, expected)}
        raise problem from None
    except IllegalMove as error:
        problem = from_error(error)
        problem.extensions |= {"legal_moves_url": f"{PREFIX}/matches/{match}/legal-moves?as={seat}"}
        raise problem from None


def stale(now: AnyMatch, player: str, seat: Seat | None, expected: int | None) -> Problem:
    """The refusal of a command that expected another ply: the present one, and the events missed."""
    detail = f"The match is at ply {now.ply}, you expected {expected}. Look at what you missed and decide anew."
    if expected is None:
        detail = "The match moves on faster than you; try again."
    return Problem(409, "stale_ply", detail, ply=now.ply, events=missed(now, player, seat, expected))


def missed(now: AnyMatch, player: str, seat: Seat | None, expected: int | None) -> list[AnyEvent]:
    """The first events behind the expected ply, as the player may see them."""
    if expected is None:
        return []
    return services().matches.events(now, held_seat(now, player, seat), expected, MOST_EVENTS)


def try_move(match: str, player: str, wanted: Seat | None, document: dict[str, Any], expected: int | None) -> Response:
    """Whether a move is legal, and what it would surely do, for who sits there in the very state that answers.

    Nothing is appended that would fail for who has got up meanwhile.
    """
    now = services().matches.load(match)
    seat = acting_seat(now, player, wanted)
    if expected is not None and expected != now.ply:
        raise stale(now, player, seat, expected)
    with explained(match, player, seat, expected):
        found = services().matches.dry_run(now, seat, document)
    return answer({"legal": True, "facts": found.facts, "complete": found.complete})


def done_answer(done: Done, seat: Seat | None, player: str) -> Response:
    """The answer to a command that was carried out."""
    return answer(done_document(done, seat, player, asking_token()), 201, created_headers(done))


def done_document(done: Done, seat: Seat | None, player: str, token: Token | None) -> dict[str, Any]:
    """What a command did, as its author may see it now."""
    seat = held_seat(done.match, player, seat)
    events = services().matches.seen(done.events, done.match, seat)
    return {"event": events[0], "events": events, "match": shown(done.match, seat, player, token)}

"""The engine protocol: the rules for programs in any language, one JSON line in, one JSON line out.

An `Engine` holds one game and answers requests; whoever wires it to stdin and stdout reads lines and writes answers.
Nothing a request holds can make it raise: what is wrong is answered as `{"error": {code, rule, message}}` and changes
nothing. The protocol with a worked session: `docs/engine-protocol.md`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Annotated, Any, BinaryIO

import msgspec
from msgspec.structs import replace

from domain.kernel.chance import SEED_BYTES, Chance, Scripted, ScriptError, Seed
from domain.kernel.game import AnyGame, Seat
from domain.kernel.json_input import normalize_numbers
from domain.kernel.refusals import Refused
from domain.kernel.registry import UnknownGame, find_game

MAX_REQUEST = 2**20
"""Bytes of a request."""

MAX_MOVES_LISTED = 100_000
"""Moves that are listed at most: one game has millions in some positions."""

DrawScript = list[Annotated[int, msgspec.Meta(ge=0)]]


class Request(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", forbid_unknown_fields=True):
    """What every request has: `op`."""


class StartRequest(Request, frozen=True, kw_only=True, tag="start"):
    """Set a game up by chance: `draws` scripts it, or `seed` (hex) draws for it and for all plays that follow."""

    game: str
    seats: int
    options: dict[str, Any] = {}
    rules_version: int | None = None
    draws: DrawScript | None = None
    seed: str | None = None


class PositionRequest(Request, frozen=True, kw_only=True, tag="position"):
    """Set a game up from a position document; `seed` draws for the plays that follow."""

    game: str
    seats: int
    document: dict[str, Any]
    options: dict[str, Any] = {}
    rules_version: int | None = None
    seed: str | None = None


class PlayRequest(Request, frozen=True, kw_only=True, tag="play"):
    """Make a move, with the listed draws or the seed's."""

    seat: Seat
    move: Any
    draws: DrawScript | None = None


class LegalRequest(Request, frozen=True, kw_only=True, tag="legal"):
    """The legal moves of a seat."""

    seat: Seat


class ViewRequest(Request, frozen=True, kw_only=True, tag="view"):
    """What a seat (null: a spectator) may see."""

    seat: Seat | None


class FactsRequest(Request, frozen=True, kw_only=True, tag="facts"):
    """All facts so far as a seat (null: a spectator) may see them."""

    seat: Seat | None


class ToMoveRequest(Request, frozen=True, kw_only=True, tag="to_move"):
    """The seats that owe a move."""


class OutcomeRequest(Request, frozen=True, kw_only=True, tag="outcome"):
    """How the game ended, null while it runs."""


class TextRequest(Request, frozen=True, kw_only=True, tag="text"):
    """The table as text, as a seat (null: a spectator) sees it."""

    seat: Seat | None


AnyRequest = (
    StartRequest
    | PositionRequest
    | PlayRequest
    | LegalRequest
    | ViewRequest
    | FactsRequest
    | ToMoveRequest
    | OutcomeRequest
    | TextRequest
)
OPS = ("start", "position", "play", "legal", "view", "facts", "to_move", "outcome", "text")


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """A game in progress: every fact so far and the state they fold to. `plays` counts the moves made."""

    game: AnyGame
    seats: int
    state: Any
    facts: tuple[Any, ...]
    plays: int
    seed: Seed | None


def protocol_error(code: str, message: str, rule: str = "protocol") -> Refused:
    """A refusal of the protocol itself."""
    return Refused(code, rule, message)


def error_line(refused: Refused) -> bytes:
    """The answer line of a refusal."""
    return msgspec.json.encode({"error": {"code": refused.code, "rule": refused.rule, "message": refused.message}})


class Engine:
    """One game, driven by requests. `session` is None before the first start."""

    def __init__(self) -> None:
        self.session: Session | None = None

    def answer(self, line: bytes) -> bytes:
        """The answer line (JSON, fields in their declared order, no line feed) to a request line. Never raises."""
        try:
            return msgspec.json.encode(self._answer(read_request(line)))
        except Refused as refused:
            return error_line(refused)
        except Exception as error:  # a program in another language must get an answer, even to a fault of ours
            fault = f"The rules failed on this request ({type(error).__name__}); nothing has changed."
            return error_line(protocol_error("engine_failed", fault))

    def _answer(self, request: AnyRequest) -> Mapping[str, Any]:
        match request:
            case StartRequest():
                return self._start(request)
            case PositionRequest():
                return self._position(request)
            case PlayRequest():
                return self._play(request)
        session = self._require_session()
        game, state = session.game, session.state
        match request:
            case ToMoveRequest():
                return {"to_move": sorted(game.to_move(state))}
            case OutcomeRequest():
                return {"outcome": game.outcome(state)}
            case LegalRequest(seat=seat):
                return moves_answer(game.legal_moves(state, require_seat_in_session(session, seat)))
            case ViewRequest(seat=reader):
                return {"view": game.view(state, require_reader_in_session(session, reader))}
            case FactsRequest(seat=reader):
                return {"facts": visible_facts(session, require_reader_in_session(session, reader))}
            case TextRequest(seat=reader):
                return {"text": game.text(game.view(state, require_reader_in_session(session, reader)), reader)}

    def _start(self, request: StartRequest) -> Mapping[str, Any]:
        game, seed = find_requested_game(request), read_seed(request.seed)
        chance = chance_for(seed, 0, request.draws)
        facts = facts_using_draws(chance, lambda: game.start(request.seats, request.options, chance))
        return self._open_session(game, request.seats, facts, seed)

    def _position(self, request: PositionRequest) -> Mapping[str, Any]:
        game, seed = find_requested_game(request), read_seed(request.seed)
        facts = game.start(request.seats, request.options, Scripted(()), request.document)
        return self._open_session(game, request.seats, facts, seed)

    def _open_session(self, game: AnyGame, seats: int, facts: list[Any], seed: Seed | None) -> Mapping[str, Any]:
        state = game.decision(facts).state
        self.session = Session(game=game, seats=seats, state=state, facts=tuple(facts), plays=0, seed=seed)
        return {"facts": facts}

    def _play(self, request: PlayRequest) -> Mapping[str, Any]:
        session = self._require_session()
        game, seat = session.game, require_seat_in_session(session, request.seat)
        move = game.read_move(request.move)
        chance = chance_for(session.seed, session.plays + 1, request.draws)
        facts = facts_using_draws(chance, lambda: game.decide(session.state, seat, move, chance))
        self.session = replace(
            session,
            state=game.decision(facts, session.state).state,
            facts=(*session.facts, *facts),
            plays=session.plays + 1,
        )
        return {"facts": facts}

    def _require_session(self) -> Session:
        if self.session is None:
            raise protocol_error(
                "no_game", 'There is no game yet; begin with {"op":"start",...} or {"op":"position",...}.'
            )
        return self.session


# -- requests -----------------------------------------------------------------------------------------------------


def request_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream. Of one that is too long only the beginning is kept, just enough for its refusal."""
    while line := stream.readline(MAX_REQUEST + 2):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_REQUEST)
        yield line.rstrip(b"\r\n")


def read_request(line: bytes) -> AnyRequest:
    """The request on a line. Raises Refused `too_long`, `bad_json`, `unknown_op`, `bad_request`."""
    if len(line) > MAX_REQUEST:
        raise protocol_error("too_long", f"A request has at most {MAX_REQUEST} bytes; this one has more.")
    try:
        document = msgspec.json.decode(line)
    except RecursionError:
        raise protocol_error("bad_json", "The request is nested too deep.") from None
    except ValueError as error:  # msgspec's errors and those of UTF-8
        raise protocol_error("bad_json", f"The request is not one line of JSON: {error}.") from None
    if not isinstance(document, dict):
        raise protocol_error("bad_request", f'A request is an object such as {{"op":"{OPS[0]}",...}}.')
    if document.get("op") not in OPS:
        raise protocol_error("unknown_op", f"`op` is one of {', '.join(OPS)}.")
    try:
        request: AnyRequest = msgspec.convert(normalize_numbers(document), AnyRequest)
    except msgspec.ValidationError as error:
        raise protocol_error("bad_request", f"This is not a well-formed `{document['op']}`: {error}.") from None
    return request


def find_requested_game(request: StartRequest | PositionRequest) -> AnyGame:
    """The game asked for. Raises Refused `unknown_game`."""
    try:
        return find_game(request.game, request.rules_version)
    except UnknownGame as error:
        raise protocol_error("unknown_game", f"{str(error).capitalize()}.") from None


def read_seed(text: str | None) -> Seed | None:
    """A given seed from its hex. Raises Refused `bad_seed`."""
    if text is None:
        return None
    try:
        return Seed(bytes.fromhex(text), given=True)
    except ValueError:
        raise protocol_error("bad_seed", f"A seed is 1 to {2 * SEED_BYTES} bytes in hex.") from None


def require_seat_in_session(session: Session, seat: Seat) -> Seat:
    """The seat, if the game has it. Raises Refused `no_such_seat`."""
    if seat not in range(session.seats):
        raise protocol_error("no_such_seat", f"This game has the seats 0 to {session.seats - 1}.")
    return seat


def require_reader_in_session(session: Session, reader: Seat | None) -> Seat | None:
    """The seat or None for a spectator. Raises Refused `no_such_seat`."""
    return None if reader is None else require_seat_in_session(session, reader)


def moves_answer(moves: Iterable[Any]) -> Mapping[str, Any]:
    """The moves, the first of very many; then `more` says so."""
    found = list(islice(moves, MAX_MOVES_LISTED + 1))
    return {"moves": found[:MAX_MOVES_LISTED]} | ({"more": True} if len(found) > MAX_MOVES_LISTED else {})


# -- chance, facts ------------------------------------------------------------------------------------------------


def chance_for(seed: Seed | None, n: int, draws: DrawScript | None) -> Chance:
    """The draws of game event n: as listed, else the seed's, else none at all."""
    if draws is None and seed is not None:
        return seed.draws("", (), n)  # the key of a given seed does not depend on the match
    return Scripted(draws or ())


def facts_using_draws(chance: Chance, happen: Callable[[], list[Any]]) -> list[Any]:
    """The facts of what happens by this chance, a script of draws used up exactly. Raises Refused `bad_draws`."""
    try:
        facts = happen()
        if isinstance(chance, Scripted):
            chance.finish()
    except ScriptError as error:
        message = f"The draws do not fit: {error}. List them in `draws`, or begin with a `seed`."
        raise protocol_error("bad_draws", message, rule="chance") from None
    return facts


def visible_facts(session: Session, reader: Seat | None) -> list[Any]:
    """The facts so far as a reader may see them now; all of them once the game is over."""
    game, state = session.game, session.state
    if game.outcome(state) is not None:
        return list(session.facts)
    redacted = (game.redact(state, fact, n, reader) for n, fact in enumerate(session.facts))
    return [fact for fact in redacted if fact is not None]

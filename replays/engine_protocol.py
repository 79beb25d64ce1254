"""The engine protocol: the rules for programs in any language, one JSON line in, one JSON line out.

An `Engine` holds one game and answers requests; the caller connects it to stdin and stdout. It never raises an error:
errors are answered as `{"error": {code, rule, message}}` and change nothing. `docs/engine-protocol.md` describes the
protocol and shows a session.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Annotated, Any, BinaryIO

import msgspec
from msgspec.structs import replace

from domain.kernel.chance import SEED_BYTES, Chance, DrawContext, Luck, Scripted, ScriptError
from domain.kernel.game import AnyGame, Seat
from domain.kernel.json_input import normalize_numbers
from domain.kernel.refusals import Refused
from domain.kernel.registry import UnknownGame, find_game
from domain.match.luck import new_secrets

MAX_REQUEST = 2**20
"""Maximum size of a request, in bytes."""

MAX_MOVES_LISTED = 100_000
"""Maximum number of moves in an answer. One game has positions with millions of moves."""

DrawScript = list[Annotated[int, msgspec.Meta(ge=0)]]


class Request(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", forbid_unknown_fields=True):
    """Base of all requests; the tag is `op`."""


class StartRequest(Request, frozen=True, kw_only=True, tag="start"):
    """Set up a game. `draws` lists its draws, or `seed` (hex) makes them here and for all later moves."""

    game: str
    seats: int
    options: dict[str, Any] = {}
    rules_version: int | None = None
    draws: DrawScript | None = None
    seed: str | None = None


class PositionRequest(Request, frozen=True, kw_only=True, tag="position"):
    """Set up a game from a position document. `seed` makes the draws of later moves."""

    game: str
    seats: int
    document: dict[str, Any]
    options: dict[str, Any] = {}
    rules_version: int | None = None
    seed: str | None = None


class PlayRequest(Request, frozen=True, kw_only=True, tag="play"):
    """Make a move with the listed draws, or with those of the seed."""

    seat: Seat
    move: Any
    draws: DrawScript | None = None


class LegalRequest(Request, frozen=True, kw_only=True, tag="legal"):
    """Ask for the legal moves of a seat."""

    seat: Seat


class ViewRequest(Request, frozen=True, kw_only=True, tag="view"):
    """Ask for the view of a seat (null: a spectator)."""

    seat: Seat | None


class FactsRequest(Request, frozen=True, kw_only=True, tag="facts"):
    """Ask for all facts so far as a seat (null: a spectator) may see them."""

    seat: Seat | None


class ToMoveRequest(Request, frozen=True, kw_only=True, tag="to_move"):
    """Ask for the seats to move."""


class OutcomeRequest(Request, frozen=True, kw_only=True, tag="outcome"):
    """Ask for the outcome of the game, null while it is running."""


class TextRequest(Request, frozen=True, kw_only=True, tag="text"):
    """Ask for the table as text, as a seat (null: a spectator) sees it."""

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
    """A game in progress: every fact so far and the state they fold to.

    `plays` counts the moves made, and `uses` how often each purpose was used for draws (luck protocol 2).
    """

    game: AnyGame
    seats: int
    state: Any
    facts: tuple[Any, ...]
    plays: int
    luck: Luck | None
    uses: Mapping[str, int]


def protocol_error(code: str, message: str, rule: str = "protocol") -> Refused:
    """Return a refusal by the protocol itself."""
    return Refused(code, rule, message)


def error_line(refused: Refused) -> bytes:
    """Return the answer line of a refusal."""
    return msgspec.json.encode({"error": {"code": refused.code, "rule": refused.rule, "message": refused.message}})


class Engine:
    """One game, driven by requests. `session` is None before the first start."""

    def __init__(self) -> None:
        self.session: Session | None = None

    def answer(self, line: bytes) -> bytes:
        """Return the answer to a request line: JSON, fields in declared order, no line feed. Never raises."""
        try:
            return msgspec.json.encode(self._answer(read_request(line)))
        except Refused as refused:
            return error_line(refused)
        except Exception as error:  # the other program needs an answer even if we have a bug
            fault = f"The rules failed on this request ({type(error).__name__}). Nothing has changed."
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
        game = find_requested_game(request)
        luck = read_seed(game, request.seed)
        chance = chance_for(luck, DrawContext("", ()), request.draws)
        facts = facts_using_draws(chance, lambda: game.start(request.seats, request.options, chance))
        return self._open_session(game, request.seats, facts, luck, chance)

    def _position(self, request: PositionRequest) -> Mapping[str, Any]:
        game, chance = find_requested_game(request), Scripted(())
        luck = read_seed(game, request.seed)
        facts = game.start(request.seats, request.options, chance, request.document)
        return self._open_session(game, request.seats, facts, luck, chance)

    def _open_session(
        self, game: AnyGame, seats: int, facts: list[Any], luck: Luck | None, chance: Chance
    ) -> Mapping[str, Any]:
        state, uses = game.decision(facts).state, chance.used or {}
        self.session = Session(
            game=game, seats=seats, state=state, facts=tuple(facts), plays=0, luck=luck, uses=dict(uses)
        )
        return {"facts": facts}

    def _play(self, request: PlayRequest) -> Mapping[str, Any]:
        session = self._require_session()
        game, seat = session.game, require_seat_in_session(session, request.seat)
        move = game.read_move(request.move)
        # The key of a given seed does not depend on the match.
        chance = chance_for(session.luck, DrawContext("", (), session.plays + 1, session.uses), request.draws)
        facts = facts_using_draws(chance, lambda: game.decide(session.state, seat, move, chance))
        self.session = replace(
            session,
            state=game.decision(facts, session.state).state,
            facts=(*session.facts, *facts),
            plays=session.plays + 1,
            uses=Counter(session.uses) + Counter(chance.used or {}),
        )
        return {"facts": facts}

    def _require_session(self) -> Session:
        if self.session is None:
            raise protocol_error(
                "no_game", 'There is no game yet. Start with {"op":"start",...} or {"op":"position",...}.'
            )
        return self.session


# -- requests -----------------------------------------------------------------------------------------------------


def request_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a stream. A line that is too long is cut, but stays long enough to be refused."""
    while line := stream.readline(MAX_REQUEST + 2):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_REQUEST)
        yield line.rstrip(b"\r\n")


def read_request(line: bytes) -> AnyRequest:
    """Return the request on a line. Raises Refused `too_long`, `bad_json`, `unknown_op`, `bad_request`."""
    if len(line) > MAX_REQUEST:
        raise protocol_error("too_long", f"The request is longer than {MAX_REQUEST} bytes.")
    try:
        document = msgspec.json.decode(line)
    except RecursionError:
        raise protocol_error("bad_json", "The request is nested too deeply.") from None
    except ValueError as error:  # includes the errors of msgspec and UTF-8
        raise protocol_error("bad_json", f"The request is not one line of JSON: {error}.") from None
    if not isinstance(document, dict):
        raise protocol_error("bad_request", f'A request must be an object such as {{"op":"{OPS[0]}",...}}.')
    if document.get("op") not in OPS:
        raise protocol_error("unknown_op", f"`op` must be one of {', '.join(OPS)}.")
    try:
        request: AnyRequest = msgspec.convert(normalize_numbers(document), AnyRequest)
    except msgspec.ValidationError as error:
        raise protocol_error("bad_request", f"This is not a valid `{document['op']}` request: {error}.") from None
    return request


def find_requested_game(request: StartRequest | PositionRequest) -> AnyGame:
    """Return the requested game. Raises Refused `unknown_game`."""
    try:
        return find_game(request.game, request.rules_version)
    except UnknownGame as error:
        raise protocol_error("unknown_game", f"{str(error).capitalize()}.") from None


def read_seed(game: AnyGame, text: str | None) -> Luck | None:
    """Return the luck of a given seed, from its hex digits. Raises Refused `bad_seed`."""
    if text is None:
        return None
    try:
        return new_secrets(game, "", bytes.fromhex(text), bytes(SEED_BYTES), given=True)
    except ValueError:
        raise protocol_error("bad_seed", f"A seed must be 1 to {2 * SEED_BYTES} bytes in hex.") from None


def require_seat_in_session(session: Session, seat: Seat) -> Seat:
    """Return the seat. Raises Refused `no_such_seat` if the game does not have it."""
    if seat not in range(session.seats):
        raise protocol_error("no_such_seat", f"This game has seats 0 to {session.seats - 1}.")
    return seat


def require_reader_in_session(session: Session, reader: Seat | None) -> Seat | None:
    """Return the seat, or None for a spectator. Raises Refused `no_such_seat`."""
    return None if reader is None else require_seat_in_session(session, reader)


def moves_answer(moves: Iterable[Any]) -> Mapping[str, Any]:
    """Return the answer with up to `MAX_MOVES_LISTED` moves; `more` is set if there are others."""
    found = list(islice(moves, MAX_MOVES_LISTED + 1))
    return {"moves": found[:MAX_MOVES_LISTED]} | ({"more": True} if len(found) > MAX_MOVES_LISTED else {})


# -- chance, facts ------------------------------------------------------------------------------------------------


def chance_for(luck: Luck | None, context: DrawContext, draws: DrawScript | None) -> Chance:
    """Return the draws of a game event: the listed ones, otherwise the seed's, otherwise none."""
    if draws is None and luck is not None:
        return luck.chance(context)
    return Scripted(draws or ())


def facts_using_draws(chance: Chance, happen: Callable[[], list[Any]]) -> list[Any]:
    """Return the facts that `happen` makes with these draws; a script must be used up. Raises Refused `bad_draws`."""
    try:
        facts = happen()
        if isinstance(chance, Scripted):
            chance.finish()
    except ScriptError as error:
        message = f"The draws do not fit: {error}. List them in `draws`, or start with a `seed`."
        raise protocol_error("bad_draws", message, rule="chance") from None
    return facts


def visible_facts(session: Session, reader: Seat | None) -> list[Any]:
    """Return the facts that a reader may see now: all of them once the game is over."""
    game, state = session.game, session.state
    if game.outcome(state) is not None:
        return list(session.facts)
    redacted = (game.redact(state, fact, n, reader) for n, fact in enumerate(session.facts))
    return [fact for fact in redacted if fact is not None]

"""The engine protocol: the documented session, draws and errors."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.kernel.chance import Fast
from domain.kernel.events import Moved, Started
from domain.kernel.game import AnyGame
from domain.kernel.hash_chain import canonical_json
from domain.kernel.registry import games
from replays.engine_protocol import MAX_REQUEST, OPS, Engine
from tests.builders import play_match

PAGE = Path(__file__).parents[2] / "docs/engine-protocol.md"
GAMES = list(games().values())
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)


def ask(engine: Engine, op: str, **request: Any) -> Any:
    return json.loads(engine.answer(json.dumps({"op": op, **request}).encode()))


def started(game: str = "tic_tac_toe", **request: Any) -> Engine:
    engine = Engine()
    assert "facts" in ask(engine, "start", game=game, seats=2, **request)
    return engine


def everything(engine: Engine) -> list[Any]:
    """Return the answers to all requests that do not change the engine."""
    seats = (0, 1)
    return [
        [ask(engine, op) for op in ("to_move", "outcome")],
        [ask(engine, op, seat=seat) for op in ("legal", "view", "facts", "text") for seat in seats],
        [ask(engine, op, seat=None) for op in ("view", "facts", "text")],
    ]


def test_fields_are_in_the_specified_order() -> None:
    answered = Engine().answer(b'{"op":"start","game":"tic_tac_toe","seats":2}').decode()
    assert answered == '{"facts":[{"type":"game_started","game":"tic_tac_toe","seats":["cross","nought"]}]}'


# -- the page -----------------------------------------------------------------------------------------------------


def session() -> list[tuple[str, str]]:
    block = re.search(r"```engine\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert block is not None
    lines = block.group(1).splitlines()
    assert {line[:2] for line in lines[::2]} == {"> "}
    assert {line[:2] for line in lines[1::2]} == {"< "}
    return [(sent[2:], answered[2:]) for sent, answered in zip(lines[::2], lines[1::2], strict=True)]


def test_the_documented_session_works_as_printed() -> None:
    if "mice_cake" not in games():
        pytest.skip("Mice Cake is not installed")
    engine = Engine()
    for sent, printed in session():
        pattern = ".*".join(re.escape(part) for part in printed.split("..."))
        answered = engine.answer(sent.encode()).decode()
        assert re.fullmatch(pattern, answered), f"{sent}\nprinted  {printed}\nanswered {answered}"


def test_the_docs_name_every_op_and_code() -> None:
    text = PAGE.read_text()
    assert all(f'"op":"{op}"' in text for op in OPS)
    source = (Path(__file__).parents[2] / "replays/engine_protocol.py").read_text()
    codes = set(re.findall(r'protocol_error\(\s*"(\w+)"', source))
    assert len(codes) >= 9
    assert all(f"`{code}`" in text for code in codes)


# -- play ---------------------------------------------------------------------------------------------------------


@every_game
def test_a_seed_makes_the_same_draws_as_in_a_match(game: AnyGame) -> None:
    seed = bytes(range(20))
    events = [event for event in play_match(game, seed=seed, given=True) if isinstance(event, Started | Moved)]
    engine = Engine()
    answers = [ask(engine, "start", game=game.slug, seats=game.seat_counts[0], seed=seed.hex())]
    answers += [ask(engine, "play", seat=event.seat, move=msgspec.to_builtins(event.move)) for event in events[1:]]
    assert answers == [{"facts": json.loads(canonical_json(event.facts))} for event in events]
    assert ask(engine, "outcome")["outcome"] is not None
    assert ask(engine, "to_move") == {"to_move": []}


@every_game
def test_facts_are_redacted_until_the_end(game: AnyGame) -> None:
    engine, chance, all_facts = Engine(), Fast("facts"), []
    all_facts += ask(engine, "start", game=game.slug, seats=2, seed="01")["facts"]
    while seats := ask(engine, "to_move")["to_move"]:
        assert engine.session is not None
        for reader in (0, 1, None):
            redacted = [
                game.redact(engine.session.state, fact, n, reader) for n, fact in enumerate(engine.session.facts)
            ]
            shown = [fact for fact in redacted if fact is not None]
            assert ask(engine, "facts", seat=reader) == {"facts": json.loads(canonical_json(shown))}
        seat = chance.pick(seats)
        first = ask(engine, "legal", seat=seat)["moves"][0]
        move = first if len(all_facts) <= 60 else {"type": "resign"}
        all_facts += ask(engine, "play", seat=seat, move=move)["facts"]
    assert ask(engine, "facts", seat=None) == {"facts": all_facts}


@every_game
def test_the_engine_returns_the_games_own_view_and_text(game: AnyGame) -> None:
    engine = Engine()
    ask(engine, "start", game=game.slug, seats=2, seed="01")
    assert engine.session is not None
    for reader in (0, 1, None):
        view = game.view(engine.session.state, reader)
        assert ask(engine, "view", seat=reader) == {"view": json.loads(canonical_json(view))}
        assert ask(engine, "text", seat=reader) == {"text": game.text(view, reader)}


def test_starting_again_replaces_the_game() -> None:
    engine = started()
    ask(engine, "play", seat=0, move={"type": "mark", "cell": 4})
    ask(engine, "start", game="tic_tac_toe", seats=2)
    assert len(ask(engine, "legal", seat=0)["moves"]) == 9


def test_a_position_can_be_played_with_a_seed() -> None:
    engine = Engine()
    document = {"cells": ["cross", "cross", None, "nought", "nought", None, None, None, None]}
    assert "facts" in ask(engine, "position", game="tic_tac_toe", seats=2, document=document, seed="00")
    assert len(ask(engine, "play", seat=0, move={"type": "mark", "cell": 2})["facts"]) == 2
    assert ask(engine, "outcome")["outcome"]["winners"] == [0]


def test_an_integer_can_be_written_with_a_zero_fraction() -> None:
    engine = Engine()
    assert b"facts" in engine.answer(b'{"op":"start","game":"tic_tac_toe","seats":2.0}')
    assert b'"cell":4' in engine.answer(b'{"op":"play","seat":0.0,"move":{"type":"mark","cell":4.0}}')


# -- chance -------------------------------------------------------------------------------------------------------

needs_mice = pytest.mark.skipif("mice_cake" not in games(), reason="Mice Cake is not installed")
SHUFFLE = [0] * 27


@needs_mice
def test_draws_can_script_the_set_up() -> None:
    engine = started("mice_cake", draws=SHUFFLE)
    cells = ask(engine, "facts", seat=0)["facts"][1]["cells"]
    assert (cells[0]["piece"], cells[-1]["piece"]) == ("0-1", "0-0")


@needs_mice
def test_draws_can_script_one_play_of_a_seeded_game() -> None:
    engine = started("mice_cake", seed="00")
    moves = [ask(engine, "legal", seat=seat)["moves"][0] for seat in (0, 1)]
    assert "facts" in ask(engine, "play", seat=0, move=moves[0])
    rolled = ask(engine, "play", seat=1, move=moves[1], draws=[5] * 8)["facts"]
    assert {die for fact in rolled if fact["type"] == "dice_rolled" for die in fact["dice"]} == {6}


@needs_mice
@pytest.mark.parametrize(
    ("draws", "says"),
    [([0] * 26, "draw 27"), ([0] * 28, "has 28 draws, but only 27 were used"), ([28], "draw 1 of the script is 28")],
)
def test_draws_that_do_not_fit_are_refused(draws: list[int], says: str) -> None:
    error = ask(Engine(), "start", game="mice_cake", seats=2, draws=draws)["error"]
    assert (error["code"], error["rule"]) == ("bad_draws", "chance")
    assert says in error["message"]


@needs_mice
def test_refused_plays_draw_nothing() -> None:
    """Only accepted plays count as game events, so an error does not change the later draws."""
    calm, harried = started("mice_cake", seed="05"), started("mice_cake", seed="05")
    for engine in (calm, harried):
        for seat in (0, 1):
            move = ask(engine, "legal", seat=seat)["moves"][0]
            if engine is harried:
                assert "error" in ask(engine, "play", seat=seat, move={"type": "assign_mice", "columns": {}})
                assert "error" in ask(engine, "play", seat=seat, move=move, draws=[0] * 99)
            assert "facts" in ask(engine, "play", seat=seat, move=move)
    assert everything(calm) == everything(harried)


# -- errors -------------------------------------------------------------------------------------------------------

WRONG: list[tuple[bytes, str]] = [
    (b"", "bad_json"),
    (b"{", "bad_json"),
    (b"nonsense", "bad_json"),
    (b"\xff", "bad_json"),
    (b'{"op":"\xff"}', "bad_json"),
    (b"[" * 100_000, "bad_json"),
    (b'{"op":' * 50_000, "bad_json"),
    (b"{} {}", "bad_json"),
    (b"NaN", "bad_json"),
    (b" " * (MAX_REQUEST + 1), "too_long"),
    (b"[]", "bad_request"),
    (b"null", "bad_request"),
    (b"7", "bad_request"),
    (b"{}", "unknown_op"),
    (b'{"op":"castle"}', "unknown_op"),
    (b'{"op":null}', "unknown_op"),
    (b'{"op":[]}', "unknown_op"),
    (b'{"op":"start"}', "bad_request"),
    (b'{"op":"start","game":"tic_tac_toe"}', "bad_request"),
    (b'{"op":"start","game":"go","seats":2}', "unknown_game"),
    (b'{"op":"start","game":"tic_tac_toe","seats":2,"rules_version":99}', "unknown_game"),
    (b'{"op":"start","game":"tic_tac_toe","seats":3}', "bad_options"),
    (b'{"op":"start","game":"tic_tac_toe","seats":"2"}', "bad_request"),
    (b'{"op":"start","game":"tic_tac_toe","seats":true}', "bad_request"),
    (b'{"op":"start","game":"tic_tac_toe","seats":99999999999999999999}', "bad_request"),
    (b'{"op":"start","game":"tic_tac_toe","seats":2,"options":{"x":1}}', "bad_options"),
    (b'{"op":"start","game":"tic_tac_toe","seats":2,"options":[]}', "bad_request"),
    (b'{"op":"start","game":"tic_tac_toe","seats":2,"seed":"xyz"}', "bad_seed"),
    (b'{"op":"start","game":"tic_tac_toe","seats":2,"seed":""}', "bad_seed"),
    (b'{"op":"start","game":"tic_tac_toe","seats":2,"seed":"%s"}' % (b"00" * 65), "bad_seed"),
    (b'{"op":"start","game":"tic_tac_toe","seats":2,"draws":[1]}', "bad_draws"),
    (b'{"op":"start","game":"tic_tac_toe","seats":2,"draws":[-1]}', "bad_request"),
    (b'{"op":"start","game":"tic_tac_toe","seats":2,"draws":[true]}', "bad_request"),
    (b'{"op":"start","game":"tic_tac_toe","seats":2,"drows":[]}', "bad_request"),
    (b'{"op":"position","game":"tic_tac_toe","seats":2}', "bad_request"),
    (b'{"op":"position","game":"tic_tac_toe","seats":2,"document":{}}', "bad_options"),
    (b'{"op":"position","game":"tic_tac_toe","seats":2,"document":{"cells":[1e999]}}', "bad_json"),
    (b'{"op":"play","seat":0}', "bad_request"),
    (b'{"op":"play","seat":2,"move":{"type":"resign"}}', "no_such_seat"),
    (b'{"op":"play","seat":-1,"move":{"type":"resign"}}', "no_such_seat"),
    (b'{"op":"play","seat":null,"move":{"type":"resign"}}', "bad_request"),
    (b'{"op":"play","seat":1,"move":{"type":"mark","cell":0}}', "not_your_turn"),
    (b'{"op":"play","seat":0,"move":{"type":"mark","cell":9}}', "bad_move"),
    (b'{"op":"play","seat":0,"move":{}}', "bad_move"),
    (b'{"op":"play","seat":0,"move":null}', "bad_move"),
    (b'{"op":"play","seat":0,"move":{"type":"mark","cell":0},"draws":[0]}', "bad_draws"),
    (b'{"op":"legal"}', "bad_request"),
    (b'{"op":"legal","seat":null}', "bad_request"),
    (b'{"op":"legal","seat":7}', "no_such_seat"),
    (b'{"op":"view"}', "bad_request"),
    (b'{"op":"view","seat":2}', "no_such_seat"),
    (b'{"op":"facts","seat":2}', "no_such_seat"),
    (b'{"op":"text","seat":-1}', "no_such_seat"),
    (b'{"op":"text"}', "bad_request"),
    (b'{"op":"to_move","seat":0}', "bad_request"),
]


@pytest.mark.parametrize(("line", "code"), WRONG, ids=range(len(WRONG)))
def test_a_bad_request_gets_an_error_and_changes_nothing(line: bytes, code: str) -> None:
    engine = started()
    ask(engine, "play", seat=0, move={"type": "mark", "cell": 8})
    ask(engine, "play", seat=1, move={"type": "mark", "cell": 7})
    before, session = everything(engine), engine.session
    error = json.loads(engine.answer(line))["error"]
    assert set(error) == {"code", "rule", "message"}
    assert error["code"] == code
    assert error["message"].endswith(".")
    assert engine.session is session
    assert everything(engine) == before


@pytest.mark.parametrize("op", ["legal", "view", "facts", "text", "play", "to_move", "outcome"])
def test_requests_without_a_game_are_refused(op: str) -> None:
    more: dict[str, Any] = {"play": {"seat": 0, "move": {}}, "to_move": {}, "outcome": {}}.get(op, {"seat": 0})
    assert ask(Engine(), op, **more)["error"]["code"] == "no_game"


def test_an_exception_in_the_rules_is_answered_as_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from domain.kernel import registry

    def failing(*_: Any) -> Any:
        raise ZeroDivisionError("secret")

    faulty = replace(games()["tic_tac_toe"], rules_version=90, decide=failing)
    monkeypatch.setitem(registry._versions(), ("tic_tac_toe", 90), faulty)
    engine = started(rules_version=90)
    error = ask(engine, "play", seat=0, move={"type": "mark", "cell": 0})["error"]
    assert error["code"] == "engine_failed"
    assert "secret" not in error["message"]


requests = st.fixed_dictionaries(
    {"op": st.sampled_from(OPS)},
    optional={
        "seat": st.integers(-1, 3) | st.none() | st.text(max_size=3),
        "game": st.sampled_from([*games(), "go"]),
        "seats": st.integers(0, 4),
        "seed": st.sampled_from(["00", "zz"]),
        "draws": st.lists(st.integers(-1, 30), max_size=3),
        "options": st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
        "document": st.dictionaries(
            st.sampled_from(["cells", "cake", "rest"]), st.lists(st.text(max_size=4)), max_size=3
        ),
        "move": st.fixed_dictionaries(
            {"type": st.sampled_from(["mark", "resign", "assign_mice"])}, optional={"cell": st.integers(-1, 9)}
        ),
    },
)


@pytest.mark.slow
@given(st.lists(requests | st.dictionaries(st.text(max_size=4), st.integers()) | st.integers(), max_size=12))
def test_any_request_has_an_answer(asked: list[Any]) -> None:
    engine = Engine()
    for request in asked:
        line = engine.answer(json.dumps(request).encode())
        assert b"\n" not in line
        answer = json.loads(line)
        assert len(answer) == 1
        assert answer.get("error", {}).get("code") != "engine_failed", (request, answer)


@given(st.binary(max_size=60))
def test_any_bytes_have_an_answer(line: bytes) -> None:
    assert b"error" in Engine().answer(line)

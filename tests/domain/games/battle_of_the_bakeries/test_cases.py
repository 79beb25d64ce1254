"""The acceptance cases of the specification (section 15), one test per case and run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.rules.facts import CardFlipped
from domain.kernel.chance import Scripted
from domain.kernel.refusals import IllegalMove

from .builders import Played, draws, first_turn, start

CASES = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text())["cases"]


def given_state(given: dict[str, Any]) -> Played:
    chance = Scripted(draws(given.get("chance", ())))
    played = start(given.get("options"), given.get("position"), chance)
    chance.finish()
    for seat, name, parameters, words in given.get("before", ()):
        make(played, seat, name, parameters, words)
    return played


def make(played: Played, seat: int, name: str, parameters: dict[str, Any], words: list[str]) -> list[Any]:
    move = GAME.read_move({"type": name, **parameters})
    chance = Scripted(draws(words))
    made = played.make(seat, move, chance)
    chance.finish()
    return made


def runs() -> Iterator[Any]:
    for case in CASES:
        for n, steps in enumerate(case["runs"], 1):
            yield pytest.param(case, steps, id=f"{case['case']}-{n}" if len(case["runs"]) > 1 else case["case"])


def as_written(facts: list[Any]) -> str:
    """Return facts as JSON text, so that names, values and order are compared."""
    return msgspec.json.format(msgspec.json.encode(facts)).decode()


def as_listed(facts: list[dict[str, Any]]) -> str:
    plain = [{"type": name, **fields} for fact in facts for name, fields in fact.items()]
    return msgspec.json.format(msgspec.json.encode(plain)).decode()


@pytest.mark.parametrize(("case", "steps"), list(runs()))
def test_case(case: dict[str, Any], steps: list[Any]) -> None:
    played = given_state(case["given"])
    if "set_up" in case:
        assert as_written(played.facts) == as_listed(case["set_up"])

    for seat, name, parameters, words, follows in steps:
        if isinstance(follows, str):
            before = played.state
            with pytest.raises(IllegalMove) as refused:
                make(played, seat, name, parameters, words)
            assert refused.value.code == follows
            assert played.state == before
        else:
            assert as_written(make(played, seat, name, parameters, words)) == as_listed(follows)

    for name, value in case.get("then", {}).items():
        assert list(getattr(played.state, name)) == value


def test_every_case_of_the_specification_is_included() -> None:
    assert {case["case"] for case in CASES} == {f"A{n}" for n in range(1, 30)} - {"A28"} | {"A18-apart"}


# -- A28 Memory aid off: the cards each viewer can see --------------------------------------------------------------

A28_MOVES = [  # entries 2 to 10, with the positions visible to seat 0, seat 1 and a spectator
    (0, {"type": "roll_die"}, ["dice 1"], None),
    (0, {"type": "flip_card", "position": 3}, [], ([3], [3], [3])),
    (1, {"type": "roll_die"}, ["dice 2"], ([3], [], [])),
    (1, {"type": "flip_card", "position": 8}, [], None),
    (1, {"type": "flip_card", "position": 9}, [], ([3, 8, 9], [8, 9], [8, 9])),
    (0, {"type": "declare_hire"}, [], ([], [8, 9], [])),
    (0, {"type": "flip_card", "position": 1}, [], None),
    (0, {"type": "flip_card", "position": 8}, [], ([1, 8], [1, 8, 9], [1, 8])),
    (1, {"type": "roll_die"}, ["dice 1"], ([1, 8], [], [])),
]
VIEWERS = (0, 1, None)


def served(played: Played, viewer: int | None) -> dict[int, list[Any]]:
    """Return the flipped cards visible to a viewer in the log, by entry (the first move is entry 1)."""
    cards: dict[int, list[Any]] = {}
    for entry, ply in enumerate(played.plies, 1):
        for n, fact in enumerate(ply.facts):
            seen = GAME.redact(played.state, fact, ply.first_fact + n, viewer)
            if isinstance(seen, CardFlipped):
                cards.setdefault(entry, []).append(seen.card)
    return cards


def test_a28_memory_aid_off() -> None:
    played = first_turn({"memory_aid": "off"})
    for seat, move, words, seen in A28_MOVES:
        played.make(seat, GAME.read_move(move), Scripted(draws(words)))
        if seen is not None:
            shown = [list(map(int, GAME.view(played.state, viewer).faces or {})) for viewer in VIEWERS]
            assert shown == list(seen)

    hidden = [[entry for entry, cards in served(played, viewer).items() if None in cards] for viewer in VIEWERS]
    assert hidden == [[3, 5, 6], [3, 5, 6, 8, 9], [3, 5, 6, 8, 9]]


def test_a28_memory_aid_on_keeps_all_cards_visible() -> None:
    played = first_turn()
    for seat, move, words, _ in A28_MOVES:
        played.make(seat, GAME.read_move(move), Scripted(draws(words)))
    for viewer in VIEWERS:
        assert list(GAME.view(played.state, viewer).faces or {}) == ["1", "3", "8", "9"]
        assert not [cards for cards in served(played, viewer).values() if None in cards]

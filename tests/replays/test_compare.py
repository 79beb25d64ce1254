"""Comparing two replays, or one match under two rules versions; old matches never change."""

from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as changed

from domain.games.tic_tac_toe import GAME as FIRST
from domain.games.tic_tac_toe.rules import decider
from domain.kernel import registry
from domain.kernel.game import AnyGame
from domain.kernel.refusals import IllegalMove
from domain.kernel.registry import find_game, games
from replays.compare import CannotReExecute, compare_replays, compare_under_rules
from replays.file import read_replay
from replays.replay import Replay
from replays.verify import verify
from tests.builders import greedy_agent, play_match, replay_file, sit_down
from tests.replays.test_court import judged

every_game = pytest.mark.parametrize("game", list(games().values()), ids=lambda game: game.slug)


def no_centre_first(state: Any, seat: int, move: Any, chance: Any) -> Any:
    """Decide under the next rules version: the first mark may not be in the centre."""
    if getattr(move, "cell", None) == 4 and all(owner is None for owner in state.cells):
        raise IllegalMove("centre_first", "T2b", "The first mark may not be in the centre.")
    return decider.decide(state, seat, move, chance)


OLD, NEXT = FIRST.rules_version, FIRST.rules_version + 1
SECOND: AnyGame = replace(FIRST, rules_version=NEXT, decide=no_centre_first)


@pytest.fixture
def second_version(monkeypatch: pytest.MonkeyPatch) -> AnyGame:
    """Install a second rules version of Tic-tac-toe next to the first."""
    versions = {**registry._versions(), ("tic_tac_toe", NEXT): SECOND}
    monkeypatch.setattr(registry, "_versions", lambda: versions)
    return SECOND


def centre_first() -> list[Any]:
    table = sit_down(FIRST)
    for seat, cell in ((0, 4), (1, 0), (0, 3), (1, 1), (0, 5)):
        table.play(seat, {"type": "mark", "cell": cell})
    return table.events


# -- old matches never change -------------------------------------------------------------------------------------


def test_an_old_match_verifies_and_continues_under_its_own_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    # given: the file of a finished match and a running match, both created when there was only the first version
    finished = centre_first()
    raw = replay_file(finished)
    table = sit_down(FIRST)
    # when: the next version is installed
    versions = {**registry._versions(), ("tic_tac_toe", NEXT): SECOND}
    monkeypatch.setattr(registry, "_versions", lambda: versions)
    # then: new matches use it ...
    new = sit_down(find_game("tic_tac_toe"))
    assert new.match.rules_version == NEXT
    with pytest.raises(IllegalMove, match="may not be in the centre"):
        new.play(0, {"type": "mark", "cell": 4})
    # ... the old file still verifies and is written the same, byte for byte ...
    report = verify(raw)
    assert report.ok, report.as_text()
    assert (report.rules_version, replay_file(read_replay(raw).events)) == (OLD, raw)
    # ... and the running match continues under the rules it started with.
    table.play(0, {"type": "mark", "cell": 4})
    assert table.match.rules_version == OLD


# -- rules versions -----------------------------------------------------------------------------------------------


def test_the_first_move_that_the_new_rules_forbid_is_reported(second_version: AnyGame) -> None:
    table = Replay(tuple(EVENTS))
    difference = compare_under_rules(table, NEXT)
    assert difference is not None
    assert (difference.ply, difference.rule, difference.other) == (5, "T2b", "refused")
    assert "may not be in the centre" in difference.sentence
    assert '"cell":4' in difference.one
    assert compare_under_rules(table, OLD) is None


EVENTS = centre_first()


def test_a_match_not_affected_by_the_change_agrees(second_version: AnyGame) -> None:
    assert compare_under_rules(Replay(tuple(CORNER)), NEXT) is None


def corner_first() -> list[Any]:
    table = sit_down(FIRST)
    for seat, cell in ((0, 0), (1, 4), (0, 1), (1, 8), (0, 2)):
        table.play(seat, {"type": "mark", "cell": cell})
    return table.events


CORNER = corner_first()


def test_a_different_effect_is_reported_with_both_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    def mirrored(state: Any, seat: int, move: Any, chance: Any) -> Any:
        facts = decider.decide(state, seat, move, chance)
        return [type(facts[0])(facts[0].seat, 8 - facts[0].cell), *facts[1:]]

    versions = {**registry._versions(), ("tic_tac_toe", NEXT): replace(FIRST, rules_version=NEXT, decide=mirrored)}
    monkeypatch.setattr(registry, "_versions", lambda: versions)
    difference = compare_under_rules(Replay(tuple(CORNER)), NEXT)
    assert difference is not None
    assert (difference.ply, difference.rule, difference.path) == (5, "facts", "facts[0].cell")
    assert (difference.one, difference.other) == ("0", "8")
    assert difference.positions[0] != difference.positions[1]
    assert all("X" in text for text in difference.positions)


@every_game
def test_every_game_agrees_with_itself(game: AnyGame) -> None:
    for n in range(2):
        replay = Replay(tuple(play_match(game, seed=n, moves=n, agent=greedy_agent, given=bool(n))))
        assert compare_under_rules(replay, game.rules_version) is None
    assert compare_under_rules(Replay(tuple(judged(game).events)), game.rules_version) is None


def test_a_running_match_cannot_be_compared_without_its_seed() -> None:
    table = sit_down(FIRST)
    with pytest.raises(CannotReExecute, match="not revealed"):
        compare_under_rules(Replay(tuple(table.events)), OLD)
    assert compare_under_rules(Replay(tuple(table.events)), OLD, table.secrets) is None


# -- two files ----------------------------------------------------------------------------------------------------


@every_game
def test_a_match_is_the_same_as_itself(game: AnyGame) -> None:
    replay = Replay(tuple(play_match(game)))
    assert compare_replays(replay, replay) is None


@every_game
def test_two_matches_differ_at_the_first_different_move(game: AnyGame) -> None:
    one = sit_down(game)
    other = sit_down(game)
    assert compare_replays(Replay(tuple(one.events)), Replay(tuple(other.events))) is None
    seat = min(one.match.to_move)
    moves = list(zip(range(2), game.legal_moves(one.match.state, seat), strict=False))
    assert len(moves) == 2
    one.play(seat, moves[0][1])
    other.play(seat, moves[1][1])
    difference = compare_replays(Replay(tuple(one.events)), Replay(tuple(other.events)))
    assert difference is not None
    assert difference.ply == len(one.events)
    assert difference.path.startswith("move.")
    assert all(difference.positions)


def test_a_longer_match_differs_at_its_first_extra_ply() -> None:
    shorter = Replay(tuple(CORNER[:6]))
    difference = compare_replays(shorter, Replay(tuple(CORNER)))
    assert difference is not None
    assert (difference.ply, difference.one) == (7, "null")
    assert difference.positions[0] == ""


def test_times_salts_and_hashes_are_ignored() -> None:
    later = [changed(event, salt=None, hash="00" * 32) for event in CORNER]
    assert compare_replays(Replay(tuple(CORNER)), Replay(tuple(later))) is None

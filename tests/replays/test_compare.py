"""Two matches side by side; one match under two rules versions; and old matches that never change."""

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
    """Rules version 2: the centre may not be the first mark."""
    if getattr(move, "cell", None) == 4 and all(owner is None for owner in state.cells):
        raise IllegalMove("centre_first", "T2b", "The first mark may not stand in the centre.")
    return decider.decide(state, seat, move, chance)


SECOND: AnyGame = replace(FIRST, rules_version=2, decide=no_centre_first)


@pytest.fixture
def second_version(monkeypatch: pytest.MonkeyPatch) -> AnyGame:
    """Tic-tac-toe with a second rules version installed beside the first, as `EARLIER` keeps it."""
    versions = {**registry._versions(), ("tic_tac_toe", 2): SECOND}
    monkeypatch.setattr(registry, "_versions", lambda: versions)
    return SECOND


def centre_first() -> list[Any]:
    table = sit_down(FIRST)
    for seat, cell in ((0, 4), (1, 0), (0, 3), (1, 1), (0, 5)):
        table.play(seat, {"type": "mark", "cell": cell})
    return table.events


# -- old matches never change -------------------------------------------------------------------------------------


def test_an_old_match_verifies_and_goes_on_under_its_own_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    # given: a match in the middle, begun when there was only version 1, and its file at the end
    finished = centre_first()
    raw = replay_file(finished)
    table = sit_down(FIRST)
    # when: version 2 comes
    versions = {**registry._versions(), ("tic_tac_toe", 2): SECOND}
    monkeypatch.setattr(registry, "_versions", lambda: versions)
    # then: new matches get it ...
    new = sit_down(find_game("tic_tac_toe"))
    assert new.match.rules_version == 2
    with pytest.raises(IllegalMove, match="may not stand in the centre"):
        new.play(0, {"type": "mark", "cell": 4})
    # ... the old file verifies as before, to the byte, and folds to what it was ...
    report = verify(raw)
    assert report.ok, report.as_text()
    assert (report.rules_version, replay_file(read_replay(raw).events)) == (1, raw)
    # ... and the match in the middle is played to its end by the rules it began with.
    table.play(0, {"type": "mark", "cell": 4})
    assert table.match.rules_version == 1


# -- rules versions -----------------------------------------------------------------------------------------------


def test_a_match_parts_from_itself_where_the_new_rules_forbid_a_move(second_version: AnyGame) -> None:
    table = Replay(tuple(EVENTS))
    parting = compare_under_rules(table, 2)
    assert parting is not None
    assert (parting.ply, parting.rule, parting.other) == (5, "T2b", "refused")
    assert "may not stand in the centre" in parting.sentence
    assert '"cell":4' in parting.one
    assert compare_under_rules(table, 1) is None


EVENTS = centre_first()


def test_a_match_that_the_change_does_not_touch_agrees(second_version: AnyGame) -> None:
    assert compare_under_rules(Replay(tuple(CORNER)), 2) is None


def corner_first() -> list[Any]:
    table = sit_down(FIRST)
    for seat, cell in ((0, 0), (1, 4), (0, 1), (1, 8), (0, 2)):
        table.play(seat, {"type": "mark", "cell": cell})
    return table.events


CORNER = corner_first()


def test_other_consequences_are_shown_with_both_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    def mirrored(state: Any, seat: int, move: Any, chance: Any) -> Any:
        facts = decider.decide(state, seat, move, chance)
        return [type(facts[0])(facts[0].seat, 8 - facts[0].cell), *facts[1:]]

    versions = {**registry._versions(), ("tic_tac_toe", 2): replace(FIRST, rules_version=2, decide=mirrored)}
    monkeypatch.setattr(registry, "_versions", lambda: versions)
    parting = compare_under_rules(Replay(tuple(CORNER)), 2)
    assert parting is not None
    assert (parting.ply, parting.rule, parting.path) == (5, "facts", "facts[0].cell")
    assert (parting.one, parting.other) == ("0", "8")
    assert parting.positions[0] != parting.positions[1]
    assert all("X" in text for text in parting.positions)


@every_game
def test_every_game_agrees_with_itself(game: AnyGame) -> None:
    for n in range(2):
        replay = Replay(tuple(play_match(game, seed=n, moves=n, agent=greedy_agent, given=bool(n))))
        assert compare_under_rules(replay, game.rules_version) is None
    assert compare_under_rules(Replay(tuple(judged(game).events)), game.rules_version) is None


def test_a_running_match_cannot_be_tried_without_its_seed() -> None:
    table = sit_down(FIRST)
    with pytest.raises(CannotReExecute, match="not revealed"):
        compare_under_rules(Replay(tuple(table.events)), 1)
    assert compare_under_rules(Replay(tuple(table.events)), 1, bytes.fromhex(table.luck.reveal())) is None


# -- two files ----------------------------------------------------------------------------------------------------


@every_game
def test_a_match_is_the_same_as_itself(game: AnyGame) -> None:
    replay = Replay(tuple(play_match(game)))
    assert compare_replays(replay, replay) is None


@every_game
def test_two_matches_part_at_the_first_other_choice(game: AnyGame) -> None:
    one = sit_down(game)
    other = sit_down(game)
    assert compare_replays(Replay(tuple(one.events)), Replay(tuple(other.events))) is None
    seat = min(one.match.to_move)
    moves = list(zip(range(2), game.legal_moves(one.match.state, seat), strict=False))
    assert len(moves) == 2
    one.play(seat, moves[0][1])
    other.play(seat, moves[1][1])
    parting = compare_replays(Replay(tuple(one.events)), Replay(tuple(other.events)))
    assert parting is not None
    assert parting.ply == len(one.events)
    assert parting.path.startswith("move.")
    assert all(parting.positions)


def test_a_match_that_is_longer_parts_at_its_first_further_ply() -> None:
    shorter = Replay(tuple(CORNER[:6]))
    parting = compare_replays(shorter, Replay(tuple(CORNER)))
    assert parting is not None
    assert (parting.ply, parting.one) == (7, "null")
    assert parting.positions[0] == ""


def test_times_and_seals_do_not_count() -> None:
    later = [changed(event, salt=None, hash="00" * 32) for event in CORNER]
    assert compare_replays(Replay(tuple(CORNER)), Replay(tuple(later))) is None

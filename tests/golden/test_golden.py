"""Golden replays: matches that were played once must fold, verify and read the same forever."""

from pathlib import Path

import pytest

from domain.kernel.game import AnyGame
from domain.kernel.registry import games
from domain.match.history import fold
from replays.file import SUFFIX, encode_replay, read_replay
from replays.verify import verify
from tools.goldens import HERE, MATCHES, files, golden, rare, search

GAMES = list(games().values())
FILES = sorted(HERE.glob(f"*/*{SUFFIX}"))

every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")


@every_file
def test_a_golden_replay_verifies(path: Path) -> None:
    report = verify(path.read_bytes())
    assert report.ok, report.as_text()


@every_file
def test_a_golden_replay_folds_to_its_result(path: Path) -> None:
    replay = read_replay(path.read_bytes())
    assert replay.last.outcome is not None
    assert replay.last.outcome == replay.game.outcome(replay.last.state)


@every_file
def test_a_golden_replay_is_written_again_to_the_byte(path: Path) -> None:
    raw = path.read_bytes()
    assert b"".join(encode_replay(read_replay(raw).events)) == raw


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_the_rules_still_play_the_golden_matches(game: AnyGame) -> None:
    """If this fails, see `tools/goldens.py`: a rule changed, so the rules version must."""
    stale = [path.name for path, content in files(game) if not path.exists() or path.read_bytes() != content]
    assert stale == []


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_a_rare_match_shows_its_situation(game: AnyGame) -> None:
    """If this fails: `python -m tools.goldens --search` finds other seeds."""
    assert list(search(game)) == []


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_the_golden_matches_hold_every_level_of_luck(game: AnyGame) -> None:
    played = [fold(golden(game, n)) for n in range(MATCHES)]
    assert {match.luck and match.luck.level for match in played} == {"open", "sealed", "given"}
    assert {len({share is None for share in match.shares}) for match in played} == {1, 2}, "some give a share"


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_every_game_has_golden_replays_of_its_rules_version(game: AnyGame) -> None:
    mine = [path for path in FILES if path.parent.name == game.slug and path.name.startswith(f"v{game.rules_version}-")]
    assert len(mine) == MATCHES + len(rare(game))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
def test_the_golden_matches_hold_the_values_of_every_option(game: AnyGame) -> None:
    played = [game.read_options(golden(game, n)[0].options) for n in range(MATCHES)]  # type: ignore[attr-defined]
    for option in game.option_help:
        given = {getattr(options, option.name) for options in played}
        assert given == set(option.values[:MATCHES]), option.name


def test_one_golden_match_of_each_game_was_resigned() -> None:
    for game in GAMES:
        path = next((HERE / game.slug).glob(f"v{game.rules_version}-*resigned{SUFFIX}"))
        resigned = read_replay(path.read_bytes())
        assert any(event.move == game.read_move({"type": "resign"}) for event in resigned.events)

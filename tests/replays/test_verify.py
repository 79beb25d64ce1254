"""Reports of correct files, and the formats of a report."""

from typing import Any

import msgspec
import pytest

from domain.kernel.game import AnyGame
from domain.kernel.registry import all_versions, games
from replays.file import parse_file
from replays.report import MAX_VALUE_LENGTH, Layer, Report, shorten
from replays.verify import LAYERS, Case, run_check, verify
from tests.builders import greedy_agent, play_match, random_agent, replay_file
from tests.replays.forge import Entries, forge_replay, of_kind

GAMES = list(games().values())
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
every_version = pytest.mark.parametrize("game", all_versions(), ids=lambda game: f"{game.slug}-{game.rules_version}")
every_old_game = pytest.mark.parametrize(
    "game", [game for game in all_versions() if game.luck_protocol == 1], ids=lambda game: game.slug
)


@pytest.mark.slow
@every_version
@pytest.mark.parametrize(
    "more",
    [{}, {"agent": greedy_agent}, {"given": True}, {"resign_in": 5}, {"seed": b"\x01", "given": True},
     {"seed": bytes(64), "given": True}],
    ids=lambda more: "-".join(more) or "plain",
)  # fmt: skip
def test_an_honest_match_verifies(game: AnyGame, more: dict[str, Any]) -> None:
    assert_verifies(replay_file(play_match(game, **{"agent": random_agent, **more})))


@pytest.mark.slow
@every_game
@pytest.mark.parametrize(
    "more",
    [{"shares": (True, True)}, {"shares": (False, True)}, {"shares": (True, True), "rated": True},
     {"shares": (True, False), "rated": True}, {"shares": (True, True), "by_chance": True}],
    ids="-".join,
)  # fmt: skip
def test_a_match_with_shares_verifies(game: AnyGame, more: dict[str, Any]) -> None:
    assert_verifies(replay_file(play_match(game, **more)))


@pytest.mark.slow
@every_old_game
@pytest.mark.parametrize("more", [{"client_seeds": ("tea", "Zwieback")}, {"seed": b"\x01"}, {"seed": bytes(64)}])
def test_a_match_of_luck_protocol_1_verifies(game: AnyGame, more: dict[str, Any]) -> None:
    assert_verifies(replay_file(play_match(game, **more)))


def assert_verifies(raw: bytes) -> None:
    report = verify(raw)
    assert report.ok, report.as_text()
    assert (report.verdict, report.first) == ("verified", None)
    unsigned = {"signature": "not_checked"}
    assert [(layer.name, layer.status) for layer in report.layers] == [(n, unsigned.get(n, "ok")) for n in LAYERS]


@every_game
def test_a_report_names_the_match(game: AnyGame) -> None:
    events = play_match(game, match="m3f")
    report = verify(replay_file(events))
    assert (report.match, report.game, report.rules_version) == ("m3f", game.slug, game.rules_version)
    assert report.events == len(events)


def test_a_report_as_text_has_one_line_per_layer() -> None:
    lines = verify(replay_file(play_match(GAMES[0]))).as_text().splitlines()
    assert [line.split()[0] for line in lines[:-1]] == list(LAYERS)
    assert lines[-1] == "Verified: everything that the file alone can prove is correct. Its origin was not checked."


def test_a_failed_report_ends_with_the_first_divergence() -> None:
    def change(events: Entries) -> None:
        of_kind(events, "ended")[0]["outcome"]["scores"][0] += 1

    report = verify(forge_replay(replay_file(play_match(GAMES[0])), change))
    assert report.first is not None
    last = report.as_text().splitlines()[-1]
    assert last.startswith("FAILED: line ")
    assert report.first.sentence in last
    assert report.first.rule in last


def test_a_report_can_be_sent_as_json() -> None:
    for raw in (b"", replay_file(play_match(GAMES[0]))):
        report = verify(raw)
        assert msgspec.json.decode(msgspec.json.encode(report), type=Report) == report
        assert set(msgspec.to_builtins(report)) == {
            "ok", "verdict", "match", "game", "rules_version", "events", "layers", "first",
        }  # fmt: skip


class OutOfTime(Exception):
    """Like the queue's own timeout: unrelated to the errors that rules raise."""


@pytest.mark.parametrize("trouble", [OutOfTime, MemoryError, OSError, KeyboardInterrupt])
def test_an_error_of_the_machine_is_not_a_verdict(trouble: type[BaseException]) -> None:
    """A check that runs out of time or memory gives no verdict on the match."""

    def check(case: Case) -> list[Layer]:
        raise trouble

    with pytest.raises(trouble):
        run_check(Case(parse_file(replay_file(play_match(GAMES[0])))), ("fold",), check)


def test_quoted_values_are_short() -> None:
    assert len(shorten("x" * 10_000)) == MAX_VALUE_LENGTH
    assert len(shorten(["x"] * 10_000)) == MAX_VALUE_LENGTH
    assert shorten({"b": 1, "a": None}) == '{"a":null,"b":1}'

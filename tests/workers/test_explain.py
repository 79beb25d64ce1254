"""A bot's decision is recorded, revealed only after the match, and can be repeated."""

import re
from collections.abc import Iterator

import msgspec
import pytest
from click.testing import CliRunner
from flask import Flask
from msgspec.structs import replace
from werkzeug.serving import make_server

from domain.bots.levels import LEVELS, BotChoice
from domain.bots.search import Budget, Candidate, SearchResult
from domain.match.commands import Play, SeatSpec
from domain.match.state import AnyMatch
from replays.file import read_replay
from service.bootstrap import Services
from service.bots.decision_log import BotDecision, load_decisions, record_decision
from service.matches.results import IdempotencyKey
from service.verification.audits import replay_file_of
from service.wsgi import create_app
from workers.bots.commands import bot
from workers.bots.explain import CannotExplain, Explanation, candidate_lines, explain, explanation_lines
from workers.handlers import matches as handlers


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEVELS, "strong", replace(LEVELS["strong"], budget=Budget(12)))


@pytest.fixture
def app(services: Services) -> Flask:
    return create_app(services)


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    """Return the URL of the running application."""
    import threading

    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


LAST_ROUNDS = {
    "cake": ["A2: 1-2 (3-4) 5-6", "B3: 4-5 (2-3) 6-6", "C4: 3-6 5-5", "D5: 4-4 2-5"],
    "yellow": ["0-6", "1-6", "2-6", "4-6", "3-5"],
    "rest": "blue",
}
"""In earlier rounds the bot plays this game without a search."""


def begun(services: Services) -> AnyMatch:
    """Return a match of Mice Cake between a strong bot and a person, in one of the last rounds."""
    seats = (SeatSpec("bot", level="strong"), SeatSpec("human", player="p_ann"))
    match = services.matches.creation.create("p_ann", "mice_cake", seats, {}, position=LAST_ROUNDS).match
    for _ in range(3):
        handlers.play_bot(match.id, match.ply)
        match = services.matches.repository.load(match.id)
        move = next(iter(match.rules.legal_moves(match.state, 1)))
        match = services.matches.commands.submit(
            match.id, Play(1, msgspec.to_builtins(move)), key("p_ann", match)
        ).match
    return match


def key(player: str, match: AnyMatch) -> IdempotencyKey:
    return IdempotencyKey(player, f"{match.ply}")


def resigned(services: Services, match: AnyMatch) -> AnyMatch:
    """Return the match after the person resigned."""
    return services.matches.commands.submit(match.id, Play(1, {"type": "resign"}), key("p_ann", match)).match


def moves_of(services: Services, match: AnyMatch) -> list[BotDecision]:
    return load_decisions(services.runtime.redis, match.id, services.matches.repository.visible_events(match, None))


def test_a_running_match_reveals_no_decisions(services: Services, app: Flask) -> None:
    match = begun(services)
    answer = app.test_client().get(f"/api/v1/matches/{match.id}/bots")
    assert (answer.status_code, answer.json["code"]) == (409, "not_over")
    assert "seed" not in answer.text


def test_every_decision_of_a_bot_is_revealed_at_the_end_and_repeatable(services: Services, app: Flask) -> None:
    match = resigned(services, begun(services))
    moves = app.test_client().get(f"/api/v1/matches/{match.id}/bots").json["moves"]
    assert [move["seat"] for move in moves] == [0, 0, 0]
    assert all(move["budget"] == {"iterations": 12, "seconds": None} for move in moves)
    assert len({move["seed"] for move in moves}) == 3
    replay = read_replay(replay_file_of(services.matches.repository.log_lines(match.id)))
    for decision in moves_of(services, match):
        explained = explain(replay, decision)
        assert explained.is_same, explanation_lines(explained)
        assert explained.choice.search is not None
        assert explained.choice.search.iterations == decision.iterations


def test_a_wrong_recorded_seed_is_detected(services: Services) -> None:
    match = resigned(services, begun(services))
    replay = read_replay(replay_file_of(services.matches.repository.log_lines(match.id)))
    honest = moves_of(services, match)
    anything = replace(honest[0], level="random", engine="random", version=1, budget=None)
    assert not all(explain(replay, replace(anything, seed=f"{n}")).is_same for n in range(40))
    with pytest.raises(CannotExplain, match="version 99"):
        explain(replay, replace(honest[0], version=99))
    with pytest.raises(CannotExplain, match="no move of seat 1"):
        explain(replay, replace(honest[0], seat=1))


def test_a_decision_without_its_move_is_ignored(services: Services) -> None:
    match = resigned(services, begun(services))
    [first, *_] = moves_of(services, match)
    record_decision(services.runtime.redis, match.id, {"type": "resign"}, replace(first, seed="another's"))
    assert moves_of(services, match)[0] == first


def test_the_command_shows_candidates_and_the_plies_of_bot_moves(services: Services, url: str) -> None:
    match = resigned(services, begun(services))
    decision = moves_of(services, match)[-1]
    shown = CliRunner().invoke(bot, ["explain", match.id, str(decision.ply), "--url", url])
    assert shown.exit_code == 0, shown.output
    assert "repeated: the same move" in shown.output
    assert "visits  value" in shown.output
    assert "> {" in shown.output
    none = CliRunner().invoke(bot, ["explain", match.id, "1", "--url", url])
    assert none.exit_code == 1
    assert f"House bots moved at: {', '.join(str(move.ply) for move in moves_of(services, match))}." in none.output
    gone = CliRunner().invoke(bot, ["explain", "00aaaaaaaaaaaaaaaa", "1", "--url", url])
    assert gone.exit_code == 1
    assert "There is no such match." in gone.output


@pytest.mark.parametrize("match", ["no such", "é", "", "..", "a/b?c#d"])
def test_an_unknown_match_is_reported(url: str, match: str) -> None:
    found = CliRunner().invoke(bot, ["explain", match, "3", "--url", url])
    assert isinstance(found.exception, SystemExit)
    assert found.exit_code == 1
    assert re.match("Error: There is (no such match|nothing at this path)", found.output), found.output


def test_an_address_that_is_not_a_crumbtrail_server_is_reported(app: Flask, url: str) -> None:
    """Given the address of unrelated pages or JSON, or an invalid address, then an error message says so."""
    app.add_url_rule(
        "/other/api/v1/<path:path>", "other", lambda path: {"another": "interface"}, methods=["GET", "POST"]
    )
    app.add_url_rule("/pages/api/v1/<path:path>", "pages", lambda path: "<html>", methods=["GET", "POST"])
    for address in (f"{url}/other", f"{url}/pages"):
        for words in (["explain", "a", "3"], ["check", "--", "true"]):
            found = CliRunner().invoke(bot, [words[0], "--url", address, *words[1:]])
            assert isinstance(found.exception, SystemExit), found.exception
            assert (found.exit_code, "is not a Crumbtrail server. Set --url to one" in found.output) == (1, True)
    for address in ("nonsense", "http://", "http://[", "file:///etc/passwd"):
        found = CliRunner().invoke(bot, ["explain", "a", "3", "--url", address])
        assert isinstance(found.exception, SystemExit), found.exception
        assert (found.exit_code, "use http:// or https://" in found.output) == (2, True)


def test_unknown_games_and_levels_are_reported(url: str) -> None:
    chess = CliRunner().invoke(bot, ["check", "--url", url, "--game", "chess", "--", "true"])
    assert (chess.exit_code, "'chess'" in chess.output, "mice_cake" in chess.output) == (1, True, True), chess.output
    deep = CliRunner().invoke(bot, ["check", "--url", url, "--level", "deep", "--", "true"])
    assert (deep.exit_code, "'deep' is not one of 'random'" in deep.output) == (2, True), deep.output


def test_an_untried_move_has_no_value() -> None:
    tried, untried = candidate_lines(
        [Candidate({"type": "a"}, 3, 0.5), Candidate({"type": "b"}, 0, 0.0)], {"type": "a"}
    )
    assert tried.startswith("     3  0.500  ####")
    assert untried.split() == ["0", '{"type":"b"}']
    assert tried.index("{") == untried.index("{")


def test_a_choice_without_a_search_is_reported_as_such() -> None:
    choice = BotChoice({"type": "a"}, SearchResult({"type": "a"}, 0, (Candidate({"type": "a"}, 0, 0.0),)))
    decision = BotDecision(3, 0, "strong", "engine", 1, Budget(1, 1.8), 0, "s")
    lines = explanation_lines(Explanation(decision, {"type": "a"}, choice, is_same=True))
    assert "chosen by the game's policy, without a search" in lines
    assert not any("0.000" in line for line in lines)

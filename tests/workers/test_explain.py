"""A bot's move is noted, told after the end only, and can be run again."""

import re
from collections.abc import Iterator

import msgspec
import pytest
from click.testing import CliRunner
from flask import Flask
from msgspec.structs import replace
from werkzeug.serving import make_server

from domain.match.commands import Play, SeatSpec
from domain.match.state import AnyMatch
from replays.file import read_replay
from service.bootstrap import Services
from service.bots.decision_log import BotDecision, Budget, load_decisions, record_decision
from service.matches.results import IdempotencyKey
from service.verification.audits import replay_file_of
from service.wsgi import create_app
from workers.bots.commands import bot
from workers.bots.explain import CannotExplain, Explanation, candidate_lines, explain, explanation_lines
from workers.bots.levels import LEVELS, BotChoice
from workers.bots.search import Candidate, SearchResult
from workers.handlers import matches as handlers


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LEVELS, "strong", replace(LEVELS["strong"], budget=Budget(12, 600)))


@pytest.fixture
def app(services: Services) -> Flask:
    return create_app(services)


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    """The application at an address."""
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
"""Before them the bot plays this game without a thought."""


def begun(services: Services) -> AnyMatch:
    """A match of a strong bot and a person in Mice Cake, some of the last rounds on."""
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
    """The match given up by the person."""
    return services.matches.commands.submit(match.id, Play(1, {"type": "resign"}), key("p_ann", match)).match


def moves_of(services: Services, match: AnyMatch) -> list[BotDecision]:
    return load_decisions(services.runtime.redis, match.id, services.matches.repository.visible_events(match, None))


def test_nothing_is_told_while_the_match_runs(services: Services, app: Flask) -> None:
    match = begun(services)
    answer = app.test_client().get(f"/api/v1/matches/{match.id}/bots")
    assert (answer.status_code, answer.json["code"]) == (409, "not_over")
    assert "seed" not in answer.text


def test_every_move_of_a_bot_is_told_at_the_end_and_gives_the_same_again(services: Services, app: Flask) -> None:
    match = resigned(services, begun(services))
    told = app.test_client().get(f"/api/v1/matches/{match.id}/bots").json["moves"]
    assert [move["seat"] for move in told] == [0, 0, 0]
    assert all(move["budget"] == {"iterations": 12, "seconds": 600.0} for move in told)
    assert len({move["seed"] for move in told}) == 3
    replay = read_replay(replay_file_of(services.matches.repository.log_lines(match.id)))
    for noted in moves_of(services, match):
        explained = explain(replay, noted)
        assert explained.is_same, explanation_lines(explained)
        assert explained.choice.thought is not None
        assert explained.choice.thought.iterations == noted.iterations


def test_another_seed_than_the_noted_one_is_found_out(services: Services) -> None:
    match = resigned(services, begun(services))
    replay = read_replay(replay_file_of(services.matches.repository.log_lines(match.id)))
    honest = moves_of(services, match)
    anything = replace(honest[0], level="random", engine="random", version=1, budget=None)
    assert not all(explain(replay, replace(anything, seed=f"{n}")).is_same for n in range(40))
    with pytest.raises(CannotExplain, match="version 99"):
        explain(replay, replace(honest[0], version=99))
    with pytest.raises(CannotExplain, match="no move of seat 1"):
        explain(replay, replace(honest[0], seat=1))


def test_the_note_of_a_move_that_was_not_made_does_not_count(services: Services) -> None:
    match = resigned(services, begun(services))
    [first, *_] = moves_of(services, match)
    record_decision(services.runtime.redis, match.id, {"type": "resign"}, replace(first, seed="another's"))
    assert moves_of(services, match)[0] == first


def test_the_command_shows_candidates_and_says_what_there_is(services: Services, url: str) -> None:
    match = resigned(services, begun(services))
    noted = moves_of(services, match)[-1]
    shown = CliRunner().invoke(bot, ["explain", match.id, str(noted.ply), "--url", url])
    assert shown.exit_code == 0, shown.output
    assert "run again: the same move" in shown.output
    assert "visits  value" in shown.output
    assert "> {" in shown.output
    none = CliRunner().invoke(bot, ["explain", match.id, "1", "--url", url])
    assert none.exit_code == 1
    assert f"There are: {', '.join(str(move.ply) for move in moves_of(services, match))}." in none.output
    gone = CliRunner().invoke(bot, ["explain", "00aaaaaaaaaaaaaaaa", "1", "--url", url])
    assert gone.exit_code == 1
    assert "There is no such match." in gone.output


@pytest.mark.parametrize("match", ["no such", "é", "", "..", "a/b?c#d"])
def test_what_is_no_match_is_said_so(url: str, match: str) -> None:
    found = CliRunner().invoke(bot, ["explain", match, "3", "--url", url])
    assert isinstance(found.exception, SystemExit)
    assert found.exit_code == 1
    assert re.match("Error: There is (no such match|nothing at this path)", found.output), found.output


def test_an_address_that_is_no_service_is_said_so(app: Flask, url: str) -> None:
    """Given an address of pages, of JSON that is another's, and texts that are no address, then a sentence says it."""
    app.add_url_rule(
        "/other/api/v1/<path:path>", "other", lambda path: {"another": "interface"}, methods=["GET", "POST"]
    )
    app.add_url_rule("/pages/api/v1/<path:path>", "pages", lambda path: "<html>", methods=["GET", "POST"])
    for address in (f"{url}/other", f"{url}/pages"):
        for words in (["explain", "a", "3"], ["check", "--", "true"]):
            found = CliRunner().invoke(bot, [words[0], "--url", address, *words[1:]])
            assert isinstance(found.exception, SystemExit), found.exception
            assert (found.exit_code, "is no service of ours: name one by --url" in found.output) == (1, True)
    for address in ("nonsense", "http://", "http://[", "file:///etc/passwd"):
        found = CliRunner().invoke(bot, ["explain", "a", "3", "--url", address])
        assert isinstance(found.exception, SystemExit), found.exception
        assert (found.exit_code, "a service is at http://" in found.output) == (2, True)


def test_games_and_levels_that_there_are_not_are_named(url: str) -> None:
    chess = CliRunner().invoke(bot, ["check", "--url", url, "--game", "chess", "--", "true"])
    assert (chess.exit_code, "'chess'" in chess.output, "mice_cake" in chess.output) == (1, True, True), chess.output
    deep = CliRunner().invoke(bot, ["check", "--url", url, "--level", "deep", "--", "true"])
    assert (deep.exit_code, "'deep' is not one of 'random'" in deep.output) == (2, True), deep.output


def test_nothing_is_said_of_the_worth_of_a_move_that_was_not_tried() -> None:
    tried, untried = candidate_lines(
        [Candidate({"type": "a"}, 3, 0.5), Candidate({"type": "b"}, 0, 0.0)], {"type": "a"}
    )
    assert tried.startswith("     3  0.500  ####")
    assert untried.split() == ["0", '{"type":"b"}']
    assert tried.index("{") == untried.index("{")


def test_a_choice_without_a_search_says_so() -> None:
    choice = BotChoice({"type": "a"}, SearchResult({"type": "a"}, 0, (Candidate({"type": "a"}, 0, 0.0),)))
    noted = BotDecision(3, 0, "strong", "engine", 1, Budget(1, 1.8), 0, "s")
    words = explanation_lines(Explanation(noted, {"type": "a"}, choice, is_same=True))
    assert "chosen by the game's policy, without a search" in words
    assert not any("0.000" in line for line in words)

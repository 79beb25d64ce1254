"""Score sheets, the score over time, and the draws of a ply."""

import html
import re

import pytest
from flask import Flask

from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game, games
from replays.draw_report import report_draws
from replays.replay import NotVisible, Replay
from service.bootstrap import Services
from service.web.sparkline import score_plot
from tests.builders import greedy_agent, play_match, replay_file, sit_down
from tests.service.web.visitors import Visitor

every_game = pytest.mark.parametrize("game", list(games().values()), ids=lambda game: game.slug)


def archived(services: Services, game: AnyGame) -> str:
    """Import a finished match of a game and return its id."""
    from service.event_store.keys import new_match_id

    return services.matches.imported.import_file(
        replay_file(play_match(game, match=new_match_id(), agent=greedy_agent))
    )


@every_game
def test_every_game_has_a_consistent_score_sheet_with_rules_and_plies(
    app: Flask, services: Services, game: AnyGame
) -> None:
    match = archived(services, game)
    page = Visitor(app).open(f"/matches/{match}/score")
    assert page.status == 200
    assert page.reader.faults == []
    assert "Both counts agree on every line." in page.text
    sheet = game.score(services.matches.repository.load(match).state)
    for line in sheet.lines:
        assert line.rule in page.html
        assert html.escape(game.describe_item(line), quote=False) in page.html.replace("&#39;", "'")
        assert "_" not in game.describe_item(line)
    assert page.html.count("<tr>") == 1 + len(sheet.lines) + len(sheet.totals)
    linked = {int(found) for found in re.findall(r"/replay\?ply=(\d+)", page.html)}
    assert linked <= set(range(1, services.matches.repository.load(match).ply + 1))
    if any(line.facts for line in sheet.lines):
        assert linked


@every_game
def test_the_replay_shows_the_score_over_time_and_the_draws(app: Flask, services: Services, game: AnyGame) -> None:
    match = archived(services, game)
    visitor = Visitor(app)
    last = services.matches.repository.load(match).ply
    for ply in (1, 4, last):
        page = visitor.open(f"/matches/{match}/replay?ply={ply}")
        assert page.status == 200
        assert page.reader.faults == []
        assert 'class="plot"' in page.html
        assert page.html.count("<polyline") >= len(game.seat_names(game.seat_counts[0]))


def test_a_running_match_has_no_score_sheet_and_no_plot(app: Flask) -> None:
    visitor = Visitor(app)
    table = visitor.new_match("tic_tac_toe", seat0="me", seat1="me")
    match = table.path.split("/")[2]
    assert visitor.open(f"/matches/{match}/score").status == 404
    replay = visitor.open(f"/matches/{match}/replay")
    assert 'class="plot"' not in replay.html
    assert "Random draws of this move" not in replay.text


def test_the_draw_report_lists_draws_and_their_odds() -> None:
    replay = Replay(tuple(play_match(find_game("mice_cake"))))
    started = next(event.ply for event in replay.events if event.draw == 0)
    shuffle = report_draws(replay, started)
    assert [draw.below for draw in shuffle.draws] == list(range(28, 1, -1))
    rolled = next(event for event in replay.events if any(hasattr(fact, "dice") for fact in event.facts))
    dice = [die for fact in rolled.facts for die in (getattr(fact, "dice", ()) if hasattr(fact, "total") else ())]
    luck = report_draws(replay, rolled.ply)
    assert [draw.value + 1 for draw in luck.draws] == dice
    assert luck.one_in == 6 ** len(dice)
    assert report_draws(replay, 1).draws == ()


def test_draws_are_secret_until_the_match_is_over() -> None:
    with pytest.raises(NotVisible, match="revealed"):
        report_draws(Replay(tuple(sit_down(find_game("mice_cake")).events)), 4)


def test_a_plot_has_one_line_per_seat() -> None:
    drawn = score_plot([None, (0, 0), (5, -2), (7, 3)], ("a", "<b>"), 3)
    assert drawn.count("<polyline") == 2
    assert "&lt;b&gt; 3" in drawn
    assert score_plot([None, (0, 0)], ("a", "b"), 1) == ""
    assert "b no score" in score_plot([(None, None), (5, None)], ("a", "b"), 1)

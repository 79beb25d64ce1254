"""The arena: figures that follow from the seed, intervals, files that hold what they say, Ctrl-C keeps what is done."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from replays.verify import verify
from workers import arena as command
from workers.arena import arena
from workers.bots.page import page
from workers.bots.series import Played, Series
from workers.bots.standings import interval, lengths, rating, standings

QUICK = ("--bots", "greedy,random", "--games", "6", "--seed", "s")


def run(*words: str) -> Result:
    return CliRunner().invoke(arena, [*words])


def played(number: int, bots: tuple[int, ...], shares: tuple[float, ...]) -> Played:
    times = (0.5,) * len(bots)
    return Played(number, "00", bots, shares, (1,) * len(bots), 10 + number, "score", times, times)


def test_the_table_the_json_and_the_page_say_the_same(tmp_path: Path) -> None:
    files = {"--json": tmp_path / "a.json", "--html": tmp_path / "a.html", "--replays": tmp_path / "replays"}
    result = run("mice_cake", *QUICK, *(str(word) for pair in files.items() for word in pair))
    assert result.exit_code == 0, result.output
    results = msgspec.json.decode(files["--json"].read_bytes())
    greedy, other = results["standings"]
    assert greedy["share"] + other["share"] == pytest.approx(1)
    assert f"{greedy['share']:.1%}" in result.output
    text = files["--html"].read_text()
    assert f"{greedy['low']:.1%} to {greedy['high']:.1%}" in text
    assert not re.search(r"(src|href)=|https?:", text), "it needs nothing else"
    written = sorted(files["--replays"].iterdir())
    assert [match["number"] for match in results["matches"]] == list(range(6)) == list(range(len(written)))
    assert all(verify(file.read_bytes()).ok for file in written)


def test_the_command_that_it_names_plays_the_same_again_on_any_number_of_processes(tmp_path: Path) -> None:
    first = run("tic_tac_toe", *QUICK, "--json", str(tmp_path / "1"))
    again = re.search(r"again: crumbtrail arena (.*)", first.output)
    assert again
    second = run(*again[1].split(), "--jobs", "2", "--json", str(tmp_path / "2"))
    assert second.exit_code == 0, second.output

    def matches(name: str) -> list[Any]:
        found = msgspec.json.decode((tmp_path / name).read_bytes())["matches"]
        return [{k: v for k, v in match.items() if k not in ("slowest", "thinking")} for match in found]

    assert matches("1") == matches("2")


def test_ctrl_c_keeps_what_is_done(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    play_one = command.play_one

    def interrupted(series: Series, number: int, replays: Path | None) -> Played:
        if number == 4:
            raise KeyboardInterrupt
        return play_one(series, number, replays)

    monkeypatch.setattr(command, "play_one", interrupted)
    result = run("tic_tac_toe", *QUICK, "--json", str(tmp_path / "a"))
    assert result.exit_code == 0, result.output
    assert "Stopped after 4 of 6 matches." in result.output
    assert len(msgspec.json.decode((tmp_path / "a").read_bytes())["matches"]) == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("chess",), "there is no game 'chess'"),
        (("mice_cake", "--bots", "greedy,deep"), "there is no 'deep'; there are random, easy, greedy, strong"),
        (("mice_cake", "--seats", "3"), "Mice Cake is played by 2"),
        (("mice_cake", "--option", "matches=no"), "matches: exhaust, boost"),
    ],
)
def test_what_cannot_be_is_said_so(words: tuple[str, ...], said: str) -> None:
    result = run(*words)
    assert result.exit_code != 0
    assert said in result.output


def test_shares_intervals_and_ratings() -> None:
    matches = [played(0, (0, 1), (1.0, 0.0)), played(1, (1, 0), (0.5, 0.5)), played(2, (0, 1), (1.0, 0.0))]
    mine, theirs = standings(("a", "b"), matches)
    assert (mine.share, theirs.share) == (0.8333, 0.1667)
    assert mine.by_seat == (1.0, 0.5)
    assert mine.rating == -theirs.rating > 0
    assert (lengths(matches).least, lengths(matches).most) == (10, 12)
    # Wilson's interval for 60 of 100, as tables of it have it
    assert interval([1.0] * 60 + [0.0] * 40) == pytest.approx((0.6, 0.5020, 0.6906), abs=1e-4)
    assert interval([]) == (0.0, 0.0, 1.0)
    assert rating(10 / 11) == pytest.approx(400)


def test_a_table_of_three_with_two_bots_expects_each_seats_share() -> None:
    matches = [played(n, ((n) % 2, (n + 1) % 2, n % 2), (1 / 3, 1 / 3, 1 / 3)) for n in range(4)]
    assert [one.rating for one in standings(("a", "b"), matches)] == [0.0, 0.0]


def test_a_page_escapes_what_it_is_given() -> None:
    series = Series("<b>", ("<i>",), "s", {}, 1)
    text = page(series, standings(series.bots, [played(0, (0,), (1.0,))]), lengths([]), [], "a < b")
    assert "<b>" not in text
    assert "<i>" not in text
    assert "a &lt; b" in text

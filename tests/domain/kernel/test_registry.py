"""Installed games: what can't be loaded is skipped and named, and takes nothing else down."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from domain.kernel import registry
from tests.installed import NOUGHTS, Packages, installed_packages

HOUSE = ["bakers_brawl", "battle_of_the_bakeries", "mice_cake", "pie_contest", "take_the_cake", "tic_tac_toe"]
GAME = NOUGHTS.format(digest="")


@pytest.fixture
def packages(tmp_path: Path) -> Iterator[Packages]:
    with installed_packages(tmp_path / "site") as packages:
        yield packages


def skipped() -> dict[str, str]:
    """Return the reasons by module."""
    return {game.module: game.reason for game in registry.skipped_games()}


def test_an_installed_game_is_found(packages: Packages) -> None:
    packages.install("noughts", GAME)
    assert list(registry.games()) == sorted([*HOUSE, "noughts"])
    assert registry.find_game("noughts").title == "Noughts"
    assert registry.package_of("noughts") == "noughts"
    assert skipped() == {}


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import a_package_that_is_missing", "ModuleNotFoundError: No module named 'a_package_that_is_missing'"),
        ("def", "SyntaxError: "),
        ("raise SystemExit('no licence')", "SystemExit: no licence"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("GAME = 'noughts'", "GAME or EARLIER is missing or holds something that is not a Game"),
        ("", "GAME or EARLIER is missing"),
        (GAME + "\nEARLIER = 5", "TypeError: "),
        (GAME + "\nEARLIER = (GAME,)", "it has two games with the slug noughts and rules version 2"),
        (GAME + "\nGAME = replace(GAME, slug='list:*')", "its slug 'list:*' is not made of letters"),
        (GAME + "\nGAME = replace(GAME, slug='')", "its slug '' is not made of letters"),
        (GAME + "\nGAME = replace(GAME, slug='../x')", "its slug '../x' is not made of letters"),
        (GAME + "\nGAME = replace(GAME, slug='mice_cake')", "its slug mice_cake is also that of a built-in game"),
        (
            GAME + "\nGAME = replace(GAME, slug='mice_cake', rules_version=99)",
            "its slug mice_cake is also that of a built-in game",
        ),
    ],
)
def test_a_package_that_cannot_be_used_is_skipped_and_named(packages: Packages, source: str, reason: str) -> None:
    """Given a broken package next to a good one, then only the broken one is skipped, with its name and the reason."""
    packages.install("broken", source)
    packages.install("good", GAME.replace('"noughts"', '"good"'))
    assert list(registry.games()) == sorted([*HOUSE, "good"])
    assert list(skipped()) == ["broken"]
    assert skipped()["broken"].startswith(reason)
    [game] = registry.skipped_games()
    assert game.package == "broken 1.0"
    assert game.as_text().startswith("broken (package broken 1.0): ")


def test_no_package_takes_the_slug_of_a_built_in_game(packages: Packages) -> None:
    packages.install("thief", GAME + "\nGAME = replace(GAME, slug='mice_cake', rules_version=99)")
    assert registry.find_game("mice_cake").title == "Mice Cake"
    assert registry.package_of("mice_cake") == "domain.games.mice_cake"
    with pytest.raises(registry.UnknownGame):
        registry.find_game("mice_cake", 99)


def test_packages_with_the_same_slug_are_all_skipped(packages: Packages) -> None:
    """We can't know to which of them the stored matches belong, so nobody can move until one is uninstalled."""
    packages.install("one", GAME)
    packages.install("two", GAME)
    assert list(registry.games()) == HOUSE
    assert skipped() == {
        "one": "its slug noughts is also that of two 1.0",
        "two": "its slug noughts is also that of one 1.0",
    }
    packages.uninstall("two")
    assert registry.package_of("noughts") == "one"


def test_two_entry_points_of_one_module_are_one_game(packages: Packages) -> None:
    packages.install("noughts", GAME)
    packages.install("again", "", entry="noughts")
    assert registry.package_of("noughts") == "noughts"
    assert skipped() == {}


def test_an_entry_point_that_names_nothing_is_skipped(packages: Packages) -> None:
    packages.install("hollow", GAME, entry="hollow:NOTHING")
    packages.install("lost", GAME, entry="nowhere.at.all")
    assert list(registry.games()) == HOUSE
    assert skipped()["hollow:NOTHING"].startswith("AttributeError")
    assert skipped()["nowhere.at.all"].startswith("ModuleNotFoundError")


def test_a_game_that_is_gone_is_named(packages: Packages) -> None:
    with pytest.raises(registry.GameNotInstalled) as caught:
        registry.find_pinned_game("noughts", 3)
    assert (caught.value.slug, caught.value.rules_version) == ("noughts", 3)
    assert not registry.is_installed("noughts")
    assert registry.is_installed("mice_cake")

"""The draw table of each rules version: following it makes every draw that the rules make, from the same streams."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from typing import Any

import pytest

from domain.kernel.chance import Chance
from domain.kernel.draw_tables import drawing_steps
from domain.kernel.game import AnyGame, DrawTable
from domain.kernel.luck import PURPOSE, SEATS_PURPOSE
from domain.kernel.registry import all_versions, package_of
from tests.builders import greedy_agent
from tests.contract.cases import GAMES, seatings
from tests.contract.draw_reader import TableReader
from tests.contract.rules_play import Draw, PlayedGame, chance_of, play_by_rules, sample_games

NAME = "{0.slug}-{0.rules_version}".format
TABLES = [game for game in all_versions() if game.draws is not None]
BY_PURPOSE = [game for game in GAMES if game.luck_protocol == 2]
HOUSE_GAMES = [game for game in GAMES if (package_of(game.slug) or "").startswith("domain.games.")]
TERMS = {"dice": (1,), "below": (2,), "pick": (2,), "shuffle": (3, 4), "spread": (6,)}
"""How many terms a drawing step may have after its verb and purpose."""

every_version = pytest.mark.parametrize("game", TABLES, ids=NAME)
every_purpose = pytest.mark.parametrize("game", BY_PURPOSE, ids=NAME)


def table_of(game: AnyGame) -> DrawTable:
    """Return the draw table of a rules version that has one."""
    assert game.draws is not None
    return game.draws


def seated_versions() -> Iterator[Any]:
    """Yield each rules version with each number of seats, marked like the newest version.

    Earlier versions no longer change, and their goldens are always tested, so their cases are left to `make check`.
    """
    for case in seatings():
        newest, seats = case.values
        for game in TABLES:
            if game.slug == newest.slug:
                marks = case.marks if game.rules_version == newest.rules_version else pytest.mark.full
                yield pytest.param(game, seats, marks=marks, id=f"{NAME(game)}-{seats}")


every_seating = pytest.mark.parametrize(("game", "seats"), list(seated_versions()))


# -- the table and the rules ------------------------------------------------------------------------------------------


@pytest.mark.slow
@every_seating
def test_the_table_makes_the_draws_of_the_rules(game: AnyGame, seats: int) -> None:
    for played in sample_games(game, seats):
        reader = TableReader(played, played.seed)
        assert reader.mismatches == [], played.options
        for event, draws in zip(played.events, reader.events, strict=True):
            if game.luck_protocol == 1:
                assert plain_draws(draws) == plain_draws(event.draws)
            else:
                assert by_use(draws) == by_use(event.draws)


def plain_draws(draws: list[Draw]) -> list[tuple[int, int]]:
    """Return the draws of protocol 1, which all come from one source."""
    return [(draw.below, draw.value) for draw in draws]


def by_use(draws: list[Draw]) -> dict[tuple[str, int], list[Draw]]:
    """Return the draws of each use. The uses of different purposes may alternate in any way."""
    found: dict[tuple[str, int], list[Draw]] = {}
    for draw in draws:
        found.setdefault((draw.purpose, draw.use), []).append(draw)
    return found


@pytest.mark.slow
@every_seating
def test_other_draws_do_not_fit_the_facts(game: AnyGame, seats: int) -> None:
    """Without this, a table that compares nothing would pass the test above."""
    for played in sample_games(game, seats):
        reader = TableReader(played, "another seed")
        assert bool(reader.mismatches) == any(played.draws)


@pytest.mark.slow
@pytest.mark.parametrize("game", HOUSE_GAMES, ids=NAME)
def test_the_samples_contain_every_fact_that_draws(game: AnyGame) -> None:
    """If this fails: add a seed to `RARE`."""
    drawn = {kind for kind, steps in table_of(game).facts.items() if list(drawing_steps(steps))}
    sampled = sample_games(game, game.seat_counts[-1])
    assert drawn <= {fact["type"] for played in sampled for event in played.events for fact in event.facts}


# -- purposes -------------------------------------------------------------------------------------------------------


def faulty_steps(table: DrawTable) -> list[Any]:
    """Return the drawing steps with a wrong number of terms, or without a well-formed purpose under protocol 2."""
    steps = [step for steps in table.facts.values() for step in drawing_steps(steps)]
    return [step for step in steps if not is_well_formed(table.protocol, *step)]


def is_well_formed(protocol: int, verb: str, *arguments: Any) -> bool:
    """Return whether a drawing step has the right form."""
    if protocol == 1:
        return len(arguments) in TERMS[verb]
    purpose = re.sub(r"\{\w+\}", "0", arguments[0]) if isinstance(arguments[0], str) else ""
    is_purpose = PURPOSE.match(purpose) is not None and purpose != SEATS_PURPOSE
    return is_purpose and len(arguments) - 1 in TERMS[verb] and ("/" in purpose or verb != "dice")


@every_version
def test_each_drawing_step_has_a_well_formed_purpose_exactly_under_protocol_2(game: AnyGame) -> None:
    assert faulty_steps(table_of(game)) == []


@pytest.mark.parametrize(
    "step",
    [
        ("dice", "dice"),
        ("dice", "dice", "dice"),
        ("dice", "Dice/{seat}", "dice"),
        ("below", "seats", "@seats", "seat"),
        ("shuffle", "=cards", "deck", "order"),
        ("shuffle", "the deck", "=cards", "deck", "order"),
        ("when", "seat", 0, (("pick", "#hand", "card"),)),
    ],
)
def test_a_step_without_a_well_formed_purpose_is_found(step: Any) -> None:
    assert len(faulty_steps(DrawTable(facts={"drawn": (step,)}, protocol=2))) == 1


@pytest.mark.slow
@every_purpose
def test_seats_never_share_dice(game: AnyGame) -> None:
    seats = max(game.seat_counts)
    names = game.seat_names(seats)
    for played in sample_games(game, seats):
        for purpose, seat in TableReader(played, played.seed).dice_of_seats:
            number = names.index(seat) if isinstance(seat, str) else seat
            assert number is None or purpose.endswith(f"/{number}")


@every_purpose
def test_rules_that_draw_without_a_purpose_are_refused(game: AnyGame) -> None:
    def careless_setup(seats: int, options: Any, chance: Chance) -> list[Any]:
        chance.die()
        return game.setup(seats, options, chance)

    with pytest.raises(ValueError, match="needs a purpose"):
        play_by_rules(replace(game, setup=careless_setup), game.seat_counts[0])


# -- streams --------------------------------------------------------------------------------------------------------


def same_luck(game: AnyGame, seats: int) -> list[PlayedGame]:
    """Return games with the same key in which the seats make different moves."""
    played = [play_by_rules(game, seats, moves=n) for n in range(3)]
    return [*played, play_by_rules(game, seats, agent=greedy_agent), play_by_rules(game, seats, resign_in=10)]


@pytest.mark.slow
@every_purpose
def test_every_use_is_the_same_no_matter_what_was_played_before(game: AnyGame) -> None:
    for seats in {game.seat_counts[0], game.seat_counts[-1]}:
        for played in same_luck(game, seats):
            for (purpose, use), draws in played.uses.items():
                stream = chance_of(game, seats, played.seed, uses={purpose: use}).use(purpose)
                assert [stream.below(draw.below) for draw in draws] == [draw.value for draw in draws]


@pytest.mark.slow
@every_purpose
def test_streams_are_the_same_in_matches_with_other_moves(game: AnyGame) -> None:
    first, *others = same_luck(game, game.seat_counts[0])
    compared = set()
    for other in others:
        assert other.events != first.events
        for key in first.uses.keys() & other.uses.keys():
            pairs = zip(first.uses[key], other.uses[key], strict=False)
            same_questions = list(takewhile(lambda pair: pair[0].below == pair[1].below, pairs))
            assert all(one == another for one, another in same_questions)
            compared |= {key for _ in same_questions}
    assert {purpose for purpose, _ in compared} >= {draw.purpose for draw in first.events[0].draws}
    if any(event.draws for event in first.events[1:]):
        assert compared - first.events[0].uses, "a use after the set-up was compared"


@pytest.mark.slow
@every_purpose
def test_the_uses_of_each_purpose_count_from_0(game: AnyGame) -> None:
    for played in sample_games(game, game.seat_counts[0]):
        uses: dict[str, list[int]] = {}
        for purpose, use in played.uses:
            uses.setdefault(purpose, []).append(use)
        assert all(numbers == list(range(len(numbers))) for numbers in uses.values())

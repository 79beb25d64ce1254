"""Faults of pages that players have reported, each with the words or fields that must not come back."""

import re
from pathlib import Path

import pytest
from msgspec import to_builtins

from domain.games.pie_contest.presentation.score_text import PARTS
from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame, OptionHelp, OptionValue, ScoreLine
from domain.kernel.registry import games
from domain.match.commands import Play, SeatSpec
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.matches.results import IdempotencyKey
from service.web.standing_orders import describe_move
from tests.service.web.visitors import Visitor, match_id_of

ROOT = Path(__file__).parents[3]
TEMPLATES = [*ROOT.glob("service/web/**/*.html"), *ROOT.glob("domain/games/*/presentation/**/*.html")]
FORM_PROPERTIES = {
    *("acceptCharset", "action", "autocomplete", "elements", "encoding", "enctype", "length", "method", "noValidate"),
    *("target", "rel", "relList", "submit", "reset", "requestSubmit", "checkValidity", "reportValidity"),
    *("matches", "closest", "contains", "children", "parentNode", "remove", "append", "prepend", "before", "after"),
    *("replaceWith", "querySelector", "querySelectorAll", "dataset", "classList", "className", "id", "title", "hidden"),
    *("style", "focus", "blur", "click", "attributes", "getAttribute", "setAttribute", "innerHTML", "textContent"),
    *("isConnected", "addEventListener", "removeEventListener", "dispatchEvent", "lang", "dir", "slot", "part", "role"),
}
"""Properties of a form that a field with the same name would hide from scripts."""
EVERY_GAME = pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)


def offered_options() -> list[tuple[AnyGame, OptionHelp]]:
    return [(game, option) for game in games().values() for option in game.option_help]


# -- fields ----------------------------------------------------------------------------------------------------


@EVERY_GAME
def test_no_field_hides_a_property_of_its_form(ann: Visitor, game: AnyGame) -> None:
    """`form.matches` was a group of radio buttons, so scripts could not ask what the form matches."""
    fields = ann.open(f"/new/{game.slug}").form(f"/new/{game.slug}")
    assert not FORM_PROPERTIES & {*fields.fields, *fields.choices, *fields.buttons}
    written = {name for file in TEMPLATES for name in re.findall(r'\bname="([a-zA-Z_]+)"', file.read_text())}
    assert not FORM_PROPERTIES & written


# -- words ----------------------------------------------------------------------------------------------------


def legible(text: str) -> bool:
    """Return whether a text has no identifiers, tuples, JSON or bare numbers."""
    return not re.search(r"[{}\[\]_]|\('|'\)|\bJSON\b|^\d+$", text)


@pytest.mark.parametrize(
    ("game", "option"), offered_options(), ids=lambda one: getattr(one, "name", getattr(one, "slug", ""))
)
def test_option_values_have_names(game: AnyGame, option: OptionHelp) -> None:
    """No page says "Rec 01", "Hands: No" or a bare seat number."""
    seats: list[OptionValue] = [*range(2, max(game.seat_counts))] if set(option.values) == {"random", 0, 1} else []
    for value in (*option.values, *seats):
        label = option.label(value)
        assert legible(label), (option.name, value, label)
        assert not re.fullmatch(r"Rec \d+|No|Yes", label), (option.name, value, label)


def test_the_third_seat_is_named_in_the_options_of_a_match(ann: Visitor, services: Services) -> None:
    me = services.accounts.players.create_guest().id
    seats = (SeatSpec("human", player=me), *(SeatSpec("bot", level="random"),) * 2)
    for game, option in (
        ("bakers_brawl", "start_seat"),
        ("take_the_cake", "first_player"),
        ("pie_contest", "first_seat"),
    ):
        made = services.matches.creation.create(me, game, seats, {option: 2}).match
        text = ann.open(f"/matches/{made.id}").text
        assert f"Who goes first {made.rules.seat_names(3)[2].capitalize()}" in text


@pytest.mark.parametrize("part", PARTS)
def test_score_lines_of_pies_are_sentences(part: str) -> None:
    """No score sheet says "Pie 1: printed" or "Pie 1: per"."""
    game = games()["pie_contest"]
    words = game.describe_item(ScoreLine(0, "8.1", f"Pie 1: {part}", 3))
    assert words.startswith("Pie 1: ")
    assert words != f"Pie 1: {part}"
    assert len(words.split()) > 4


@EVERY_GAME
def test_standing_orders_are_in_the_words_of_the_game(services: Services, game: AnyGame) -> None:
    """No order says "Swap cards, cards ('jump_4',)" or "any move, as JSON"."""
    me = services.accounts.players.create_guest().id
    seats = [SeatSpec("human", player=me)] * game.seat_counts[0]
    match = services.matches.creation.create(me, game.slug, seats, {}, seed=b"words").match
    chance = Fast("words")
    for number in range(12):
        if match.status != "playing" or not match.to_move:
            break
        seat = min(match.to_move)
        moves = [move for move, _ in zip(game.legal_moves(match.state, seat), range(40), strict=False)]
        for move in moves:
            words = describe_move(match, seat, to_builtins(move))
            assert legible(words), words
        match = play(services, match, seat, to_builtins(chance.pick(moves)), number)


def play(services: Services, match: AnyMatch, seat: int, move: dict[str, object], number: int) -> AnyMatch:
    """Return the match after a move of the player at this seat."""
    by = IdempotencyKey(str(match.seats[seat].player), f"move {number}")
    return services.matches.commands.submit(match.id, Play(seat, move), by).match


@EVERY_GAME
def test_titles_read_well_inside_sentences(game: AnyGame) -> None:
    assert not re.search(r"[!?.:]", game.title), game.title
    assert len(game.title) <= 30


# -- looks ----------------------------------------------------------------------------------------------------


def test_signs_distinguish_the_odds_of_mice_cake(ann: Visitor) -> None:
    """Not everyone can see colours: the chance to tire has a sign of its own, and both are named for screen readers."""
    page = ann.open(f"/matches/{match_id_of(ann.send(ann.open('/').form('/play'), press='greedy'))}")
    odds = re.findall(r'<b class="take[^"]*">(\d+%)</b><span class="hidden">( to take)', page.html)
    sign = r'<svg [^>]*><use [^>]*#icon-sleep"/></svg>'
    tires = re.findall(rf'<span class="tire[^"]*">{sign}\d+%<span class="hidden">', page.html)
    assert len(odds) == len(tires) == page.html.count('<label class="odd at-') > 0
    assert not re.search(r"\bgreen|\bred\b", page.text)

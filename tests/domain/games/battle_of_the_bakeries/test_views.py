"""Views and redaction (section 7): no viewer learns more than allowed."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.games.battle_of_the_bakeries import GAME
from domain.games.battle_of_the_bakeries.rules.facts import (
    CardFlipped,
    ChefHired,
    ChefsLaidOut,
    Fact,
    PositionSet,
    RoundBegan,
)
from domain.games.battle_of_the_bakeries.rules.model import HIDDEN_PHASES, State
from domain.games.battle_of_the_bakeries.rules.moves import FlipCard, PlaceCake, Resign, RollDice, RollDie, StopFlipping
from domain.games.battle_of_the_bakeries.rules.parts import CARDS
from domain.games.battle_of_the_bakeries.rules.view import visible_faces
from domain.kernel.chance import Chance, Fast, Scripted
from domain.kernel.refusals import IllegalMove

from .builders import Played, at_random, exploring, first_turn, greedily, play_out, some_options, start

VIEWERS = (0, 1, None)
ATTEMPTS = (FlipCard(3), FlipCard(29), RollDie(), StopFlipping(), PlaceCake(0, 7), RollDice())
seeds = st.integers(0, 1 << 32)


def halted(seed: int, moves: int, **options: Any) -> Played:
    """Return a match stopped after this many moves."""
    chance = Fast(seed)
    played = start({**some_options(chance), **options}, chance=chance)
    player = chance.pick((at_random, greedily, exploring, exploring))
    for _ in range(moves):
        if played.over:
            break
        (seat,) = GAME.to_move(played.state)
        legal = list(GAME.legal_moves(played.state, seat))
        played.make(seat, player(played.state, seat, legal, chance), chance)
    return played


def served(state: State, facts: list[Fact], seat: int | None) -> list[Fact | None]:
    return [GAME.redact(state, fact, index, seat) for index, fact in enumerate(facts)]


def refusals(state: State, seat: int | None) -> Iterator[Any]:
    """Yield the code, rule and message of each refused attempt."""
    for move in ATTEMPTS:
        try:
            GAME.decide(state, seat or 0, move, Fast(1))
        except IllegalMove as refused:
            yield refused.code, refused.rule, refused.message


def everything_served(state: State, facts: list[Fact], seat: int | None) -> bytes:
    """Return everything a viewer gets as bytes: view, facts, legal moves, refusals, narration, text and picture."""
    view = GAME.view(state, seat)
    seen = served(state, facts, seat)
    narration = GAME.tell([fact for fact in seen if fact is not None])
    legal = [] if seat is None else list(GAME.legal_moves(state, seat))
    return msgspec.json.encode(
        [view, legal, seen, list(refusals(state, seat)), narration, GAME.text(view, seat), GAME.svg(view, seat)]
    )


def another_world(played: Played, seat: int | None, chance: Chance) -> tuple[State, list[Fact]]:
    """Return the same match with the cards that this viewer can't see now in a different order.

    Claimed cards are public and stay. The flips in the log are changed to match the new layout.
    """
    state, facts = played.state, played.facts
    began = max(n for n, fact in enumerate(facts) if isinstance(fact, RoundBegan))
    assert state.layout is not None
    fixed = {int(position) for position in visible_faces(state, seat)} | set(state.empty)
    free = [position for position in range(30) if position not in fixed]
    dealt = dict(zip(free, chance.shuffle([state.layout[position] for position in free]), strict=True))
    layout = tuple(dealt.get(position, card) for position, card in enumerate(state.layout))

    def moved(fact: Fact) -> Fact:
        match fact:
            case ChefsLaidOut():
                return replace(fact, layout=layout)
            case CardFlipped():
                return replace(fact, card=layout[fact.position])
            case _:
                return fact

    other_facts = [*facts[:began], *map(moved, facts[began:])]
    return GAME.fold(other_facts), other_facts


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@for_all(seed=seeds, moves=st.integers(0, 120), aid=st.sampled_from(("on", "off")))
def test_a_viewer_gets_nothing_about_cards_they_cannot_see(seed: int, moves: int, aid: str) -> None:
    check_two_worlds(halted(seed, moves, memory_aid=aid), Fast(seed))


@pytest.mark.full
@settings(max_examples=2500, deadline=None)
@for_all(seed=seeds, moves=st.integers(0, 500), aid=st.sampled_from(("on", "off")))
def test_a_viewer_gets_nothing_about_cards_they_cannot_see_in_full(seed: int, moves: int, aid: str) -> None:
    check_two_worlds(halted(seed, moves, memory_aid=aid), Fast(seed))


def check_two_worlds(played: Played, chance: Chance) -> None:
    if played.state.phase not in HIDDEN_PHASES:
        return
    for seat in VIEWERS:
        state, facts = another_world(played, seat, chance)
        assert everything_served(played.state, played.facts, seat) == everything_served(state, facts, seat)


def test_the_other_world_is_different() -> None:
    """If the worlds were equal, the property above would prove nothing."""
    played = halted(3, 12, memory_aid="off")
    state, facts = another_world(played, 0, Fast(1))
    assert state.layout != played.state.layout
    assert facts != played.facts


@settings(max_examples=25, deadline=None)
@for_all(seed=seeds, moves=st.integers(0, 300), aid=st.sampled_from(("on", "off")))
def test_determinize_gives_a_state_consistent_with_the_view(seed: int, moves: int, aid: str) -> None:
    played = halted(seed, moves, memory_aid=aid)
    for seat in (0, 1):
        view = GAME.view(played.state, seat)
        seen = [fact for fact in served(played.state, played.facts, seat) if fact is not None]
        guess = GAME.determinize(view, seen, seat, Fast(seed))
        assert sorted(guess.layout or ()) == sorted(CARDS)
        assert GAME.view(guess, seat) == view
        assert list(GAME.legal_moves(guess, seat)) == list(GAME.legal_moves(played.state, seat))
        assert served(guess, played.facts, seat) == served(played.state, played.facts, seat)
        assert replace(guess, layout=None, ledger=()) == replace(played.state, layout=None, ledger=())


def test_determinize_shuffles_the_unseen_cards() -> None:
    played = halted(5, 6)
    view = GAME.view(played.state, 0)
    seen = [fact for fact in served(played.state, played.facts, 0) if fact is not None]
    guesses = {GAME.determinize(view, seen, 0, Fast(n)).layout for n in range(20)}
    assert len(guesses) == 20
    for layout in guesses:
        assert layout is not None
        assert all(layout[int(position)] == card for position, card in (view.faces or {}).items())


def test_determinize_from_a_position_document() -> None:
    document = {"step": "attempt", "face_up": [0, 5], "shown": [0, 5, 9], "empty": [28], "fives": 2}
    played = start(position=document)
    view = GAME.view(played.state, 0)
    seen = GAME.redact(played.state, played.facts[0], 0, 0)
    assert isinstance(seen, PositionSet)
    assert seen.layout is None
    assert GAME.view(GAME.determinize(view, [seen], 0, Fast(4)), 0) == view


# -- 7.1 The memory aid -------------------------------------------------------------------------------------------


def served_by_the_book(played: Played, seat: int | None) -> list[bool]:
    """Return whether each flip's card is visible, by a literal reading of 7.1. Entry 0 is the creation."""
    starts = [n for n, ply in enumerate(played.plies, 1) if any(isinstance(f, RoundBegan) for f in ply.facts)]
    round_entry = starts[-1] if starts else 0
    horizons = [0, 0]
    looked = False
    for entry, ply in enumerate(played.plies, 1):
        if entry <= round_entry:
            continue
        names = {fact.__struct_config__.tag for fact in ply.facts}
        chance_flip = ply.before.phase == "last_chance" and "card_flipped" in names and not looked
        looked = looked or chance_flip
        if names & {"die_rolled", "hire_declared"} or chance_flip:
            horizons[ply.seat] = entry
    horizon = max(horizons) if seat is None else horizons[seat]
    hidden_now = played.state.phase in HIDDEN_PHASES and played.state.options.memory_aid == "off"
    return [
        not hidden_now or entry <= round_entry or entry >= horizon
        for entry, ply in enumerate(played.plies, 1)
        for fact in ply.facts
        if isinstance(fact, CardFlipped)
    ]


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@for_all(seed=seeds, moves=st.integers(0, 400), aid=st.sampled_from(("off", "off", "on")))
def test_flips_are_visible_according_to_7_1(seed: int, moves: int, aid: str) -> None:
    played = halted(seed, moves, memory_aid=aid)
    for seat in VIEWERS:
        seen = [f for f in served(played.state, played.facts, seat) if isinstance(f, CardFlipped)]
        assert [fact.card is not None for fact in seen] == served_by_the_book(played, seat)


@settings(max_examples=25, deadline=None)
@for_all(seed=seeds, moves=st.integers(0, 200))
def test_without_the_aid_board_and_log_show_the_same_cards(seed: int, moves: int) -> None:
    """The cards in the view are those of this round's visible flips that are still on the board."""
    played = halted(seed, moves, memory_aid="off")
    if played.state.phase not in ("hire", "last_chance"):
        return
    for seat in VIEWERS:
        shown = GAME.view(played.state, seat).faces or {}
        this_round = served(played.state, played.facts, seat)[played.state.round_at :]
        flips = {str(f.position): f.card for f in this_round if isinstance(f, CardFlipped) and f.card}
        assert shown == {p: card for p, card in flips.items() if int(p) not in played.state.empty}
        assert list(shown) == sorted(shown, key=int)


def test_a_spectator_sees_only_flips_that_both_seats_see() -> None:
    """With a card turned over twice, the spectator's horizon is the later of both seats."""
    played = first_turn({"memory_aid": "off"})
    for seat in (0, 1):
        played.make(seat, RollDie(), Scripted.dice(1))
        played.make(seat, FlipCard(3), Scripted([]))
    flips = {
        viewer: [fact.card for fact in served(played.state, played.facts, viewer) if isinstance(fact, CardFlipped)]
        for viewer in VIEWERS
    }
    assert flips == {0: ["chef_5", "chef_5"], 1: [None, "chef_5"], None: [None, "chef_5"]}


def test_the_first_card_of_a_last_chance_moves_the_horizon() -> None:
    document = {
        "options": {"memory_aid": "off"}, "phase": "last_chance", "finder": 0, "multipliers": [6, 1], "actor": 1,
        "empty": [4, 9, 14, 19, 24], "shown": [4, 9, 14, 19, 24, 0, 5],
    }  # fmt: skip
    played = start(position=document)
    assert list(visible_faces(played.state, 1)) == ["0", "5"]
    played.make(1, FlipCard(10), Scripted([]))
    played.make(1, FlipCard(15), Scripted([]))
    assert [list(visible_faces(played.state, viewer)) for viewer in VIEWERS] == [
        ["0", "5", "10", "15"],
        *[["10", "15"]] * 2,
    ]


def test_redaction_fails_safe_with_other_fact_numbers() -> None:
    """Numbers higher than the state's own count (after retracted facts) can only hide more."""
    hidden = 0

    def check(now: Played) -> None:
        nonlocal hidden
        if now.state.phase != "hire":
            return
        for seat in VIEWERS:
            shown = visible_faces(now.state, seat)
            for index, fact in enumerate(now.facts):
                seen = GAME.redact(now.state, fact, index + 25, seat)
                if isinstance(seen, CardFlipped):
                    hidden += seen.card is None
                    assert seen.card in (None, shown.get(str(seen.position)))

    play_out(start({"memory_aid": "off", "rounds": 1}, chance=Fast(11)), 11, watch=check)
    assert hidden > 1000


def test_the_layout_of_each_round_is_hidden_until_hiring_closes() -> None:
    played = start({"memory_aid": "off", "hire_turn_limit": 10, "rounds": 2}, chance=Fast(8))
    seen_hidden = set()

    def check(now: Played) -> None:
        for seat in VIEWERS:
            layouts = [f for f in served(now.state, now.facts, seat) if isinstance(f, ChefsLaidOut)]
            hidden = [fact.layout is None for fact in layouts]
            expected = [False] * (len(layouts) - 1) + [now.state.phase in HIDDEN_PHASES]
            assert hidden == expected
            seen_hidden.add((len(layouts), hidden[-1]))

    play_out(played, 8, watch=check)
    assert seen_hidden == {(1, True), (1, False), (2, True), (2, False)}


def test_everything_is_visible_after_the_end() -> None:
    played = halted(2, 15, memory_aid="off")
    played.make(0, Resign(), Fast(0))
    for seat in VIEWERS:
        assert served(played.state, played.facts, seat) == played.facts


def test_claimed_cards_stay_visible() -> None:
    """`chef_hired` is never redacted."""
    document = {"step": "attempt", "face_up": [0, 5, 10, 15], "options": {"memory_aid": "off"}}
    played = start(position=document)
    made = played.make(0, FlipCard(20), Fast(0))
    assert any(isinstance(fact, ChefHired) for fact in made)
    assert served(played.state, played.facts, 1)[1:] == made


# -- 7.3 The view ---------------------------------------------------------------------------------------------------

COMMON = {
    "options", "round", "phase", "step", "actor", "to_move", "scores", "rounds_won", "starter", "finder", "multipliers",
}  # fmt: skip
BOARD = {"turn", "turns_done", "fives", "skips", "face_up", "shown", "empty", "faces"}
SALE = {"cases", "stale", "sold", "stale_left", "rolls", "tabs"}


@pytest.mark.parametrize(
    ("document", "fields"),
    [
        ({"phase": "order"}, set()),
        ({}, BOARD),
        ({"step": "flip"}, BOARD | {"flips_min", "flips_max"}),
        ({"step": "five"}, BOARD | {"flips_min", "flips_max", "bonus_offer"}),
        ({"step": "attempt"}, BOARD),
        ({"phase": "last_chance", "finder": 1, "multipliers": [1, 6]}, BOARD | {"allowed"}),
        ({"phase": "stock", "drawn": "lemon_cake"}, {"store", "drawn", "cases"}),
        ({"phase": "sale"}, SALE),
        ({"phase": "catch_up"}, SALE | {"percent", "tries"}),
    ],
)
def test_fields_of_other_phases_are_null(document: dict[str, Any], fields: set[str]) -> None:
    view = msgspec.to_builtins(GAME.view(start(position=document).state, 0))
    may_be_null = {"step", "actor", "starter", "finder"}
    assert {name for name, value in view.items() if value is not None} - may_be_null == (COMMON | fields) - may_be_null


def test_the_view_of_a_finished_match() -> None:
    played = halted(2, 5)
    played.make(1, Resign(), Fast(0))
    view = GAME.view(played.state, None)
    assert (view.phase, view.winner, view.reason, view.to_move, view.cases) == ("over", 0, "resignation", (), None)


def test_maps_by_slot_are_ascending_and_survive_json() -> None:
    view = GAME.view(start(position={"phase": "sale"}).state, 0)
    assert view.cases is not None
    assert list(view.cases[0]) == [str(slot) for slot in range(2, 13)]
    assert GAME.read_view(msgspec.json.encode(view)) == view
    stock = GAME.view(start(position={"phase": "stock", "drawn": "lemon_cake"}).state, 0)
    assert stock.store is not None
    assert list(stock.store.values()) == [2, 3, 5, 7, 12, 19, 12, 7, 5, 3, 2]


def test_spectators_see_no_more_than_both_seats() -> None:
    played = halted(21, 40, memory_aid="off", hire_turn_limit=100)
    own = [set(visible_faces(played.state, seat)) for seat in (0, 1)]
    assert set(visible_faces(played.state, None)) == own[0] & own[1]

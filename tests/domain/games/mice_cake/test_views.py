"""What each seat can see (rules, section 7; AC-23), and that nothing else leaks."""

from typing import Any

import msgspec
import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.games.mice_cake import GAME
from domain.games.mice_cake.bot.strategy import greedy
from domain.games.mice_cake.rules.decider import assignments
from domain.games.mice_cake.rules.facts import CakeLaid, Fact, MiceAssigned
from domain.games.mice_cake.rules.model import State
from domain.games.mice_cake.rules.moves import AssignMice, Resign
from domain.games.mice_cake.rules.parts import COLUMNS, SEATS, Assignment, Cell, Columns, SeatName, opponent_of
from domain.games.mice_cake.rules.reducer import group_by_column
from domain.kernel.chance import Chance, Fast
from domain.kernel.refusals import IllegalMove
from tests.domain.games.mice_cake.builders import (
    ALL_OPTIONS,
    at_random,
    deal,
    given,
    name_of,
    plain,
    play,
    play_on,
    position,
    send,
    whole_match,
)

EVERYONE = (0, 1, None)
matches = st.fixed_dictionaries(
    {"seed": st.integers(0, 1 << 32), "rounds": st.integers(1, 14), "options": st.sampled_from(ALL_OPTIONS)}
)


def seen(state: State, facts: list[Fact], seat: int | None) -> list[Fact | None]:
    """Return all facts so far as a reader sees them now."""
    return [GAME.redact(state, fact, index, seat) for index, fact in enumerate(facts)]


def stopped(seed: int, rounds: int, options: dict[str, str], waiting: int = 1) -> tuple[State, list[Fact]]:
    """Return a match stopped in a given round or later, while `waiting` seats are to move, or at its end."""
    chance = Fast(seed)
    facts = GAME.start(2, options, chance)
    return play_on(
        facts,
        (at_random, at_random),
        chance,
        lambda state: state.round >= rounds and len(GAME.to_move(state)) == waiting,
    )


# -- AC-23 ------------------------------------------------------------------------------------------------------------


def half_a_round() -> tuple[State, list[Fact]]:
    """Return AC-01 after yellow's assignment."""
    facts = deal()
    state, made = play(given(facts), "yellow", send(A=1, C=3))
    return state, facts + made


@pytest.mark.parametrize("seat", [1, None])
def test_ac23_an_assignment_is_hidden_from_all_others(seat: int | None) -> None:
    state, facts = half_a_round()
    redacted = seen(state, facts, seat)[-1]
    assert plain(redacted) == {
        "type": "mice_assigned",
        "seat": "yellow",
        "round": 1,
        "columns": None,
        "steal_target": None,
    }
    view = GAME.view(state, seat)
    assert (view.assigned.yellow, view.assigned.blue, view.own_assignment) == (True, False, None)
    assert not any(name_of(fact) in ("dice_rolled", "assignments_revealed") for fact in facts)


def test_ac23_a_seat_sees_its_own_assignment() -> None:
    state, facts = half_a_round()
    assert seen(state, facts, 0)[-1] == facts[-1]
    assert GAME.view(state, 0).own_assignment == Assignment(Columns(A=1, C=3))


@pytest.mark.parametrize("seat", EVERYONE)
def test_ac23_nobody_sees_face_down_dominoes(seat: int | None) -> None:
    state, facts = half_a_round()
    view = GAME.view(state, seat)
    hidden = [cell for cells in view.cake.values() for cell in cells if cell.piece is None]
    assert len(hidden) == 12
    assert " ".join(view.unseen) == "0-2 0-5 1-1 1-4 1-6 2-2 2-3 3-3 3-5 4-5 4-6 6-6"
    laid = seen(state, facts, seat)[1]
    assert isinstance(laid, CakeLaid)
    assert [cell.up for cell in laid.cells if cell.piece is None] == [False] * 12


def test_ac23_the_other_seats_legal_list_does_not_change() -> None:
    before = msgspec.json.encode(list(GAME.legal_moves(given(deal()), 1)))
    assert msgspec.json.encode(list(GAME.legal_moves(half_a_round()[0], 1))) == before
    assert before.count(b"assign_mice") == 35


def test_ac23_all_readers_see_the_same_revealed_assignments() -> None:
    state, facts = half_a_round()
    state, made = play(state, "blue", send(B=2, D=2), 4, 2, 4, 6, 6, 5, 3, 4)
    by_reader = [[plain(fact) for fact in seen(state, facts + made, seat)] for seat in EVERYONE]
    revealed = [[fact for fact in facts if fact["type"] == "assignments_revealed"] for facts in by_reader]
    assert revealed[0] == revealed[1] == revealed[2]
    assert len(revealed[0]) == 1
    hidden = next(fact for fact in by_reader[1] if fact["type"] == "mice_assigned")
    assert hidden["columns"] is None, "the first fact stays hidden until the end"


@pytest.mark.parametrize("seat", EVERYONE)
def test_ac23_everything_is_shown_after_the_end(seat: int | None) -> None:
    state, facts = whole_match(1)
    assert seen(state, facts, seat) == facts
    state, facts = half_a_round()
    state, made = play(state, "blue", Resign())
    assert seen(state, facts + made, seat) == facts + made
    assert GAME.view(state, seat).cake == state.cake


# -- the view ---------------------------------------------------------------------------------------------------------


def test_the_fields_of_a_view() -> None:
    state, _ = half_a_round()
    fields = list(plain(GAME.view(state, 0)))
    assert fields == [
        "phase", "round", "quiet", "options", "cake", "unseen", "stash", "pips", "count", "removed", "ready",
        "resting", "open", "to_assign", "assigned", "own_assignment", "legal", "result", "to_move", "scores",
    ]  # fmt: skip


def test_a_view_lists_the_legal_moves_of_its_seat() -> None:
    state, _ = half_a_round()
    assert list(GAME.view(state, 1).legal) == list(GAME.legal_moves(state, 1))
    assert GAME.view(state, 0).legal == ()
    assert GAME.view(state, None).legal == ()
    assert GAME.view(state, None).to_move == ("blue",)


def test_a_finished_view_keeps_its_meaning() -> None:
    """`up` and `unseen` stay, lists of choices are empty, and a seat sees its pending assignment (section 7)."""
    state, _ = half_a_round()
    state, _ = play(state, "blue", Resign())
    view = GAME.view(state, 0)
    assert len(view.unseen) == 12
    assert (view.to_assign, view.to_move, view.legal) == ((), (), ())
    assert view.own_assignment == Assignment(Columns(A=1, C=3))
    assert view.open.yellow == COLUMNS
    assert view.result is not None
    assert "type" not in plain(view)["result"]


def test_l4_a_face_down_crumb_is_not_revealed() -> None:
    document = {"options": {"start_face": "down"}, "cake": ["A1: (0-0) (2-4) 1-3", "B7: 4-6"], "yellow": ["6-6"]}
    state = given(position(**document))
    assert GAME.view(state, 0).open.yellow == ("A", "B")
    with pytest.raises(IllegalMove) as refused:
        play(state, "yellow", send(A=4, steal="5-5"))
    assert refused.value.code == "steal_target_unexpected"


# -- noninterference --------------------------------------------------------------------------------------------------


def other_world(state: State, facts: list[Fact], name: SeatName | None, chance: Chance) -> tuple[State, list[Fact]]:
    """Return the match with other face-down dominoes and other pending assignments, except this seat's."""
    down = [cell for cells in state.cake.values() for cell in cells if not cell.up]
    swapped = {
        cell.at: piece for cell, piece in zip(down, chance.shuffle([cell.visible_piece for cell in down]), strict=True)
    }

    def moved(cell: Cell) -> Cell:
        return Cell(cell.at, swapped.get(cell.at, cell.piece), cell.up)

    cake = group_by_column(tuple(moved(cell) for cells in state.cake.values() for cell in cells))
    changed = msgspec.structs.replace(state, cake=cake)
    for hidden in (seat for seat in SEATS if seat != name and state.pending.of(seat)):
        move = chance.pick(list(assignments(state, hidden)))
        sent = Assignment(move.columns, move.steal_target)
        changed = msgspec.structs.replace(changed, pending=changed.pending.with_value(hidden, sent))
    story: list[Fact] = []
    for fact in facts:
        match fact:
            case CakeLaid(cells):
                story.append(CakeLaid(tuple(moved(cell) for cell in cells)))
            case MiceAssigned(seat, number) if number == state.round and seat != name:
                sent_now = changed.pending.of(seat) or Assignment()
                story.append(MiceAssigned(seat, number, sent_now.columns, sent_now.steal_target))
            case _:
                story.append(fact)
    return changed, story


def everything(state: State, facts: list[Fact], seat: int | None, questions: list[dict[str, Any]]) -> bytes:
    """Return everything a reader gets: view, drawings, legal moves, facts, narration and refusals."""
    view = GAME.view(state, seat)
    visible = [fact for fact in seen(state, facts, seat) if fact is not None]
    answers = [] if seat is None else [refusal(state, seat, question) for question in questions]
    legal = [] if seat is None else list(GAME.legal_moves(state, seat))
    return msgspec.json.encode(
        [view, GAME.text(view, seat), GAME.svg(view, seat), legal, visible, GAME.tell(visible), answers]
    )


def refusal(state: State, seat: int, document: dict[str, Any]) -> str:
    """Return the full refusal of a move, or `accepted`."""
    try:
        GAME.decide(state, seat, GAME.read_move(document), Fast(0))
    except IllegalMove as refused:
        return str(refused)
    return "accepted"


def questions(state: State, chance: Chance) -> list[dict[str, Any]]:
    """Return moves to try, mostly illegal ones."""
    pieces = [None, *state.stash.yellow, *state.stash.blue, "0-0"]
    return [
        {
            "type": "assign_mice",
            "columns": {column: chance.below(4) for column in COLUMNS if chance.below(2)},
            "steal_target": chance.pick(pieces),
        }
        for _ in range(25)
    ]


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@for_all(matches, st.integers(0, 1 << 32))
def test_noninterference(match: dict[str, Any], luck: int) -> None:
    """In two worlds that differ only in hidden values, every reader gets the same bytes."""
    state, facts = stopped(**match)
    if state.phase == "finished":
        return
    chance = Fast(luck)
    attempts = questions(state, chance)
    for seat in EVERYONE:
        name = None if seat is None else SEATS[seat]
        changed, story = other_world(state, facts, name, chance)
        assert GAME.fold(story) == changed
        assert everything(changed, story, seat, attempts) == everything(state, facts, seat, attempts)


# -- determinize ------------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@for_all(matches, st.integers(0, 1 << 32), st.sampled_from((1, 2)))
def test_a_determinized_state_has_the_same_view(match: dict[str, Any], luck: int, waiting: int) -> None:
    state, facts = stopped(**match, waiting=waiting)
    for seat in (0, 1):
        view = GAME.view(state, seat)
        visible = [fact for fact in seen(state, facts, seat) if fact is not None]
        sampled = GAME.determinize(view, visible, seat, Fast(luck))
        assert GAME.view(sampled, seat) == view
        assert GAME.to_move(sampled) == GAME.to_move(state)
        rival = SEATS[1 - seat]
        if sent := sampled.pending.of(rival):
            assert AssignMice(sent.columns, sent.steal_target) in list(assignments(sampled, rival))


def test_a_determinized_state_can_be_played_to_the_end() -> None:
    state, facts = stopped(5, 4, ALL_OPTIONS[0])
    chance = Fast(1)
    visible = [fact for fact in seen(state, facts, 0) if fact is not None]
    sampled = GAME.determinize(GAME.view(state, 0), visible, 0, chance)
    while waiting := GAME.to_move(sampled):
        seat = min(waiting)
        move = greedy(GAME.view(sampled, seat), seat, GAME.legal_moves(sampled, seat), chance)
        sampled = GAME.fold(GAME.decide(sampled, seat, move, chance), sampled)
    assert sampled.result


def test_a_resigned_match_is_determinized_to_its_real_state() -> None:
    state, facts = half_a_round()
    state, made = play(state, "blue", Resign())
    visible = [fact for fact in seen(state, facts + made, 1) if fact is not None]
    assert GAME.determinize(GAME.view(state, 1), visible, 1, Fast(0)) == state


def test_determinized_states_differ() -> None:
    state, facts = half_a_round()
    visible = [fact for fact in seen(state, facts, 1) if fact is not None]
    states = {msgspec.json.encode(GAME.determinize(GAME.view(state, 1), visible, 1, Fast(n))) for n in range(20)}
    assert len(states) == 20
    assert opponent_of("yellow") == "blue"

"""Narration of the log (rules, section 13), and the words of score sheet and options."""

from domain.games.mice_cake import GAME
from domain.games.mice_cake.rules.facts import AssignmentsRevealed, Fact, GameEnded, MiceAssigned, RoundEnded
from domain.games.mice_cake.rules.moves import Resign
from domain.games.mice_cake.rules.parts import Assignment, Both, Columns, SeatName
from domain.kernel.game import ScoreLine
from tests.domain.games.mice_cake.builders import ALL_OPTIONS, at_random, deal, given, play, position, send, whole_match

Moves = dict[SeatName, dict[str, object]]


def narration(facts: list[Fact], yellow: dict[str, object], blue: dict[str, object], *dice: int) -> list[str]:
    """Return the narration of a round that starts from these facts."""
    state, _ = play(given(facts), "yellow", send(**yellow))  # type: ignore[arg-type]
    _, made = play(state, "blue", send(**blue), *dice)  # type: ignore[arg-type]
    return GAME.tell(made)


def test_revealed_assignments() -> None:
    made = Both(Assignment(Columns(A=2, C=2)), Assignment(Columns(B=4)))
    assert GAME.tell([MiceAssigned("blue", 4, Columns(B=4), None), AssignmentsRevealed(4, made)]) == [
        "Round 4: yellow and blue send their mice.",
        "Yellow: A 2, C 2. Blue: B 4.",
    ]


def test_the_examples_of_the_book() -> None:
    assert narration(deal(), {"A": 1, "C": 3}, {"B": 2, "D": 2}, 4, 2, 4, 6, 6, 5, 3, 4) == [
        "Round 1: yellow and blue send their mice.",
        "Yellow: A 1, C 3. Blue: B 2, D 2.",
        "A: yellow rolls 4 for 1-2 (3): taken.",
        "A2 turns up: 2-3, honey-carrot slice.",
        "B: blue rolls 2 4 = 6 for 4-4 (8): not enough.",
        "C: yellow rolls 6 6 5 = 17 for 5-6 (11): cherry and chocolate both shown, 2 mice are exhausted.",
        "D: blue rolls 3 4 = 7 for 2-5 (7): taken.",
        "D6 turns up: 1-1, double lemon slice.",
    ]


def test_a_contest() -> None:
    facts = position(cake=["B4: 3-4", "C3: 1-1 2-2"])
    log = narration(facts, {"B": 2, "C": 2}, {"B": 2, "C": 2}, 5, 3, 6, 4, 1, 1, 2, 2)
    assert log[2] == "B, last piece 3-4: yellow 8, blue 10: blue takes it."
    assert log[3:5] == [
        "C: yellow rolls 1 1 = 2 for 1-1 (2): lemon shown twice, 2 mice are exhausted.",
        "C: blue rolls 2 2 = 4 for 2-2 (4): honey shown twice, 2 mice are exhausted.",
    ]


def test_a_level_contest() -> None:
    facts = position(cake=["B4: 2-6", "C4: 6-6"])
    log = narration(facts, {"B": 2, "C": 2}, {"B": 3, "C": 1}, 5, 4, 3, 3, 3, 5, 6, 6)
    assert log[2:] == [
        "B, last piece 2-6: 9 each, it stays.",
        "C, last piece 6-6: yellow 11 (not enough), blue 6 (not enough): it stays.",
    ]


def test_a_contest_with_exhausted_mice() -> None:
    facts = position(cake=["B3: 1-6 (2-2) 5-5", "C4: 3-4"], yellow=["1-1"])
    log = narration(facts, {"C": 4}, {"B": 1, "C": 3}, 6, 4, 3, 6, 6, 2, 2, 3)
    assert log[-1] == (
        "C, last piece 3-4: yellow 19 (carrot and walnut both shown, 2 mice are exhausted), blue 7: blue takes it."
    )


def test_a_steal() -> None:
    facts = position(cake=["A3: 0-0 (2-4) 1-3", "B7: 4-6"])
    log = narration(facts, {"A": 3, "B": 1, "steal": "5-5"}, {"A": 2, "B": 2}, 6, 2, 3, 1, 1, 6, 6, 6)
    assert log[1] == "Yellow: A 3, B 1, to steal 5-5. Blue: A 2, B 2."
    assert log[2] == "A: yellow rolls 11 for blue's 5-5 (10): stolen, and the crumb with it."
    assert log[4] == "A4 turns up: 2-4, honey-walnut slice."


def test_two_steals() -> None:
    facts = position(cake=["A5: 0-0"], yellow=["6-6", "1-1"])
    log = narration(facts, {"A": 4, "steal": "5-6"}, {"A": 4, "steal": "6-6"}, 6, 4, 3, 2, 6, 5, 4, 3)
    assert log[2] == "A: both steal: 5-6 goes to yellow, 6-6 to blue; the crumb is swept away."


def test_one_of_two_steals() -> None:
    facts = position(cake=["B5: 0-0", "C1: 0-4 1-3"], yellow=["1-4", "3-3"])
    log = narration(facts, {"B": 4, "steal": "2-3"}, {"B": 4, "steal": "1-4"}, 4, 2, 1, 1, 1, 4, 4, 4)
    assert log[2:4] == [
        "B: yellow rolls 8 for blue's 2-3 (5): stolen, and the crumb with it.",
        "B: blue rolls 13 for yellow's 1-4 (5): lemon and walnut both shown, 2 mice are exhausted.",
    ]


def test_a_crumb_found_face_down() -> None:
    facts = position(options={"start_face": "down"}, cake=["A1: (0-0) (2-4) 1-3", "B7: 4-6"])
    log = narration(facts, {"A": 4}, {"A": 4}, 1, 1, 1, 1)
    assert log[2:5] == [
        "A1 turns up: 0-0, the crumb.",
        "A: yellow finds the crumb and takes nothing.",
        "A: blue rolls 1 1 1 1 = 4 for 1-3 (4): taken.",
    ]


def test_boosted_mice() -> None:
    facts = position(options={"matches": "boost"}, cake=["A1: 3-4 (0-2) 6-6 (1-5) 2-2"])
    log = narration(facts, {"A": 4}, {"A": 4}, 3, 4, 1, 1, 1, 1, 1, 1, 2, 6, 6)
    assert log[2:] == [
        "A: yellow rolls 3 4 1 1 = 9 for 3-4 (7): taken.",
        "A: blue rolls 1 1 1 1 = 4 for 2-2 (4): taken.",
        "A2 turns up: 0-2, honey with sponge.",
        "A4 turns up: 1-5, lemon-cherry slice.",
        "A: 2 yellow mice are boosted and go on to the next piece.",
        "A: yellow rolls 2 6 = 8 for 0-2 (2): taken.",
        "A: 1 yellow mouse is boosted and goes on to the next piece.",
        "A: yellow rolls 6 for 6-6 (12): not enough.",
    ]


def test_recovered_mice() -> None:
    def back(yellow: int, blue: int) -> list[str]:
        return GAME.tell([RoundEnded(5, Both(yellow, blue), Both(0, 0), 9, 0)])

    assert back(2, 0) == ["2 yellow mice are back."]
    assert back(0, 1) == ["1 blue mouse is back."]
    assert back(1, 3) == ["1 yellow mouse and 3 blue mice are back."]
    assert back(0, 0) == []


def test_quiet_rounds_are_mentioned_from_ten_on() -> None:
    def quiet(rounds: int) -> list[str]:
        return GAME.tell([RoundEnded(5, Both(0, 0), Both(0, 0), 9, rounds)])

    assert quiet(9) == []
    assert quiet(10) == ["That is 10 rounds in a row without a piece taken. The match ends at 20."]


def test_the_end() -> None:
    def end(winner: SeatName | None, by: str, pips: tuple[int, int], reason: str = "cake_gone") -> list[str]:
        six = "blue" if by == "double_six" else None
        return GAME.tell([GameEnded(reason, winner, by, Both(*pips), Both(13, 15), six, ())])  # type: ignore[arg-type]

    assert end("yellow", "pips", (91, 77)) == ["The cake is gone: yellow 91, blue 77. Yellow wins."]
    assert end("blue", "count", (84, 84)) == ["The cake is gone: yellow 84, blue 84. Blue wins with 15 pieces to 13."]
    assert end("blue", "double_six", (84, 84))[0].endswith("Blue wins because it has the 6-6.")
    assert end(None, "draw", (78, 78), "stalled") == [
        "That is 20 rounds in a row without a piece taken: yellow 78, blue 78. The match is a draw."
    ]


def test_resigning() -> None:
    _, facts = play(given(deal()), "yellow", Resign())
    assert GAME.tell(facts) == [
        "Yellow resigns.",
        "The match is over: yellow 0, blue 0. Blue wins by resignation.",
    ]


def test_rest_rounds_and_single_seats() -> None:
    tired = {"yellow": [{"column": "A", "count": 4}]}
    assert GAME.tell(position(cake=["A7: 0-0"], resting=tired))[1:] == [
        "Round 5: neither family can send mice, so the round is skipped.",
        "4 yellow mice are back.",
        "Round 6: blue can't send any mice, so yellow plays alone.",
    ]


def test_set_up() -> None:
    assert GAME.tell(deal()) == ["The cake is laid: 28 pieces, 16 of them face up."]
    assert GAME.tell(position(cake=["A7: 1-1"]))[0] == (
        "The match starts from a custom position with 1 piece of cake left."
    )


def test_a_hidden_assignment_is_narrated_without_columns() -> None:
    state, made = play(given(deal()), "yellow", send(A=1, C=3))
    hidden = [GAME.redact(state, fact, 3, 1) for fact in made]
    assert GAME.tell([fact for fact in hidden if fact]) == ["Round 1: yellow sends its mice."]
    assert GAME.tell(made) == ["Round 1: yellow sends its mice (A 1, C 3)."]


def test_every_match_can_be_narrated() -> None:
    for seed, options in enumerate(ALL_OPTIONS):
        state, facts = whole_match(seed, (at_random, at_random), options)
        assert all(line.endswith(".") and "None" not in line for line in GAME.tell(facts))
        redacted = [GAME.redact(GAME.initial, fact, n, None) for n, fact in enumerate(facts)]
        assert GAME.tell([fact for fact in redacted if fact])
        assert state.result


def test_the_score_sheet_is_in_plain_words() -> None:
    items = (("E2", "2-5"), ("E3", "wins by count"), ("E3", "wins by double_six"), ("E4", "wins by resignation"))
    lines = [GAME.describe_item(ScoreLine(0, rule, item, 0)) for rule, item in items]
    assert lines == ["Piece 2-5", "Wins with more pieces", "Wins with the 6-6", "Wins by resignation"]


def test_options_have_labels() -> None:
    labels = [option.label(value) for option in GAME.option_help for value in option.values]
    assert labels == [
        "Every other row face up",
        "All face up",
        "All face down",
        "Mice are exhausted",
        "Mice are boosted",
        "Rolls must reach the pips",
        "Any roll can win",
    ]

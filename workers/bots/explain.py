"""Repeats a bot's choice from a replay and the recorded decision."""

from collections.abc import Sequence
from typing import Any

import msgspec

from domain.bots.levels import LEVELS, BotChoice
from domain.bots.search import Candidate
from domain.kernel.events import Moved
from replays.bot_check import input_at
from replays.replay import Replay
from service.bots.decision_log import BotDecision

BAR_WIDTH = 40
VALUE_WIDTH = len("0.000")


class CannotExplain(Exception):
    """Raised for a choice that cannot be repeated here. The message gives the reason."""


class Explanation(msgspec.Struct, frozen=True):
    """A repeated choice: the move that was played, the new choice, and whether they are the same."""

    decision: BotDecision
    played: Any
    choice: BotChoice
    is_same: bool


def explain(replay: Replay, decision: BotDecision) -> Explanation:
    """Repeat the choice of a move. Raises CannotExplain."""
    level = LEVELS.get(decision.level)
    if level is None or (level.engine, level.version) != (decision.engine, decision.version):
        raise CannotExplain(
            f"This move was made by {decision.engine}, version {decision.version}, which is not installed here."
        )
    event = replay.event(decision.ply)
    if not isinstance(event, Moved) or event.seat != decision.seat:
        raise CannotExplain(f"There is no move of seat {decision.seat} at ply {decision.ply}.")
    bot_input = input_at(replay, decision.ply - 1, decision.seat, decision.seed)
    again = level.choose(bot_input, decision.budget, decision.iterations)
    return Explanation(decision, event.move, again, is_same=again.move == event.move)


def explanation_lines(explained: Explanation) -> list[str]:
    """Return the choice as lines of text, with a bar for the estimated value of each candidate."""
    decision, search = explained.decision, explained.choice.search
    lines = [
        f"ply {decision.ply}, seat {decision.seat}: {decision.engine}, version {decision.version}, seed {decision.seed}"
    ]
    if decision.budget is not None:
        made = f"budget: {decision.iterations} of {decision.budget.iterations} iterations"
        lines.append(made if decision.budget.seconds is None else f"{made}, at most {decision.budget.seconds:g} s")
    lines.append(f"played: {as_json(explained.played)}")
    if explained.is_same:
        lines.append("repeated: the same move")
    else:
        lines.append(f"repeated: {as_json(explained.choice.move)} - NOT THE SAME")
    if search is not None and not search.iterations:
        lines.append("chosen by the game's policy, without a search")
    if search is not None and search.iterations:
        lines += ["", "visits  value", *candidate_lines(search.candidates, explained.choice.move)]
    return lines


def candidate_lines(candidates: Sequence[Candidate], chosen: Any) -> list[str]:
    """Return a line for each candidate: visits, value, bar and move. `>` marks the choice; the first is the default."""
    return [
        f"{one.visits:>6}  {value_bar(one)} {'>' if one.move == chosen else ' '} {as_json(one.move)}"
        for one in candidates
    ]


def value_bar(one: Candidate) -> str:
    """Return a candidate's value and bar, or blanks if it was never tried."""
    if not one.visits:
        return " " * (VALUE_WIDTH + 2 + BAR_WIDTH)
    return f"{one.value:.3f}  {'#' * round(BAR_WIDTH * one.value):<{BAR_WIDTH}}"


def as_json(move: Any) -> str:
    """Return a move as JSON."""
    return msgspec.json.encode(move).decode()

"""Running a bot's choice again, from a replay and what was noted beside it."""

from collections.abc import Sequence
from typing import Any

import msgspec

from domain.kernel.events import Moved, standing
from replays.redaction import perspective
from replays.replay import Replay
from service.bots.decision_log import BotMove
from workers.bots.levels import LEVELS, Choice, Sight
from workers.bots.search import Candidate

BAR = 40
VALUE = len("0.000")


class CannotExplain(Exception):
    """The choice cannot be run again here; says why."""


class Explained(msgspec.Struct, frozen=True):
    """A choice run again: what was played, what it gives now, and whether they are the same."""

    noted: BotMove
    played: Any
    choice: Choice
    same: bool


def explain(replay: Replay, noted: BotMove) -> Explained:
    """Run the choice behind a move again. Raises CannotExplain."""
    level = LEVELS.get(noted.level)
    if level is None or (level.engine, level.version) != (noted.engine, noted.version):
        raise CannotExplain(f"This move was made by {noted.engine}, version {noted.version}, which is not at hand.")
    event = replay.event(noted.ply)
    if not isinstance(event, Moved) or event.seat != noted.seat:
        raise CannotExplain(f"There is no move of seat {noted.seat} at ply {noted.ply}.")
    again = level.choose(sight(replay, noted), noted.budget, noted.iterations)
    return Explained(noted, event.move, again, same=again.move == event.move)


def sight(replay: Replay, noted: BotMove) -> Sight:
    """What the bot was shown then."""
    then, game, seat = replay.at(noted.ply - 1), replay.game, noted.seat
    before = standing(replay.events[: noted.ply - 1])
    return Sight(
        game=game,
        view=game.view(then.state, seat),
        seat=seat,
        legal=game.legal_moves(then.state, seat),
        facts=lambda: [fact for event in before for fact in perspective(event, then, seat).facts],
        seed=noted.seed,
    )


def in_words(explained: Explained) -> list[str]:
    """The choice for people, with a bar for what each candidate seemed to be worth."""
    noted, thought = explained.noted, explained.choice.thought
    lines = [f"ply {noted.ply}, seat {noted.seat}: {noted.engine}, version {noted.version}, seed {noted.seed}"]
    if noted.budget is not None:
        made = f"{noted.iterations} of {noted.budget.iterations} iterations"
        lines.append(f"budget: {made}, at most {noted.budget.seconds:g} s")
    lines.append(f"played: {plain(explained.played)}")
    if explained.same:
        lines.append("run again: the same move")
    else:
        lines.append(f"run again: {plain(explained.choice.move)} - NOT THE SAME")
    if thought is not None and not thought.iterations:
        lines.append("chosen by the game's policy, without a search")
    if thought is not None and thought.iterations:
        lines += ["", "visits  value", *table(thought.candidates, explained.choice.move)]
    return lines


def table(candidates: Sequence[Candidate], chosen: Any) -> list[str]:
    """A line for each candidate: visits, value, bar, move; the chosen one is marked, the greedy one is the first."""
    return [
        f"{one.visits:>6}  {worth(one)} {'>' if one.move == chosen else ' '} {plain(one.move)}" for one in candidates
    ]


def worth(one: Candidate) -> str:
    """What a candidate seemed to be worth, with a bar; blank where it was never tried and nothing is known."""
    if not one.visits:
        return " " * (VALUE + 2 + BAR)
    return f"{one.value:.3f}  {'#' * round(BAR * one.value):<{BAR}}"


def plain(move: Any) -> str:
    """A move as JSON."""
    return msgspec.json.encode(move).decode()

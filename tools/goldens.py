"""Writes the golden replays and the playthrough of every registered game: `python -m tools.goldens`.

A game has six matches that cover all option values, all numbers of seats, both agents, all levels of luck and a
resignation. The matches in `rare.json` cover positions that hardly ever occur by chance. A playthrough as text shows
reviewers in the diff how a change affects the rules. Files of earlier rules versions never change, because they prove
that old matches still verify. If a file of the current version changes, the game needs a new rules version, unless
nobody has played it yet.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from domain.kernel.chance import Chance
from domain.kernel.events import AnyEvent, final_outcome
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.registry import games
from replays.file import SUFFIX
from replays.replay import Replay
from tests.builders import greedy_agent, play_match, replay_file

HERE = Path(__file__).parents[1] / "tests" / "golden"
NAMES = ("random", "greedy", "random-given-seed", "greedy-shares", "resigned", "greedy-sealed")
MATCHES = len(NAMES)
LOOKED_AT = 2_000
"""A random seat chooses from this number of legal moves, more than in other tests. Golden matches depend on it."""
SEARCHED = 2_000
"""How many seeds `--search` tries for a rare match."""
PLAYTHROUGH = 1
"""The match in the playthrough. Its seats are greedy, so it is short."""


class Rare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A match with a situation that hardly ever occurs by chance: greedy seats, from a position or from the start.

    The `seed` was chosen so that the match ends for this `reason`, with this number of `winners`, and has these kinds
    of `facts`; `python -m tools.goldens --search` looks for seeds. One move in `resign_in` is a resignation (0: none).
    """

    name: str
    seed: str
    reason: str | None = None
    winners: int | None = None
    facts: list[str] = []
    options: dict[str, Any] = {}
    position: dict[str, Any] | None = None
    resign_in: int = 0

    def is_shown_by(self, events: list[AnyEvent]) -> bool:
        """Return whether a match has the situation."""
        outcome = final_outcome(events)
        assert outcome is not None, "the match is over"
        kinds = Counter(type(fact).__struct_config__.tag for event in events for fact in event.facts)
        ends = self.reason in (None, outcome.reason) and self.winners in (None, len(outcome.winners))
        return ends and Counter(self.facts) <= kinds


def rare(game: AnyGame) -> list[Rare]:
    """Return the rare matches of a game from `rare.json` in its folder. Most games have none."""
    path = HERE / game.slug / "rare.json"
    return msgspec.json.decode(path.read_bytes(), type=list[Rare]) if path.exists() else []


def far_looking_agent(game: AnyGame, view: Any, seat: Seat, legal: Iterable[Any], chance: Chance) -> Any:
    """Choose any of the first `LOOKED_AT` legal moves."""
    return chance.pick(list(islice(legal, LOOKED_AT)))


def golden(game: AnyGame, n: int) -> list[AnyEvent]:
    """Return the events of golden match n, counted from 0."""
    more: dict[str, Any] = {
        "options": {option.name: option.values[n % len(option.values)] for option in game.option_help},
        "seats": game.seat_counts[n % len(game.seat_counts)],
        "agent": greedy_agent if "greedy" in NAMES[n] else far_looking_agent,
        "given": "given" in NAMES[n],
        "resign_in": 8 if "resigned" in NAMES[n] else 0,
    }
    if "shares" in NAMES[n]:
        more["shares"] = (False, *[True] * (more["seats"] - 1))
    if "sealed" in NAMES[n]:
        more |= {"shares": (True,) * more["seats"], "rated": True, "by_chance": True}
    return play_match(game, match=f"m{n:02}golden", seed=f"golden {n}", moves=f"golden {n}", **more)


def rare_match(game: AnyGame, n: int, match: Rare) -> list[AnyEvent]:
    """Return the events of the rare match with golden number n. Its draws depend on its id."""
    given: dict[str, Any] = {"options": match.options, "position": match.position, "resign_in": match.resign_in}
    return play_match(game, match=f"m{n:02}golden", seed=match.seed, moves=match.seed, agent=greedy_agent, **given)


def path_of(game: AnyGame, n: int, name: str) -> Path:
    """Return the path of golden match n of the current rules version."""
    return HERE / game.slug / f"v{game.rules_version}-{n + 1}-{name}{SUFFIX}"


def files(game: AnyGame) -> Iterator[tuple[Path, bytes]]:
    """Yield all golden files of a game with their expected content."""
    for n in range(MATCHES):
        yield path_of(game, n, NAMES[n]), replay_file(golden(game, n))
    for n, match in enumerate(rare(game), start=MATCHES):
        yield path_of(game, n, match.name), replay_file(rare_match(game, n, match))
    yield HERE / game.slug / "playthrough.txt", playthrough(Replay(tuple(golden(game, PLAYTHROUGH)))).encode()


def playthrough(replay: Replay) -> str:
    """Return a match from the first ply to the last as text for people."""
    game, seats = replay.game, len(replay.created.seats)
    names = game.seat_names(seats)
    lines = [
        f"{game.title}, rules version {game.rules_version}, {seats} seats: {', '.join(names)}",
        f"options {canonical_json(replay.created.options).decode()}",
        "",
    ]
    for event, match in zip(replay.events, replay.matches(), strict=True):
        who = "" if event.seat is None else f" {names[event.seat]}"
        lines.append(f"--- ply {event.ply}: {kind(event)}{who}")
        if event.move is not None:
            lines.append(f"move   {canonical_json(event.move).decode()}")
        lines += [f"fact   {canonical_json(fact).decode()}" for fact in event.facts]
        lines += [f"seen   {line}" for line in replay.narration(event.ply, None)]
        if event.facts:
            lines += ["", game.text(game.view(match.state, None), None).rstrip(), ""]
            lines += [legal(replay, match.state, seat) for seat in sorted(match.to_move)]
    lines += ["", "=== the score", *score(replay)]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def kind(event: AnyEvent) -> str:
    """Return an event's kind."""
    return str(type(event).__struct_config__.tag)


def legal(replay: Replay, state: Any, seat: int) -> str:
    """Return how many moves a seat has, with the first and the last of them."""
    moves = [canonical_json(move).decode() for move in replay.game.legal_moves(state, seat)]
    name = replay.game.seat_names(len(replay.created.seats))[seat]
    return f"legal  {name}: {len(moves)}, from {moves[0]} to {moves[-1]}"


def score(replay: Replay) -> Iterator[str]:
    """Yield the engine's score sheet and the outcome."""
    sheet = replay.game.score(replay.last.state)
    for line in sheet.lines:
        yield f"seat {line.seat}  {line.points:+d}  {line.item} ({line.rule})"
    yield f"totals {list(sheet.totals)}, {canonical_json(replay.last.outcome).decode()}"


def search(game: AnyGame) -> Iterator[str]:
    """Yield a seed for each rare match whose own seed does not show its situation."""
    for n, match in enumerate(rare(game), start=MATCHES):
        tried = (match, *(msgspec.structs.replace(match, seed=f"{match.name} {number}") for number in range(SEARCHED)))
        found = next((each.seed for each in tried if each.is_shown_by(rare_match(game, n, each))), "none found")
        if found != match.seed:
            yield f"{game.slug}: {match.name}: {found}"


def main() -> None:
    """Write missing and changed files, and print their names. With `--search`, look for seeds instead."""
    for game in games().values():
        if "--search" in sys.argv:
            for line in search(game):
                print(line)
            continue
        for path, content in files(game):
            path.parent.mkdir(exist_ok=True)
            old = path.read_bytes() if path.exists() else None
            if old != content:
                path.write_bytes(content)
                print(f"{'wrote' if old is None else 'CHANGED'} {path.relative_to(HERE)}")


if __name__ == "__main__":
    main()

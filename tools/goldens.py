"""Writes the golden replays and the playthrough of every registered game: `python -m tools.goldens`.

Five matches a game, with all values of its options, all numbers of seats, both agents and a resignation; the matches
of `rare.json`, where a game knows what is hardly ever met by chance; and one playthrough as text, so that a reviewer
sees in the diff what a change did to the rules. Files of earlier rules versions stay as they are: that old matches
still verify is what they are for. If a file of the present version changes, either this was meant before anybody
played, or it is a new rules version.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from domain.kernel.chance import Chance
from domain.kernel.events import AnyEvent
from domain.kernel.game import AnyGame, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.registry import games
from replays.file import SUFFIX
from replays.replay import Replay
from tests.builders import greedy_agent, play_match, replay_file

HERE = Path(__file__).parents[1] / "tests" / "golden"
MATCHES = 5
NAMES = ("random", "greedy", "random-given-seed", "greedy-client-seeds", "resigned")
LOOKED_AT = 2_000
"""How many legal moves a random seat chooses from: more than in other tests, for these matches stay as they were."""
PLAYTHROUGH = 1
"""The match that the playthrough tells: greedy seats play to the point."""


class Rare(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A match with what is hardly ever met by chance: greedy seats, from a position or from the start.

    `seed` was picked for what it brings; one move in `resign_in` (0: none) is a resignation.
    """

    name: str
    seed: str
    options: dict[str, Any] = {}
    position: dict[str, Any] | None = None
    resign_in: int = 0


def rare(game: AnyGame) -> list[Rare]:
    """The rare matches of a game, as `rare.json` in its folder lists them; most games need none."""
    path = HERE / game.slug / "rare.json"
    return msgspec.json.decode(path.read_bytes(), type=list[Rare]) if path.exists() else []


def far_looking_agent(game: AnyGame, view: Any, seat: Seat, legal: Iterable[Any], chance: Chance) -> Any:
    """Any of the first `LOOKED_AT` legal moves."""
    return chance.pick(list(islice(legal, LOOKED_AT)))


def golden(game: AnyGame, n: int) -> list[AnyEvent]:
    """The events of golden match n (from 0)."""
    more: dict[str, Any] = {
        "options": {option.name: option.values[n % len(option.values)] for option in game.option_help},
        "seats": game.seat_counts[n % len(game.seat_counts)],
        "agent": greedy_agent if "greedy" in NAMES[n] else far_looking_agent,
        "given": "given" in NAMES[n],
        "resign_in": 8 if "resigned" in NAMES[n] else 0,
    }
    if "client" in NAMES[n]:
        more["client_seeds"] = ("lucky crumbs", "Bröseltee")
    return play_match(game, match=f"m{n:02}golden", seed=f"golden {n}", moves=f"golden {n}", **more)


def rare_match(game: AnyGame, n: int, match: Rare) -> list[AnyEvent]:
    """The events of the rare match that stands as golden match n, for its draws depend on its id."""
    given: dict[str, Any] = {"options": match.options, "position": match.position, "resign_in": match.resign_in}
    return play_match(game, match=f"m{n:02}golden", seed=match.seed, moves=match.seed, agent=greedy_agent, **given)


def path_of(game: AnyGame, n: int, name: str) -> Path:
    """Where golden match n of the present rules version stands."""
    return HERE / game.slug / f"v{game.rules_version}-{n + 1}-{name}{SUFFIX}"


def files(game: AnyGame) -> Iterator[tuple[Path, bytes]]:
    """All golden files of a game, as they should be."""
    for n in range(MATCHES):
        yield path_of(game, n, NAMES[n]), replay_file(golden(game, n))
    for n, match in enumerate(rare(game), start=MATCHES):
        yield path_of(game, n, match.name), replay_file(rare_match(game, n, match))
    yield HERE / game.slug / "playthrough.txt", playthrough(Replay(tuple(golden(game, PLAYTHROUGH)))).encode()


def playthrough(replay: Replay) -> str:
    """A match from the first ply to the last, for people."""
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
        lines += [f"seen   {told}" for told in replay.narration(event.ply, None)]
        if event.facts:
            lines += ["", game.text(game.view(match.state, None), None).rstrip(), ""]
            lines += [legal(replay, match.state, seat) for seat in sorted(match.to_move)]
    lines += ["", "=== the score", *score(replay)]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def kind(event: AnyEvent) -> str:
    """An event's kind."""
    return str(type(event).__struct_config__.tag)


def legal(replay: Replay, state: Any, seat: int) -> str:
    """How many moves a seat has, with the first and the last of them."""
    moves = [canonical_json(move).decode() for move in replay.game.legal_moves(state, seat)]
    name = replay.game.seat_names(len(replay.created.seats))[seat]
    return f"legal  {name}: {len(moves)}, from {moves[0]} to {moves[-1]}"


def score(replay: Replay) -> Iterator[str]:
    """The engine's score sheet and the outcome."""
    sheet = replay.game.score(replay.last.state)
    for line in sheet.lines:
        yield f"seat {line.seat}  {line.points:+d}  {line.item} ({line.rule})"
    yield f"totals {list(sheet.totals)}, {canonical_json(replay.last.outcome).decode()}"


def main() -> None:
    """Write what is missing or different, and say so."""
    for game in games().values():
        for path, content in files(game):
            path.parent.mkdir(exist_ok=True)
            old = path.read_bytes() if path.exists() else None
            if old != content:
                path.write_bytes(content)
                print(f"{'wrote' if old is None else 'CHANGED'} {path.relative_to(HERE)}")


if __name__ == "__main__":
    main()

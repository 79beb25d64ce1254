"""Writes the golden decisions of the house bots: what each level chooses in a few positions of each game.

    python -m tools.bot_decisions

The positions are those of golden replays, which never change. So a decision changes only if a strategy does, and then
the game's `bot_version` must be raised: replays name the version whose decisions anyone can repeat.
"""

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from domain.bots.levels import LEVELS
from domain.kernel.game import AnyGame
from domain.kernel.registry import find_game, games
from replays.bot_check import decide_again
from replays.file import SUFFIX, read_replay
from replays.replay import Replay

GOLDENS = Path(__file__).parent.parent / "tests" / "golden"
FILE = GOLDENS / "bot_decisions.json"
REPLAYS = ("v1-1-random", "v1-2-greedy")
POSITIONS = 3
"""Number of positions of each replay."""


def replay_of(slug: str, name: str) -> Replay:
    """Return a golden replay."""
    return read_replay((GOLDENS / slug / f"{name}{SUFFIX}").read_bytes())


def plies_of(replay: Replay) -> list[int]:
    """Return the plies whose positions are used: one in each part of the match."""
    owed = [match.ply for match in replay.matches() if match.status == "playing"]
    return [owed[(2 * n + 1) * len(owed) // (2 * POSITIONS)] for n in range(POSITIONS)]


def decisions(game: AnyGame, level: str) -> list[Any]:
    """Return what a level chooses in the positions of a game: replay, ply, seat and move (plain JSON)."""
    found = []
    for name in REPLAYS:
        replay = replay_of(game.slug, name)
        for ply in plies_of(replay):
            seat = min(replay.at(ply).to_move)
            seed = sha256(f"{name}|{ply}".encode()).hexdigest()
            move = decide_again(replay, ply, seat, level, seed).move
            found.append([name, ply, seat, msgspec.json.decode(msgspec.json.encode(move))])
    return found


def golden() -> dict[str, Any]:
    """Return the golden decisions as they are stored: by game, its `bot_version` and the decisions of each level."""
    found: dict[str, Any] = json.loads(FILE.read_text()) if FILE.exists() else {}
    return found


def advice(game: AnyGame) -> str:
    """Return what to do after a decision of this game's bots has changed."""
    return (
        f"A house bot of {game.slug} decides differently. Raise `bot_version` in domain/games/{game.slug}/__init__.py "
        f"(now {game.bot_version}), then run `python -m tools.bot_decisions`."
    )


def main() -> None:
    """Write the file. Refuse changed decisions of a version that the file already has."""
    before, after = golden(), {}
    for slug in games():
        game = find_game(slug)
        made = {level: decisions(game, level) for level in LEVELS}
        known = before.get(slug)
        if known and known["bot_version"] == game.bot_version and known["decisions"] != made:
            sys.exit(advice(game))
        after[slug] = {"bot_version": game.bot_version, "decisions": made}
    FILE.write_bytes(msgspec.json.format(json.dumps(after).encode(), indent=1) + b"\n")


if __name__ == "__main__":
    main()

"""Prints a digest of whole matches and all lists of legal moves in them, for every game and number of seats.

The determinism tests run it in processes that hash strings differently: `python -m tests.contract.playout COUNT SEATS
[GAME FAULT]`. SEATS is `all` numbers of seats of a game, or the `outer` ones: the fewest and the most. With a game and
a fault, it plays only that game with that fault and the fewest seats.
"""

import sys
from collections.abc import Iterable
from hashlib import sha256
from itertools import islice

from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame
from domain.kernel.hash_chain import canonical_json
from domain.kernel.registry import games
from tests.builders import log_lines, sit_down, step
from tests.contract.cases import SEATED, all_readers
from tests.contract.faults import FAULTS, plant_fault

OUTER = [(game, seats) for game, seats in SEATED if seats in (game.seat_counts[0], game.seat_counts[-1])]
SEATINGS = {"outer": OUTER, "all": SEATED}


def playout(count: int, seated: Iterable[tuple[AnyGame, int]]) -> list[str]:
    """Return one line for each game and number of seats."""
    lines = []
    for game, seats in seated:
        digest = sha256()
        for n in range(count):
            table, chance = sit_down(game, seats=seats, seed=n), Fast(f"playout {n}")
            while table.match.status == "playing":
                for seat in range(seats):
                    digest.update(canonical_json(list(islice(game.legal_moves(table.match.state, seat), 500))))
                for reader in all_readers(seats):
                    digest.update(canonical_json(game.view(table.match.state, reader)))
                step(table, chance)
            for line in log_lines(table.events):
                digest.update(line)
        lines.append(f"{game.slug} {seats} {digest.hexdigest()}")
    return lines


def faulty_playout(count: int, slug: str, name: str) -> list[str]:
    """Return the line of one game with its fewest seats and a fault."""
    fault = next(fault for fault in FAULTS if fault.name == name)
    with plant_fault(fault, games()[slug]) as game:
        return playout(count, [(game, game.seat_counts[0])])


if __name__ == "__main__":
    count, seatings, *words = sys.argv[1:]
    print("\n".join(faulty_playout(int(count), *words) if words else playout(int(count), SEATINGS[seatings])))

"""Prints, for every game and number of seats, a digest of a whole match and of all lists of legal moves in it.

Run as a program by the determinism tests, in processes that hash strings differently.
"""

import sys
from hashlib import sha256
from itertools import islice

from domain.chance import Fast
from domain.events import canonical
from tests.builders import log_lines, sit_down, step
from tests.contract.cases import SEATED, readers


def playout(count: int) -> list[str]:
    """One line for each game and number of seats."""
    lines = []
    for game, seats in SEATED:
        digest = sha256()
        for n in range(count):
            table, chance = sit_down(game, seats=seats, seed=n), Fast(f"playout {n}")
            while table.match.status == "playing":
                for seat in range(seats):
                    digest.update(canonical(list(islice(game.legal_moves(table.match.state, seat), 500))))
                for reader in readers(seats):
                    digest.update(canonical(game.view(table.match.state, reader)))
                step(table, chance)
            for line in log_lines(table.events):
                digest.update(line)
        lines.append(f"{game.slug} {seats} {digest.hexdigest()}")
    return lines


if __name__ == "__main__":
    print("\n".join(playout(int(sys.argv[1]))))

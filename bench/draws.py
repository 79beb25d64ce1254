"""The draws of a match, which anyone can check, next to those of the standard library."""

import random
from collections.abc import Callable, Iterator
from functools import partial

from bench.measure import Row, at_most, in_turns, per_second, ratio
from domain.kernel.chance import Drawn

KEY = bytes(range(32))
CARDS = range(78)
MANY = 1_000


def rows() -> Iterator[Row]:
    """Yield a draw below 6 and a shuffle of 78, with the key of a match and with `random.Random`."""
    plain, drawn = random.Random(7), Drawn(KEY, 3)
    figures = in_turns(
        {
            "randrange": partial(per_second, many(lambda: plain.randrange(6))),
            "below": partial(per_second, many(lambda: drawn.below(6))),
            "shuffle": partial(per_second, many(lambda: plain.shuffle(list(CARDS)), 10)),
            "deal": partial(per_second, many(lambda: Drawn(KEY, 3).shuffle(CARDS), 10)),
        }
    )
    micro = {name: [1e6 / rate for rate in rates] for name, rates in figures.items()}
    yield Row("a draw by HMAC (below 6)", micro["below"], "us")
    yield Row("random.randrange(6)", micro["randrange"], "us")
    yield Row("a draw : random.randrange", ratio(micro["below"], micro["randrange"]), target=at_most(3))
    yield Row("a shuffle of 78 by HMAC, from the key on", micro["deal"], "us")
    yield Row("random.shuffle of 78", micro["shuffle"], "us")
    yield Row("a shuffle : random.shuffle", ratio(micro["deal"], micro["shuffle"]), target=at_most(3.5))


def many(call: Callable[[], object], times: int = MANY) -> Callable[[], int]:
    """Repeat the call, so the cost of reading the clock doesn't matter."""

    def run() -> int:
        for _ in range(times):
            call()
        return times

    return run

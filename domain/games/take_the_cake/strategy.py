"""s"""


def greedy(view, seat, legal, chance):
    return next(iter(legal))

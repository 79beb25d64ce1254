"""From results to ratings: OpenSkill's Plackett-Luce model, which knows matches of two and of more.

Results are taken in the order in which matches ended (and by id where two ended at once), whatever the order in which
they become known: the rater goes back to the first one that is new or has changed, and on from there.
"""

import time
from collections.abc import Callable, Iterable, Sequence

from openskill.models import PlackettLuce

from domain.game import Seat
from service.projections import Projections, Result
from service.ratings import Head, Ratings, Standing, Step, chained, head_behind

BATCH = 200
"""How many steps are written at once."""
PAUSE = 0.2
"""Seconds for somebody else who writes the same ratings, before we do."""
START, SPREAD = 1500.0, 350.0
"""A newcomer's mean and standard deviation; the model's other numbers stand to them as its authors propose."""
MODEL = PlackettLuce(mu=START, sigma=SPREAD, beta=SPREAD / 2, tau=SPREAD / 100)

Progress = Callable[[int], object]
"""Is told how many results have been taken."""


def newcomer() -> Standing:
    """The standing before the first match."""
    return Standing(START, SPREAD)


def weighed(result: Result, before: Sequence[Standing | None]) -> tuple[Standing, ...]:
    """The players' standings behind a result."""
    known = [standing or newcomer() for standing in before]
    teams = [[MODEL.create_rating([standing.mu, standing.sigma])] for standing in known]
    rated = MODEL.rate(teams, ranks=[float(place) for place in result.places])
    return tuple(
        counted(standing, result, seat, new.mu, new.sigma)
        for seat, (standing, (new,)) in enumerate(zip(known, rated, strict=True))
    )


def counted(standing: Standing, result: Result, seat: Seat, mu: float, sigma: float) -> Standing:
    """The new strength, and one match more in the record."""
    won, drawn = seat in result.winners, not result.winners
    return Standing(mu, sigma, standing.won + won, standing.drawn + drawn, standing.lost + (not won and not drawn))


def steps_behind(digest: str, standings: dict[str, Standing], results: Sequence[Result]) -> list[Step]:
    """The steps that these results are; `standings` are those of their players, and are brought up to date."""
    steps = []
    for result in results:
        before = tuple(standings.get(player) for player in result.players)
        after = weighed(result, before)
        digest = chained(digest, result)
        standings.update(zip(result.players, after, strict=True))
        steps.append(Step(result, before, after, digest))
    return steps


class Rater:
    """Keeps the ratings up with the results. Two at once do no harm: who is late leaves it to the other."""

    def __init__(self, projections: Projections, ratings: Ratings) -> None:
        self._projections = projections
        self._ratings = ratings

    def catch_up(self, progress: Progress = lambda taken: None) -> None:
        """Take all that is new into account. Raises LogUnavailable."""
        news = self._projections.news()
        done = [self._rate(game, first, progress) for game, first in news.first.items()]
        if all(done):
            self._projections.settle(news)

    def start_anew(self, games: Iterable[str], progress: Progress = lambda taken: None) -> None:
        """Forget all ratings of these games and derive them again. Raises LogUnavailable."""
        news = self._projections.news()
        for game in games:
            self._ratings.reset(game)
            while not self._rate(game, "", progress):
                time.sleep(PAUSE)
        self._projections.settle(news)

    def _rate(self, game: str, first: str, progress: Progress) -> bool:
        """Take the results of a game from a place on; False when somebody else is at it."""
        return self._go_back(game, first) and self._go_on(game, progress)

    def _go_back(self, game: str, first: str) -> bool:
        while steps := self._ratings.last_steps(game, first, BATCH):
            before = self._ratings.before(game, steps[-1].result.place)
            if not self._ratings.undo(game, head_behind(steps[0]), steps, before):
                return False
        return True

    def _go_on(self, game: str, progress: Progress) -> bool:
        head = self._ratings.head(game)
        while results := self._projections.results(game, head.place, BATCH):
            players = {player for result in results for player in result.players}
            steps = steps_behind(head.digest, self._ratings.standings(game, players), results)
            if not self._ratings.extend(game, head, steps):
                return False
            head = Head(steps[-1].result.place, steps[-1].digest)
            progress(len(steps))
        return True

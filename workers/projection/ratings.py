"""From results to ratings: OpenSkill's Plackett-Luce model, which knows matches of two and of more.

Results are taken in the order in which matches ended (and by id where two ended at once), whatever the order in which
they become known: the rater goes back to the first one that is new or has changed, and on from there.
"""

import sys
import time
from collections.abc import Callable, Iterable, Sequence

from openskill.models import PlackettLuce

from domain.kernel.game import Seat
from service.read_models.projections import News, Projections, Result
from service.read_models.ratings import Ratings, Standing, Step, chained, head_behind

BATCH = 200
"""How many steps are written at once."""
PAUSE = 0.2
"""Seconds for somebody else who writes the same ratings, before we do."""
START, SPREAD = 1500.0, 350.0
"""A newcomer's mean and standard deviation; the model's other numbers stand to them as its authors propose."""
MODEL = PlackettLuce(mu=START, sigma=SPREAD, beta=SPREAD / 2, tau=SPREAD / 100)

BATCHES_AT_ONCE = 10
"""So many batches of a game are done before other work of the same process has its turn; 10 take a second."""
NOTHING = News({})

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
    """Keeps the ratings up with the results. Two at once do no harm: who is late leaves it to the other.

    A result that becomes known is noted in the same moment. Whoever finds the note goes back first, which ends the turn
    of all who may have read the results without it; what is written from then on has it.
    """

    def __init__(self, projections: Projections, ratings: Ratings) -> None:
        self._projections = projections
        self._ratings = ratings
        self._gone_back = NOTHING
        """The news for which the ratings have gone back already, and are on their way forward again."""

    def catch_up(self, batches: int = sys.maxsize) -> None:
        """Take what is new into account, at most so many batches of each game: the next call goes on from there.

        Raises LogUnavailable.
        """
        news = self._projections.news()
        fresh = news.since(self._gone_back).first()
        gone_back = [self._go_back(game, first, batches) for game, first in fresh.items()]
        if not all(gone_back):
            return
        self._gone_back = news
        gone_on = [self._go_on(game, batches) for game in news.first()]
        if all(gone_on):
            self._projections.settle(news)
            self._gone_back = NOTHING

    def start_anew(self, games: Iterable[str], progress: Progress = lambda taken: None) -> None:
        """Forget all ratings of these games and derive them again. Raises LogUnavailable."""
        news = self._projections.news()
        for game in games:
            self._ratings.reset(game)
            while not self._go_on(game, sys.maxsize, progress):
                time.sleep(PAUSE)
        self._projections.settle(news)

    def _go_back(self, game: str, first: str, batches: int) -> bool:
        """Undo the steps at a place and behind it; False when that is not done: too many, or somebody else is at it.

        Where there are none it is done nevertheless, so that nobody goes on who does not know what it is for.
        """
        for _ in range(batches):
            head = self._ratings.head(game)
            steps = self._ratings.last_steps(game, first, BATCH)
            before = self._ratings.before(game, steps[-1].result.place if steps else first)
            if not self._ratings.undo(game, head, steps, before):
                return False
            if len(steps) < BATCH:
                return True
        return False

    def _go_on(self, game: str, batches: int, progress: Progress = lambda taken: None) -> bool:
        """Take the results behind the head; False when that is not done, as above."""
        head = self._ratings.head(game)
        for _ in range(batches):
            results = self._projections.results(game, head.place, BATCH)
            if not results:
                return True
            players = {player for result in results for player in result.players}
            steps = steps_behind(head.digest, self._ratings.standings(game, players), results)
            if not self._ratings.extend(game, head, steps):
                return False
            head = head_behind(steps[-1], head.turn)
            progress(len(steps))
        return False

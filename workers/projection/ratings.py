"""From results to ratings: OpenSkill's Plackett-Luce model, which knows matches of two and of more.

Results are taken in the order in which matches ended (and by id where two ended at once), whatever the order in which
they become known: the rater goes back to the first one that is new or has changed, and on from there.
"""

import sys
import time
from collections.abc import Callable, Iterable, Sequence

from openskill.models import PlackettLuce

from domain.kernel.game import Seat
from service.read_models.ratings import PlayerRating, Ratings, RatingStep, chain_digest, head_after
from service.read_models.results import PendingResults, ResultFeed
from service.read_models.summary import RatedResult

BATCH = 200
"""How many steps are written at once."""
RETRY_SECONDS = 0.2
"""Seconds for somebody else who writes the same ratings, before we do."""
INITIAL_MEAN, INITIAL_DEVIATION = 1500.0, 350.0
"""A newcomer's mean and standard deviation; the model's other numbers stand to them as its authors propose."""
MODEL = PlackettLuce(mu=INITIAL_MEAN, sigma=INITIAL_DEVIATION, beta=INITIAL_DEVIATION / 2, tau=INITIAL_DEVIATION / 100)

BATCHES_PER_CALL = 10
"""So many batches of a game are done before other work of the same process has its turn; 10 take a second."""
NONE_PENDING = PendingResults({})

Progress = Callable[[int], object]
"""Is told how many results have been taken."""


def initial_rating() -> PlayerRating:
    """The standing before the first match."""
    return PlayerRating(INITIAL_MEAN, INITIAL_DEVIATION)


def rate_result(result: RatedResult, before: Sequence[PlayerRating | None]) -> tuple[PlayerRating, ...]:
    """The players' standings behind a result."""
    known = [standing or initial_rating() for standing in before]
    teams = [[MODEL.create_rating([standing.mu, standing.sigma])] for standing in known]
    rated = MODEL.rate(teams, ranks=[float(place) for place in result.places])
    return tuple(
        add_result(standing, result, seat, new.mu, new.sigma)
        for seat, (standing, (new,)) in enumerate(zip(known, rated, strict=True))
    )


def add_result(standing: PlayerRating, result: RatedResult, seat: Seat, mu: float, sigma: float) -> PlayerRating:
    """The new strength, and one match more in the record."""
    won, drawn = seat in result.winners, not result.winners
    return PlayerRating(mu, sigma, standing.won + won, standing.drawn + drawn, standing.lost + (not won and not drawn))


def build_steps(digest: str, standings: dict[str, PlayerRating], results: Sequence[RatedResult]) -> list[RatingStep]:
    """The steps that these results are; `standings` are those of their players, and are brought up to date."""
    steps = []
    for result in results:
        before = tuple(standings.get(player) for player in result.players)
        after = rate_result(result, before)
        digest = chain_digest(digest, result)
        standings.update(zip(result.players, after, strict=True))
        steps.append(RatingStep(result, before, after, digest))
    return steps


class Rater:
    """Keeps the ratings up with the results. Two at once do no harm: who is late leaves it to the other.

    A result that becomes known is noted in the same moment. Whoever finds the note goes back first, which ends the turn
    of all who may have read the results without it; what is written from then on has it.
    """

    def __init__(self, results: ResultFeed, ratings: Ratings) -> None:
        self._results = results
        self._ratings = ratings
        self._rolled_back_for = NONE_PENDING
        """The news for which the ratings have gone back already, and are on their way forward again."""

    def catch_up(self, batches: int = sys.maxsize) -> None:
        """Take what is new into account, at most so many batches of each game: the next call goes on from there.

        Raises LogUnavailable.
        """
        news = self._results.pending_results()
        fresh = news.added_since(self._rolled_back_for).first_places()
        gone_back = [self._roll_back(game, first, batches) for game, first in fresh.items()]
        if not all(gone_back):
            return
        self._rolled_back_for = news
        gone_on = [self._extend(game, batches) for game in news.first_places()]
        if all(gone_on):
            self._results.acknowledge_results(news)
            self._rolled_back_for = NONE_PENDING

    def rebuild(self, games: Iterable[str], progress: Progress = lambda taken: None) -> None:
        """Forget all ratings of these games and derive them again. Raises LogUnavailable."""
        news = self._results.pending_results()
        for game in games:
            self._ratings.reset(game)
            while not self._extend(game, sys.maxsize, progress):
                time.sleep(RETRY_SECONDS)
        self._results.acknowledge_results(news)

    def _roll_back(self, game: str, first: str, batches: int) -> bool:
        """Undo the steps at a place and behind it; False when that is not done: too many, or somebody else is at it.

        Where there are none it is done nevertheless, so that nobody goes on who does not know what it is for.
        """
        for _ in range(batches):
            head = self._ratings.head(game)
            steps = self._ratings.steps_from(game, first, BATCH)
            before = self._ratings.step_before(game, steps[-1].result.order_key if steps else first)
            if not self._ratings.undo(game, head, steps, before):
                return False
            if len(steps) < BATCH:
                return True
        return False

    def _extend(self, game: str, batches: int, progress: Progress = lambda taken: None) -> bool:
        """Take the results behind the head; False when that is not done, as above."""
        head = self._ratings.head(game)
        for _ in range(batches):
            results = self._results.rated_results(game, head.order_key, BATCH)
            if not results:
                return True
            players = {player for result in results for player in result.players}
            steps = build_steps(head.digest, self._ratings.ratings_of(game, players), results)
            if not self._ratings.extend(game, head, steps):
                return False
            head = head_after(steps[-1], head.generation)
            progress(len(steps))
        return False

"""Computes ratings from results with OpenSkill's Plackett-Luce model, which supports two or more players.

Results are processed in the order in which matches ended (then by id), regardless of the order in which they become
known. The rater rolls back to the first new or changed result and continues from there.
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
"""Number of steps to write at a time."""
RETRY_SECONDS = 0.2
"""Pause in seconds when another process writes the same ratings."""
INITIAL_MEAN, INITIAL_DEVIATION = 1500.0, 350.0
"""Mean and standard deviation of a new player. The other parameters are scaled as the model's authors propose."""
MODEL = PlackettLuce(mu=INITIAL_MEAN, sigma=INITIAL_DEVIATION, beta=INITIAL_DEVIATION / 2, tau=INITIAL_DEVIATION / 100)

BATCHES_PER_CALL = 10
"""Batches of a game per call, before other work of the process gets its turn. 10 take one second."""
NONE_PENDING = PendingResults({})

Progress = Callable[[int], object]
"""Called with the number of results that were just processed."""


def initial_rating() -> PlayerRating:
    """Return the rating of a player before the first match."""
    return PlayerRating(INITIAL_MEAN, INITIAL_DEVIATION)


def rate_result(result: RatedResult, before: Sequence[PlayerRating | None]) -> tuple[PlayerRating, ...]:
    """Return the players' ratings after a result."""
    known = [standing or initial_rating() for standing in before]
    teams = [[MODEL.create_rating([standing.mu, standing.sigma])] for standing in known]
    rated = MODEL.rate(teams, ranks=[float(place) for place in result.places])
    return tuple(
        add_result(standing, result, seat, new.mu, new.sigma)
        for seat, (standing, (new,)) in enumerate(zip(known, rated, strict=True))
    )


def add_result(standing: PlayerRating, result: RatedResult, seat: Seat, mu: float, sigma: float) -> PlayerRating:
    """Return a player's rating with the new mean and deviation and the result added to the record."""
    won, drawn = seat in result.winners, not result.winners
    return PlayerRating(mu, sigma, standing.won + won, standing.drawn + drawn, standing.lost + (not won and not drawn))


def build_steps(digest: str, standings: dict[str, PlayerRating], results: Sequence[RatedResult]) -> list[RatingStep]:
    """Return the rating steps for these results, and update `standings`, the ratings of their players."""
    steps = []
    for result in results:
        before = tuple(standings.get(player) for player in result.players)
        after = rate_result(result, before)
        digest = chain_digest(digest, result)
        standings.update(zip(result.players, after, strict=True))
        steps.append(RatingStep(result, before, after, digest))
    return steps


class Rater:
    """Keeps the ratings up to date with the results. Two raters may run in parallel: the later one yields.

    A new result is recorded as pending in the same transaction. A rater that finds it rolls back first, which makes
    the writes of any rater that read the results without it fail. Everything written after that includes it.
    """

    def __init__(self, results: ResultFeed, ratings: Ratings) -> None:
        self._results = results
        self._ratings = ratings
        self._rolled_back_for = NONE_PENDING
        """Pending results for which the ratings were already rolled back and are being extended again."""

    def catch_up(self, batches: int = sys.maxsize) -> None:
        """Process new results, up to this many batches per game. The next call continues from there.

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
        """Delete all ratings of these games and rebuild them. Raises LogUnavailable."""
        news = self._results.pending_results()
        for game in games:
            self._ratings.reset(game)
            while not self._extend(game, sys.maxsize, progress):
                time.sleep(RETRY_SECONDS)
        self._results.acknowledge_results(news)

    def _roll_back(self, game: str, first: str, batches: int) -> bool:
        """Undo the steps from `first` on. Return False if unfinished: too many steps, or another rater interfered.

        This runs even if there are no steps to undo, so that a rater unaware of the new result is stopped.
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
        """Process the results after the head. Return False if unfinished, as in `_roll_back`."""
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

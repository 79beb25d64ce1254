"""Computes ratings from results, by the formula in `rating_formula.py`.

Results are processed in the order in which matches ended (then by id), regardless of the order in which they become
known. The rater rolls back to the first new or changed result and continues from there.
"""

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations

from domain.kernel.registry import games
from service.read_models.rating_records import (
    Meeting,
    PlayerRating,
    RatingHead,
    RatingStep,
    chain_digest,
    head_after,
    pair_of,
)
from service.read_models.rating_trust import NO_TRUST, RatingTrust
from service.read_models.ratings import Ratings
from service.read_models.results import PendingResults, ResultFeed
from service.read_models.summary import RatedResult
from workers.projection.rating_formula import rate_result

BATCH = 200
"""Number of steps to write at a time."""
RETRY_SECONDS = 0.2
"""Pause in seconds when another process writes the same ratings."""
BATCHES_PER_CALL = 10
"""Batches of a game per call, before other work of the process gets its turn. 10 take one second."""
NONE_PENDING = PendingResults({})
AFTER_ALL = "~"
"""An order key after all others."""

Progress = Callable[[int], object]
"""Called with the number of results that were just processed."""


def pairs_of(result: RatedResult) -> list[str]:
    """Return the pairs of players in a result."""
    return [pair_of(one, other) for one, other in combinations(result.players, 2)]


def build_steps(
    head: RatingHead, standings: dict[str, PlayerRating], meetings: dict[str, Meeting], results: Sequence[RatedResult]
) -> list[RatingStep]:
    """Return the rating steps for these results, and update the ratings and meetings of their players."""
    steps = []
    digest, places, trust = head.digest, head.places, head.trust or NO_TRUST
    for result in results:
        before = tuple(standings.get(player) for player in result.players)
        rated = rate_result(result, before, meetings, places, trust)
        digest, places = chain_digest(digest, result), rated.places
        standings.update(zip(result.players, rated.after, strict=True))
        meetings.update((change.pair, change.after) for change in rated.meetings)
        steps.append(RatingStep(result, before, rated.after, digest, rated.meetings, places, rated.excluded))
    return steps


class Rater:
    """Keeps the ratings up to date with the results. Two raters may run in parallel: the later one yields.

    A new result is recorded as pending in the same transaction. A rater that finds it rolls back first, which makes
    the writes of any rater that read the results without it fail. Everything written after that includes it.
    """

    def __init__(
        self, results: ResultFeed, ratings: Ratings, read_trust: Callable[[], RatingTrust] = lambda: NO_TRUST
    ) -> None:
        self._results = results
        self._ratings = ratings
        self._read_trust = read_trust
        self._applied_trust: RatingTrust | None = None
        """The founders and excluded players by which the ratings of all games are computed, as far as we know."""
        self._rolled_back_for = NONE_PENDING
        """Pending results for which the ratings were already rolled back and are being extended again."""
        self._unchecked: set[str] | None = None
        """The games whose ratings this rater has not compared with the results yet. None: all games."""
        self._reset_games: set[str] = set()

    def catch_up(self, batches: int = sys.maxsize) -> None:
        """Process new results, up to this many batches per game. The next call continues from there.

        The first call also completes the ratings of games that have fewer or more steps than results: after an update
        to a new formula, or if a process of an earlier release has acknowledged results meanwhile.

        Raises LogUnavailable.
        """
        if not self._apply_trust(batches):
            return
        self._complete(batches)
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

    def _complete(self, batches: int) -> None:
        """Complete the ratings of games that have no pending results but are incomplete."""
        if self._unchecked is None:
            self._unchecked = set(games())
        for game in sorted(self._unchecked):
            if not self._is_complete(game) and not self._extend(game, batches):
                continue
            self._unchecked.discard(game)
            if not self._is_complete(game) and game not in self._reset_games:
                # An earlier result is missing, or one was withdrawn. Starting again once is enough.
                self._reset_games.add(game)
                self._unchecked.add(game)
                self._ratings.reset(game)
                self._extend(game, batches)

    def _apply_trust(self, batches: int) -> bool:
        """Undo what founders and excluded players change. Return False if unfinished, as in `_roll_back`.

        The steps are computed by the trust in the head, and every change of it starts a new generation. So no rater
        can append a step by an earlier one.
        """
        trust = self._read_trust()
        if trust == self._applied_trust:
            return True
        for game in sorted(games()):
            head = self._ratings.head(game)
            if head.trust != trust:
                first = self._first_change(game, head.trust, trust)
                if not self._roll_back(game, first, batches, trust):
                    return False
        # Another rater may have undone these steps and stopped, so all games are checked for missing steps.
        self._unchecked = set(games())
        self._applied_trust = trust
        return True

    def _first_change(self, game: str, old: RatingTrust | None, new: RatingTrust) -> str:
        """Return the order key of the first step that a change of trust can concern; the last one if there is none."""
        if old is None or bool(old.founders) != bool(new.founders):
            return ""
        changed = (self._ratings.first_of(game, player) for player in old.changed_players(new))
        return min((first for first in changed if first is not None), default=AFTER_ALL)

    def _is_complete(self, game: str) -> bool:
        """Return whether every result of a game is in the ratings or pending."""
        return game in self._results.pending_results().first_places() or self._ratings.step_count(
            game
        ) == self._results.count_results([game])

    def rebuild(self, games: Iterable[str], progress: Progress = lambda taken: None) -> None:
        """Delete all ratings of these games and rebuild them. Raises LogUnavailable."""
        news = self._results.pending_results()
        for game in games:
            trust: RatingTrust | None = None
            while trust != (trust := self._read_trust()):  # a ban during the rebuild must not be lost
                self._ratings.reset(game)
                while not self._roll_back(game, "", sys.maxsize, trust):
                    time.sleep(RETRY_SECONDS)
                while not self._extend(game, sys.maxsize, progress):
                    time.sleep(RETRY_SECONDS)
        self._results.acknowledge_results(news)

    def _roll_back(self, game: str, first: str, batches: int, trust: RatingTrust | None = None) -> bool:
        """Undo the steps from `first` on. Return False if unfinished: too many steps, or another rater interfered.

        This runs even if there are no steps to undo, so that a rater unaware of the new result is stopped. With
        `trust`, all steps from `first` on are then computed by it.
        """
        for _ in range(batches):
            head = self._ratings.head(game)
            steps = self._ratings.steps_from(game, first, BATCH)
            before = self._ratings.step_before(game, steps[-1].result.order_key if steps else first)
            is_last = len(steps) < BATCH
            if not self._ratings.undo(game, head, steps, before, trust if is_last else None):
                return False
            if is_last:
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
            pairs = {pair for result in results for pair in pairs_of(result)}
            standings, meetings = self._ratings.ratings_of(game, players), self._ratings.meetings_of(game, pairs)
            steps = build_steps(head, standings, meetings, results)
            if not self._ratings.extend(game, head, steps):
                return False
            head = head_after(steps[-1], head)
            progress(len(steps))
        return False

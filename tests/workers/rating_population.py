"""Populations for tests of the rating formula: honest players of known strength, and accounts that help a cheater.

Results are made in the order of time. Everything is seeded, so every run gives the same ratings.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from service.read_models.rating_records import Meeting, PlayerRating, RatingHead, RatingStep, head_after
from service.read_models.rating_trust import RatingTrust
from service.read_models.ratings import Ratings
from service.read_models.summary import RatedResult
from workers.projection.ratings import build_steps

START = datetime(2026, 1, 1, tzinfo=UTC)
HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
SPREAD = 250.0
"""Standard deviation of the strengths of honest players."""


class League:
    """The ratings of one game, result by result."""

    def __init__(self, founders: Iterable[str] = ()) -> None:
        self.standings: dict[str, PlayerRating] = {}
        self.meetings: dict[str, Meeting] = {}
        self.head = RatingHead(trust=RatingTrust(frozenset(founders)))
        self.steps: list[RatingStep] = []
        self.now = START
        self._number = 0

    def copy(self) -> "League":
        """Return a league that continues from here on its own. It starts without steps."""
        other = League()
        other.standings, other.meetings = dict(self.standings), dict(self.meetings)
        other.head, other.now, other._number = self.head, self.now, self._number
        return other

    def finish(self, players: Sequence[str], places: Sequence[int], **other: Any) -> None:
        """Rate a result that arrives now. Results at the same moment count in this order."""
        self._number += 1
        self.now += timedelta(milliseconds=1)
        best = [seat for seat, place in enumerate(places) if place == 1]
        winners = () if len(best) == len(places) else tuple(best)
        match = f"{self._number:018}"
        result = RatedResult(match, "any_game", self.now, tuple(players), tuple(places), winners, **other)
        [step] = build_steps(self.head, self.standings, self.meetings, [result])
        self.head = head_after(step, self.head)
        self.steps.append(step)

    def beat(self, winner: str, loser: str) -> None:
        """Rate a win in a match of two."""
        self.finish((winner, loser), (1, 2))

    def board(self) -> list[str]:
        """Return the leaderboard, best player first."""
        placed = [(player, it) for player, it in self.standings.items() if it.is_placed]
        return [player for player, it in sorted(placed, key=lambda each: -each[1].lower_bound)]

    def rank(self, player: str) -> int | None:
        """Return the rank of a player, or None without a place."""
        board = self.board()
        return board.index(player) + 1 if player in board else None


class HonestPlayers:
    """Players who play to win. `strength` is what their ratings should tend to; a cheater may be one of them."""

    def __init__(self, league: League, count: int, seed: str) -> None:
        self.league = league
        self.random = random.Random(seed)
        self.names = [f"honest{n:04}" for n in range(count)]
        self.strength = {name: self.random.gauss(1500, SPREAD) for name in self.names}

    def copy(self, league: League) -> "HonestPlayers":
        """Return the same players in a copy of their league."""
        other = HonestPlayers(league, 0, "copy")
        other.names, other.strength = self.names, dict(self.strength)
        return other

    def play(self, one: str, other: str) -> None:
        """Play a match. Each wins with the probability that follows from both strengths, as in chess."""
        chance = 1 / (1 + 10 ** ((self.strength[other] - self.strength[one]) / 400))
        if self.random.random() < chance:
            self.league.beat(one, other)
        else:
            self.league.beat(other, one)

    def play_round(self) -> None:
        """Let everyone play one match against a random opponent."""
        drawn = self.random.sample(self.names, len(self.names))
        for one, other in zip(drawn[::2], drawn[1::2], strict=False):
            self.play(one, other)


def settled_league(players: int, rounds: int, seed: str, founders: int = 8) -> tuple[League, HonestPlayers]:
    """Return a league whose players have played this many rounds, two a week. The first ones are founders."""
    league = League(f"honest{n:04}" for n in range(founders))
    honest = HonestPlayers(league, players, seed)
    for number in range(rounds):
        league.now = START + number * WEEK / 2
        honest.play_round()
    return league, honest


def store_league(ratings: Ratings, game: str, league: League, ids: Mapping[str, str]) -> None:
    """Store the ratings of a league whose players have these ids."""
    results = [
        replace(step.result, game=game, players=tuple(ids[player] for player in step.result.players))
        for step in league.steps
    ]
    head = ratings.head(game)
    founders = league.head.trust.founders if league.head.trust else frozenset[str]()
    trust = RatingTrust(frozenset(ids[player] for player in founders if player in ids))
    assert ratings.extend(game, head, build_steps(head._replace(trust=trust), {}, {}, results))

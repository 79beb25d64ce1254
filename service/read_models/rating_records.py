"""What is stored about ratings: players' strengths, meetings of two players, steps, and the head of a game."""

from hashlib import sha256
from typing import NamedTuple

import msgspec

from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from service.read_models.rating_trust import RatingTrust
from service.read_models.summary import RatedResult

CONFIDENCE_DEVIATIONS = 2
"""Number of standard deviations shown as the uncertainty of a rating: a 95 % interval."""
INITIAL_MEAN, INITIAL_DEVIATION = 1500.0, 350.0
"""Mean and standard deviation of a new player."""


class PlayerRating(msgspec.Struct, frozen=True):
    """A player's strength in a game, with mean `mu` and standard deviation `sigma`, and their record.

    The other fields are about the player's place on the leaderboard (formula 2). `since` is when their first rated
    match ended, in milliseconds since 1970. `opponents` counts the different opponents whose results counted, and
    `scored` those of them against whom the player won or drew. `is_placed`: the player has earned a place. `helped` are
    the times of the latest results that were counted in `scored` for others.
    """

    mu: float
    sigma: float
    won: int = 0
    drawn: int = 0
    lost: int = 0
    since: int | None = None
    opponents: int = 0
    scored: int = 0
    is_placed: bool = False
    helped: tuple[int, ...] = ()

    @property
    def rating(self) -> int:
        """The mean strength, rounded."""
        return round(self.mu)

    @property
    def uncertainty(self) -> int:
        """Half the width of the 95 % interval, rounded."""
        return round(CONFIDENCE_DEVIATIONS * self.sigma)

    @property
    def lower_bound(self) -> float:
        """The lower end of the 95 % interval, by which the leaderboard is ranked."""
        return self.mu - CONFIDENCE_DEVIATIONS * self.sigma

    @property
    def match_count(self) -> int:
        """The number of rated matches."""
        return self.won + self.drawn + self.lost


class Meeting(msgspec.Struct, frozen=True, array_like=True):
    """What counts of the matches between two players. The first player is the one with the smaller id.

    `count` is the number of results that counted for either of them. The flags say whether each of them has met the
    other as an opponent whose results count, and whether they have won or drawn then.
    """

    count: int = 0
    met: tuple[bool, bool] = (False, False)
    scored: tuple[bool, bool] = (False, False)


class MeetingChange(msgspec.Struct, frozen=True, array_like=True):
    """The meeting of two players (`pair`), before and after a step."""

    pair: str
    before: Meeting
    after: Meeting


class RatingStep(msgspec.Struct, frozen=True):
    """A result, and the ratings of its players before it (None for their first match) and after it.

    `digest` covers this result and all before it. `meetings` are those that the result changed, and `places` is the
    number of players with a place on the leaderboard after it. The result does not count for the `excluded` seats, nor
    for others against them.
    """

    result: RatedResult
    before: tuple[PlayerRating | None, ...]
    after: tuple[PlayerRating, ...]
    digest: str
    meetings: tuple[MeetingChange, ...] = ()
    places: int = 0
    excluded: tuple[Seat, ...] = ()

    def counts_for(self, seat: Seat) -> bool:
        """Return whether the result counts for a seat: not if it is excluded, or if all its opponents are."""
        return not self.excluded or (seat not in self.excluded and len(self.before) - len(self.excluded) > 1)


class RatingHead(NamedTuple):
    """The order key and digest of the last step of a game, empty at the beginning, and the generation.

    `places` is the number of players with a place on the leaderboard. By `trust`, the steps were computed. It is None
    until the first rater has written it.
    """

    order_key: str = ""
    digest: str = ""
    generation: int = 0
    places: int = 0
    trust: RatingTrust | None = None

    def as_stored(self) -> str:
        """Return the stored form of the last step."""
        return f"{self.order_key} {self.digest} {self.places}" if self.order_key else ""


class RankedPlayer(msgspec.Struct, frozen=True):
    """A row of a leaderboard."""

    rank: int
    player: str
    player_rating: PlayerRating


NO_MEETING = Meeting()


def initial_rating() -> PlayerRating:
    """Return the rating of a player before the first match."""
    return PlayerRating(INITIAL_MEAN, INITIAL_DEVIATION)


def pair_of(first: str, second: str) -> str:
    """Return the name of a pair of players, the same in either order."""
    return f"{min(first, second)} {max(first, second)}"


def order_entries(result: RatedResult) -> list[str]:
    """Return a step's entries in the order of all steps and in that of each player."""
    return [f"{whose}:{result.order_key}" for whose in ("*", *result.players)]


def head_after(step: RatingStep, head: RatingHead) -> RatingHead:
    """Return the head with this last step, and the generation and trust of `head`."""
    return RatingHead(step.result.order_key, step.digest, head.generation, step.places, head.trust)


def chain_digest(digest: str, result: RatedResult) -> str:
    """Return the digest of a result and all before it."""
    return sha256(digest.encode() + canonical_json(result)).hexdigest()

"""What everybody may know of a player: name, record and rating in each game."""

from datetime import datetime

import msgspec

from domain.kernel.registry import games
from service.bootstrap import Services
from service.read_models.projections import Tally
from service.read_models.ratings import Leader, Standing, Step


class Rating(msgspec.Struct, frozen=True):
    """A player's strength in a game: in 19 of 20 cases it lies within `uncertainty` of `rating`.

    `won`, `drawn` and `lost` count the rated matches that it comes from.
    """

    rating: int
    uncertainty: int
    won: int
    drawn: int
    lost: int


class Record(msgspec.Struct, frozen=True):
    """What a player has done in a game, all matches counted that are not private; and the rating, if there is one."""

    game: str
    won: int
    drawn: int
    lost: int
    rating: Rating | None


class Profile(msgspec.Struct, frozen=True):
    """A player as everybody may see them. One who was erased has no name."""

    id: str
    name: str | None
    records: tuple[Record, ...]


class Point(msgspec.Struct, frozen=True):
    """A rating behind a match."""

    match: str
    at: datetime
    rating: int
    uncertainty: int
    change: int | None
    """By how much the match has changed the rating; None for the first one."""


class Place(msgspec.Struct, frozen=True):
    """A line of a leaderboard; an erased player has no name."""

    rank: int
    player: str
    name: str | None
    rating: Rating


NO_TALLY = Tally(0, 0, 0)


def profile(parts: Services, player: str) -> Profile | None:
    """The player; None for an id that nobody has and that has never played."""
    known = parts.players.find(player)
    if known is None and not parts.projections.is_known(player):
        return None
    tallies = parts.projections.tallies(player, games())
    ratings = {game: parts.ratings.standings(game, [player]).get(player) for game in games()}
    records = tuple(
        Record(game, *tallies.get(game, NO_TALLY), rating_of(found) if found else None)
        for game, found in ratings.items()
        if game in tallies or found
    )
    return Profile(player, known.name if known else None, records)


def rating_of(standing: Standing) -> Rating:
    """A standing as it is told."""
    return Rating(standing.rating, standing.uncertainty, standing.won, standing.drawn, standing.lost)


def history(parts: Services, game: str, player: str) -> list[Point]:
    """How the rating of a player has gone, the newest points, the oldest of them first."""
    return [point(step, player) for step in parts.ratings.history(game, player)]


def point(step: Step, player: str) -> Point:
    """The rating of one of the players behind a step."""
    seat = step.result.players.index(player)
    before, after = step.before[seat], step.after[seat]
    return Point(
        step.result.match,
        step.result.ended_at,
        after.rating,
        after.uncertainty,
        after.rating - before.rating if before else None,
    )


def leaderboard(parts: Services, game: str, after: int = 0, limit: int = 50) -> list[Place]:
    """The leaders of a game behind so many ranks."""
    leaders = parts.ratings.leaders(game, after, limit)
    names = parts.players.names({leader.player for leader in leaders})
    return [place(leader, names.get(leader.player)) for leader in leaders]


def place(leader: Leader, name: str | None) -> Place:
    """A line of the leaderboard as it is told."""
    return Place(leader.rank, leader.player, name, rating_of(leader.standing))

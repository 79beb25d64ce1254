"""The public profile of a player: name, record and rating in each game."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from domain.kernel.registry import games
from service.accounts.players import Players
from service.read_models.match_lists import MatchLists
from service.read_models.places import missing_for_place
from service.read_models.rating_records import PlayerRating, RankedPlayer, RatingStep
from service.read_models.ratings import FORMULA, Ratings
from service.read_models.summary import Tally
from service.runtime.clock import Clock


class RatingDocument(msgspec.Struct, frozen=True):
    """A player's rating in a game. In 19 of 20 cases the true strength is within `uncertainty` of `rating`."""

    rating: int
    uncertainty: int
    won: Annotated[int, Meta(description="Rated matches won.")]
    drawn: int
    lost: int
    formula: Annotated[int, Meta(description="Version of the rating formula.")]
    placed: Annotated[bool, Meta(description="The player has a place on the leaderboard.")]
    missing: Annotated[tuple[str, ...], Meta(description="What the player still needs for a place, spelled out.")]


class RecordDocument(msgspec.Struct, frozen=True):
    """A player's record in a game, from all listed matches."""

    game: str
    won: int
    drawn: int
    lost: int
    rating: Annotated[RatingDocument | None, Meta(description="Null before the first rated match.")]


class ProfileDocument(msgspec.Struct, frozen=True):
    """A player's public profile. An erased player has no name."""

    id: str
    name: str | None
    records: tuple[RecordDocument, ...]


class RatingPointDocument(msgspec.Struct, frozen=True):
    """A rating after a match."""

    match: str
    at: Annotated[datetime, Meta(description="When the match ended.")]
    rating: int
    uncertainty: int
    change: Annotated[int | None, Meta(description="Null for the first one.")]
    formula: Annotated[int, Meta(description="Version of the rating formula.")]
    counts: Annotated[
        bool, Meta(description="False if the match doesn't count because someone in it was banned for cheating.")
    ]


class LeaderboardEntryDocument(msgspec.Struct, frozen=True):
    """A row of a leaderboard, ranked by the lower bound of the rating. An erased player has no name."""

    rank: int
    player: str
    name: str | None
    rating: RatingDocument


NO_TALLY = Tally(0, 0, 0)


class Profiles:
    """Profiles of players, their rating histories, and the leaderboards."""

    def __init__(self, players: Players, lists: MatchLists, ratings: Ratings, clock: Clock) -> None:
        self._players = players
        self._lists = lists
        self._ratings = ratings
        self._clock = clock

    def profile(self, player: str) -> ProfileDocument | None:
        """Return the player's profile, or None if the player is unknown and has no listed match."""
        known = self._players.find(player)
        if known is None and not self._lists.has_public_matches(player):
            return None
        tallies = self._lists.tallies(player, games())
        ratings = {game: self._ratings.ratings_of(game, [player]).get(player) for game in games()}
        now = self._clock.now()
        records = tuple(
            RecordDocument(game, *tallies.get(game, NO_TALLY), rating_document(found, now) if found else None)
            for game, found in ratings.items()
            if game in tallies or found
        )
        return ProfileDocument(player, known.name if known else None, records)

    def rating_history(self, game: str, player: str, formula: int = FORMULA) -> list[RatingPointDocument]:
        """Return the newest points of a player's rating history by one of the `FORMULAS`, oldest first."""
        steps = self._ratings.history(game, player, formula=formula)
        return [rating_point(step, player, formula) for step in steps]

    def leaderboard(self, game: str, after: int = 0, limit: int = 50) -> list[LeaderboardEntryDocument]:
        """Return the leaderboard of a game, starting after this rank."""
        leaders = self._ratings.leaders(game, after, limit)
        names = self._players.names({leader.player for leader in leaders})
        now = self._clock.now()
        return [leaderboard_entry(leader, names.get(leader.player), now) for leader in leaders]


def rating_document(standing: PlayerRating, now: datetime) -> RatingDocument:
    """Return a rating in the API's format."""
    return RatingDocument(
        standing.rating,
        standing.uncertainty,
        standing.won,
        standing.drawn,
        standing.lost,
        FORMULA,
        standing.is_placed,
        missing_for_place(standing, now),
    )


def rating_point(step: RatingStep, player: str, formula: int) -> RatingPointDocument:
    """Return the rating of one of the players after a step."""
    seat = step.result.players.index(player)
    before, after = step.before[seat], step.after[seat]
    return RatingPointDocument(
        step.result.match,
        step.result.ended_at,
        after.rating,
        after.uncertainty,
        after.rating - before.rating if before else None,
        formula,
        step.counts_for(seat),
    )


def leaderboard_entry(leader: RankedPlayer, name: str | None, now: datetime) -> LeaderboardEntryDocument:
    """Return a row of the leaderboard in the API's format."""
    return LeaderboardEntryDocument(leader.rank, leader.player, name, rating_document(leader.player_rating, now))

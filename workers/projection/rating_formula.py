"""Rating formula 2: what a result does to the ratings of its players, and to their places on the leaderboard.

Strengths follow OpenSkill's Plackett-Luce model, which supports two or more players. A player is rated only against the
opponents whose results count: founders, whom the operator knows, and players with a place on the leaderboard. So nobody
climbs by beating accounts that were made for it. A new account gets a place only by winning or drawing against such
players. Each further meeting of the same two players counts less.

On a server without founders, results count against anyone who has played rated matches for a day until `FEW_PLACES`
players of a game have a place. The results of excluded players, who were banned for cheating, count for nobody.
"""

from collections.abc import Sequence
from datetime import timedelta
from itertools import combinations
from typing import NamedTuple

from msgspec.structs import replace
from openskill.models import PlackettLuce

from domain.kernel.game import Seat
from service.read_models.places import (
    FEW_PLACES,
    MAX_EARLY_DEVIATION,
    MAX_PLACE_DEVIATION,
    MIN_OPPONENT_AGE,
    MIN_OPPONENTS,
    MIN_PLACE_AGE,
    MIN_SCORED,
    SMALL_BOARD,
)
from service.read_models.rating_records import (
    INITIAL_DEVIATION,
    INITIAL_MEAN,
    NO_MEETING,
    Meeting,
    MeetingChange,
    PlayerRating,
    initial_rating,
    pair_of,
)
from service.read_models.rating_trust import NO_TRUST, RatingTrust
from service.read_models.summary import RatedResult
from service.runtime.clock import to_milliseconds

MODEL = PlackettLuce(mu=INITIAL_MEAN, sigma=INITIAL_DEVIATION, beta=INITIAL_DEVIATION / 2, tau=INITIAL_DEVIATION / 100)
"""The other parameters are scaled as the model's authors propose."""

DECLINE, EARLY_DECLINE = 1.5, 0.5
"""How fast further meetings of two players lose weight: 1/n**1.5, so that a hundred of them weigh less than three.

It is slower while few players have a place, otherwise a small club would never get a leaderboard.
"""
MAX_HELPED = 3
"""How many times a player's defeats and draws can count in `scored` for others within `HELP_WINDOW`."""
HELP_WINDOW = timedelta(days=30)


class RatedStep(NamedTuple):
    """What a result changes: its players' ratings, their meetings, and the number of players with a place.

    The result doesn't count for the `excluded` seats.
    """

    after: tuple[PlayerRating, ...]
    meetings: tuple[MeetingChange, ...]
    places: int
    excluded: tuple[Seat, ...] = ()


class _Case(NamedTuple):
    """A result with what is known about its players before it. `places` are the final places, absent players last."""

    result: RatedResult
    at: int
    before: tuple[PlayerRating, ...]
    meetings: dict[str, Meeting]
    places: tuple[int, ...]
    board_size: int
    trust: RatingTrust

    @property
    def seats(self) -> range:
        return range(len(self.before))

    def has_standing(self, seat: Seat) -> bool:
        """Return whether a result against this player counts for the opponents."""
        if seat in self.result.idle or self.is_excluded(seat):
            return False
        if self.before[seat].is_placed or self.result.players[seat] in self.trust.founders:
            return True
        begins = not self.trust.founders and self.board_size < FEW_PLACES
        return begins and self.age(seat) >= to_ms(MIN_OPPONENT_AGE)

    def is_excluded(self, seat: Seat) -> bool:
        """Return whether the results of this player count for nobody."""
        return self.result.players[seat] in self.trust.excluded

    @property
    def counted(self) -> tuple[Seat, ...]:
        """The seats for which the result counts: none if excluded players leave only one."""
        rest = tuple(seat for seat in self.seats if not self.is_excluded(seat))
        return rest if len(rest) > 1 else ()

    def age(self, seat: Seat) -> int:
        """Return the milliseconds since the player's first rated match ended."""
        since = self.before[seat].since
        return 0 if since is None else self.at - since

    def meeting(self, one: Seat, other: Seat) -> Meeting:
        """Return the earlier meetings of two players."""
        return self.meetings.get(pair_of(self.result.players[one], self.result.players[other]), NO_MEETING)


def to_ms(span: timedelta) -> int:
    """Return a time span in milliseconds."""
    return span // timedelta(milliseconds=1)


def rate_result(
    result: RatedResult,
    before: Sequence[PlayerRating | None],
    meetings: dict[str, Meeting],
    places: int,
    trust: RatingTrust = NO_TRUST,
) -> RatedStep:
    """Return what a result changes. `places` is the number of players with a place on the leaderboard before it.

    `meetings` has the earlier meetings of its players, by pair.
    """
    last = max(result.places) + 1
    case = _Case(
        result,
        to_milliseconds(result.ended_at),
        tuple(standing or initial_rating() for standing in before),
        meetings,
        tuple(last if seat in result.idle else place for seat, place in enumerate(result.places)),
        places,
        trust,
    )
    opponents = [counted_opponents(case, seat) for seat in case.seats]
    after = [
        add_result(case, seat, *new_strength(case, seat, opponents)) if seat in case.counted else case.before[seat]
        for seat in case.seats
    ]
    changes = []
    for one, other in combinations(case.counted, 2):
        pair = pair_of(result.players[one], result.players[other])
        old = meetings.get(pair, NO_MEETING)
        new = count_meeting(case, after, opponents, old, *sorted((one, other), key=lambda seat: result.players[seat]))
        if new != old:
            changes.append(MeetingChange(pair, old, new))
    final = tuple(with_place(case, player) for player in after)
    gained = sum(now.is_placed and not was.is_placed for now, was in zip(final, case.before, strict=True))
    return RatedStep(final, tuple(changes), places + gained, tuple(filter(case.is_excluded, case.seats)))


def counted_opponents(case: _Case, seat: Seat) -> tuple[Seat, ...]:
    """Return the opponents against whom the result counts for this seat.

    A player who never moved has lost to everyone who did, but nobody has beaten them.
    """
    idle = case.result.idle
    others = [other for other in case.counted if other != seat and other not in idle]
    return tuple(other for other in others if seat in idle or case.has_standing(other))


def new_strength(case: _Case, seat: Seat, opponents: Sequence[tuple[Seat, ...]]) -> tuple[float, float]:
    """Return the mean and deviation of a player after a result, from the opponents that count for them.

    The meeting number n of two players changes both by n**-DECLINE of what the first one would.
    """
    player, others = case.before[seat], opponents[seat]
    if not others:
        return player.mu, player.sigma
    rated = sorted((seat, *others))
    teams = [[MODEL.create_rating([case.before[each].mu, case.before[each].sigma])] for each in rated]
    new = MODEL.rate(teams, ranks=[float(case.places[each]) for each in rated])[rated.index(seat)][0]
    decline = EARLY_DECLINE if case.board_size < FEW_PLACES else DECLINE
    counts = [1 + case.meeting(seat, other).count for other in others]
    weight = sum(count**-decline for count in counts) / len(counts)
    return player.mu + weight * (new.mu - player.mu), player.sigma + weight * (new.sigma - player.sigma)


def add_result(case: _Case, seat: Seat, mu: float, sigma: float) -> PlayerRating:
    """Return a player's rating with the new mean and deviation and the result added to the record."""
    standing, result, winners = case.before[seat], case.result, counted_winners(case)
    won, drawn = seat in winners, not winners
    return replace(
        standing,
        mu=mu,
        sigma=sigma,
        won=standing.won + won,
        drawn=standing.drawn + drawn,
        lost=standing.lost + (not won and not drawn),
        since=to_milliseconds(result.ended_at) if standing.since is None else standing.since,
    )


def counted_winners(case: _Case) -> tuple[Seat, ...]:
    """Return the winners. If the result doesn't count for some seats, they are the best of the others."""
    if len(case.counted) == len(case.before):
        return case.result.winners
    best = min(case.places[seat] for seat in case.counted)
    winners = tuple(seat for seat in case.counted if case.places[seat] == best)
    return () if len(winners) == len(case.counted) else winners


def count_meeting(
    case: _Case, after: list[PlayerRating], opponents: Sequence[tuple[Seat, ...]], old: Meeting, one: Seat, other: Seat
) -> Meeting:
    """Return the meeting of two players after a result, and add new opponents to their ratings in `after`."""
    both = (one, other), (other, one)
    if not any(rival in opponents[seat] for seat, rival in both):
        return old
    met, scored = [*old.met], [*old.scored]
    for side, (seat, rival) in enumerate(both):
        if seat in case.result.idle or not case.has_standing(rival):
            continue
        if not met[side]:
            met[side] = True
            after[seat] = replace(after[seat], opponents=after[seat].opponents + 1)
        if not scored[side] and case.places[seat] <= case.places[rival] and can_help(case, after, seat, rival):
            scored[side] = True
            after[seat] = replace(after[seat], scored=after[seat].scored + 1)
    return Meeting(old.count + 1, (met[0], met[1]), (scored[0], scored[1]))


def can_help(case: _Case, after: list[PlayerRating], seat: Seat, rival: Seat) -> bool:
    """Return whether a win or draw against this rival counts in `scored`, and note it for the rival.

    Only players without a place need it.
    """
    if case.before[seat].is_placed:
        return False
    recent = tuple(at for at in after[rival].helped if at > case.at - to_ms(HELP_WINDOW))
    if len(recent) >= MAX_HELPED:
        return False
    after[rival] = replace(after[rival], helped=(*recent, case.at))
    return True


def with_place(case: _Case, player: PlayerRating) -> PlayerRating:
    """Return the player's rating, with a place on the leaderboard if the player has earned it. It is never lost."""
    is_early = bool(case.trust.founders) and case.board_size < SMALL_BOARD
    earned = (
        player.sigma <= (MAX_EARLY_DEVIATION if is_early else MAX_PLACE_DEVIATION)
        and player.opponents >= MIN_OPPONENTS
        and player.scored >= MIN_SCORED
        and player.since is not None
        and case.at - player.since >= to_ms(MIN_PLACE_AGE)
    )
    return replace(player, is_placed=True) if earned and not player.is_placed else player

"""How a place on the leaderboard is earned: the numbers of rating formula 2, and the rule as players read it."""

from datetime import UTC, datetime, timedelta

from domain.kernel.text import pluralize
from service.read_models.rating_records import CONFIDENCE_DEVIATIONS, PlayerRating

MAX_PLACE_DEVIATION = 225.0
"""The largest standard deviation with which a player earns a place."""
MIN_OPPONENTS = 5
"""How many different opponents a player must have met for a place, among those whose results count."""
MIN_SCORED = 3
"""How many of them the player must have beaten or drawn with."""
MIN_PLACE_AGE = timedelta(days=7)
"""Minimum time between the end of a player's first rated match and a place."""
MIN_FOUNDERS = MIN_OPPONENTS + 1
"""How many founders a server needs, so that each of them can meet enough others for a place."""
FEW_PLACES = 20
"""Below this many places in a game, further matches of the same two players lose weight more slowly. On a server
without founders, results against players without a place count too until then."""
SMALL_BOARD, MAX_EARLY_DEVIATION = 100, 300.0
"""Below this many places in a game, few opponents count, so a standard deviation of up to 300 is enough for a place, if
the operator has named founders."""
MIN_OPPONENT_AGE = timedelta(days=1)
"""On a server without founders, until `FEW_PLACES` players have a place: minimum time between an opponent's first rated
match and a result that counts."""

MAX_PLACE_UNCERTAINTY = round(CONFIDENCE_DEVIATIONS * MAX_PLACE_DEVIATION)
PLACE_RULE = (
    f"You get a place here once the uncertainty of your rating is ±{MAX_PLACE_UNCERTAINTY} or less, your first rated "
    f"match ended at least {MIN_PLACE_AGE.days} days ago, and you have played against {MIN_OPPONENTS} different "
    f"players who have a place and won or drawn against {MIN_SCORED} of them. Only matches against players who have a "
    f"place change your rating, and each further match against the same player counts less."
)
"""The rule for players, in two sentences."""
MAX_EARLY_UNCERTAINTY = round(CONFIDENCE_DEVIATIONS * MAX_EARLY_DEVIATION)
FOUNDERS_NOTE = (
    "The first places are earned against founders, people whom the operator of this server knows. Founders count like "
    f"players with a place. Until {SMALL_BOARD} players of a game have one, an uncertainty of "
    f"±{MAX_EARLY_UNCERTAINTY} is enough. If the operator has named no founders, then until {FEW_PLACES} players of a "
    "game have a place, matches count against everyone whose first rated match ended at least a day ago."
)
"""How a leaderboard begins, for players."""


def missing_for_place(rating: PlayerRating, now: datetime) -> tuple[str, ...]:
    """Return what a player still needs for a place on the leaderboard, as parts of a sentence; none with a place."""
    if rating.is_placed:
        return ()
    since = now if rating.since is None else datetime.fromtimestamp(rating.since / 1000, UTC)
    conditions = (
        (
            rating.sigma > MAX_PLACE_DEVIATION,
            f"an uncertainty of ±{MAX_PLACE_UNCERTAINTY} or less (now ±{rating.uncertainty})",
        ),
        (
            rating.opponents < MIN_OPPONENTS,
            f"{pluralize(MIN_OPPONENTS - rating.opponents, 'more opponent')} who {_have(rating.opponents)} a place",
        ),
        (
            rating.scored < MIN_SCORED,
            f"a win or draw against {MIN_SCORED - rating.scored} more of them",
        ),
        (
            now < since + MIN_PLACE_AGE,
            f"{MIN_PLACE_AGE.days} days since the first rated match",
        ),
    )
    return tuple(words for applies, words in conditions if applies)


def _have(opponents: int) -> str:
    return "has" if MIN_OPPONENTS - opponents == 1 else "have"

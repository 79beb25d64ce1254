"""How a place on the leaderboard is earned: the numbers of rating formula 2, and the rule as players read it."""

from datetime import UTC, datetime, timedelta

from domain.kernel.text import pluralize
from service.read_models.ratings import CONFIDENCE_DEVIATIONS, PlayerRating

MAX_PLACE_DEVIATION = 225.0
"""The largest standard deviation with which a player earns a place."""
MIN_OPPONENTS = 5
"""How many different opponents whose results count a player must have met for a place."""
MIN_SCORED = 3
"""How many of them the player must have beaten or drawn with."""
MIN_PLACE_AGE = timedelta(days=7)
"""How long before a place the player's first rated match must have ended."""
FOUNDERS = 20
"""Below this many places in a game, results against players without a place count too."""
MIN_FOUNDER_AGE = timedelta(days=1)
"""How long before such a result the opponent's first rated match must have ended."""

MAX_PLACE_UNCERTAINTY = round(CONFIDENCE_DEVIATIONS * MAX_PLACE_DEVIATION)
PLACE_RULE = (
    f"You get a place here once the uncertainty of your rating is ±{MAX_PLACE_UNCERTAINTY} or less, your first rated "
    f"match ended at least {MIN_PLACE_AGE.days} days ago, and you have played against {MIN_OPPONENTS} different "
    f"players who have a place and won or drawn against {MIN_SCORED} of them. Only matches against players who have a "
    f"place change your rating, and each further match against the same player counts less."
)
"""The rule for players, in two sentences."""
FOUNDERS_NOTE = (
    f"Until {FOUNDERS} players of a game have a place, matches count against everyone whose first rated match ended at "
    f"least a day ago."
)
"""How a leaderboard begins. `MIN_FOUNDER_AGE` is the day."""


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

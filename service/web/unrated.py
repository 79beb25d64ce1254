"""Why a match doesn't count towards the ratings although it was created rated."""

from domain.match.state import AnyMatch, UnratedReason

NOTES: dict[UnratedReason, str] = {
    "no_time_limit": "it has no time limit",
    "given_seed": "someone chose its seed",
    "unusual_start": "it didn't start from the game's normal set-up",
    "unlisted": "it is unlisted",
    "bots": "a bot plays, or could step in for a player",
    "several_seats": "someone has more than one seat",
    "annulled": "an arbiter annulled it",
    "changed": "a seat was handed over, or a move was undone without the consent of another player",
    "failed_audit": "an audit found an error in its log, and no arbiter has ruled on it",
    "not_played": "fewer than two players moved",
}
"""For each reason except the creator's choice, the end of a sentence."""


def unrated_note(match: AnyMatch) -> str:
    """Return why a match that was created rated doesn't count, or an empty string."""
    reason = match.unrated_reason
    if reason is None or not match.was_created_rated:
        return ""
    return f"This match was created rated, but it doesn't count towards the ratings because {NOTES[reason]}."

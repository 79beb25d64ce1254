"""The levels of house bots. `workers.bots` implements them; a test checks that both lists agree."""

LEVELS: dict[str, str] = {
    "random": "Plays random legal moves.",
    "easy": "Plays like the greedy bot, but makes one move in three at random.",
    "greedy": "Medium: takes what looks best now, without looking ahead.",
    "strong": "Hard: knows the game better than the greedy bot, and looks ahead where that helps.",
}
"""Descriptions of the levels for players, by name, weakest first."""

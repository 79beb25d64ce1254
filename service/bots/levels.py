"""The levels of bots a seat may be given to. The bots live in `workers.bots`; a test holds both together."""

LEVELS: dict[str, str] = {
    "random": "Plays any legal move, each as likely as the other.",
    "easy": "As greedy, but one move in three is any legal one.",
    "greedy": "Medium: takes what looks best now and does not look further ahead.",
    "strong": "Hard: knows more of the game than greedy, and looks ahead where that helps.",
}
"""By name, the weakest first: what the level does, for people."""

"""The levels of bots a seat may be given to. The bots live in `workers.bots`; a test holds both together."""

LEVELS: dict[str, str] = {
    "random": "Plays any legal move, each as likely as the other.",
    "greedy": "Takes what looks best now and does not look further ahead.",
}
"""By name, the weakest first: what the level does, for people."""

"""Mice Cake: two families of mice eat a cake of 28 dominoes from opposite sides."""

from dataclasses import replace

from domain.games.mice_cake.bot import determinization, search, strategy
from domain.games.mice_cake.rules import decider, reducer, scorer, scoring, view
from domain.games.mice_cake.rules.components import COMPONENTS
from domain.games.mice_cake.rules.draw_table import DRAWS, DRAWS_OF_VERSION_1
from domain.games.mice_cake.rules.facts import Fact
from domain.games.mice_cake.rules.model import State, View
from domain.games.mice_cake.rules.moves import Move, Options
from domain.games.mice_cake.rules.parts import SEATS
from domain.kernel.game import Game, OptionHelp
from domain.kernel.lazy import lazy

OPTION_HELP = (
    OptionHelp(
        "start_face",
        "Pieces at the start",
        ("alternate", "up", "down"),
        (
            "The pieces in rows 1, 3, 5 and 7 are face up, the others face down.",
            "You can see every piece.",
            "A piece is turned up when mice go for it or when the piece in front of it is taken.",
        ),
        ("Every other row face up", "All face up", "All face down"),
    ),
    OptionHelp(
        "matches",
        "When the dice match the piece",
        ("exhaust", "boost"),
        (
            "They take nothing, and one or two of them miss the next round.",
            "If they take the piece, they roll the matching dice again for the next one.",
        ),
        ("Mice are exhausted", "Mice are boosted"),
    ),
    OptionHelp(
        "contest_floor",
        "Contest for the last piece of a column",
        ("pips", "none"),
        (
            "The higher roll takes the piece only if it reaches the piece's pips.",
            "The higher roll takes the piece, even below its pips.",
        ),
        ("Rolls must reach the pips", "Any roll can win"),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="mice_cake",
    title="Mice Cake",
    rules_version=2,
    blurb=(
        "Two families of mice eat a cake of 28 dominoes from opposite sides. Send your mice out in secret, roll a die "
        "for each, and take the best pieces without exhausting your mice."
    ),
    credit="Designed by Thomas Gale; rulebook version 2, 2011.",
    minutes=(15, 40),
    seat_counts=(2,),
    seat_names=lambda seats: SEATS,
    grammar_rule="M2",
    option_help=OPTION_HELP,
    components_digest=COMPONENTS.digest,
    state_type=State,
    move_type=Move,
    fact_type=Fact,
    options_type=Options,
    view_type=View,
    initial=State(),
    setup=decider.setup,
    from_position=decider.from_position,
    to_move=decider.to_move,
    legal_moves=decider.legal_moves,
    decide=decider.decide,
    outcome=decider.outcome,
    close=decider.close,
    evolve=reducer.evolve,
    view=view.view,
    redact=view.redact,
    determinize=determinization.determinize,
    score=scoring.score,
    audit=scorer.audit,
    draws=DRAWS,
    tell=lazy(f"{__name__}.presentation.narration:tell"),
    describe_item=lazy(f"{__name__}.presentation.score_text:describe_item"),
    describe_move=lazy(f"{__name__}.presentation.move_text:describe_move"),
    text=lazy(f"{__name__}.presentation.text:text"),
    svg=lazy(f"{__name__}.presentation.drawing:svg"),
    greedy=strategy.greedy,
    insight=search.INSIGHT,
)

EARLIER = (replace(GAME, rules_version=1, draws=DRAWS_OF_VERSION_1),)
"""Version 1 makes the same draws by luck protocol 1."""

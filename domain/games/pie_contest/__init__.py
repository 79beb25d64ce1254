"""Pie Contest: a card game for two to eight bakers in which the best Pie wins."""

from dataclasses import replace

from domain.games.pie_contest.bot import search, strategy
from domain.games.pie_contest.rules import decider, reducer, scorer, scoring, view
from domain.games.pie_contest.rules.components import COMPONENTS
from domain.games.pie_contest.rules.draw_table import DRAWS, DRAWS_OF_VERSION_1
from domain.games.pie_contest.rules.facts import Fact
from domain.games.pie_contest.rules.model import State, View
from domain.games.pie_contest.rules.moves import Move, Options
from domain.games.pie_contest.rules.parts import BAKERS
from domain.kernel.game import Game, OptionHelp
from domain.kernel.lazy import lazy

OPTION_HELP = (
    OptionHelp(
        "variant",
        "Type of contest",
        ("standard", "grand"),
        (
            "The best single Pie wins. The contest ends when everyone has baked enough Pies or someone bakes a third.",
            "About three times as long. Your best three Pies count. The contest ends when everyone has baked four.",
        ),
        ("Standard contest", "Grand Contest"),
    ),
    OptionHelp(
        "pies_for_all",
        "Pies that everyone needs to end a standard contest",
        # The default (null) depends on the number of players.
        (None, 1, 2, 3),
        (
            "Two Pies each with two or three bakers, and one each with more bakers.",
            "The contest ends when everyone has baked one Pie, or someone has baked three.",
            "The contest ends when everyone has baked two Pies, or someone has baked three.",
            "The contest ends as soon as someone bakes a third Pie.",
        ),
        ("Depends on the number of bakers", "One", "Two", "Three"),
    ),
    OptionHelp(
        "first_seat",
        "Who goes first",
        # Higher seats are allowed too, but not every match has them.
        ("random", 0, 1),
        ("Chosen when the match starts.", "The first seat goes first.", "The second seat goes first."),
        ("Random", *BAKERS[:2]),
        tuple((seat, baker) for seat, baker in enumerate(BAKERS) if seat > 1),
    ),
    OptionHelp(
        "dive_own",
        "Dumpster diving",
        (True, False),
        (
            "You can take back one of the two cards that you just trashed.",
            "You can only take a card that was in the Trash before.",
        ),
        ("Your own two cards can be taken", "Only older cards can be taken"),
    ),
    OptionHelp(
        "pie_floor",
        "Pies worth less than zero",
        ("none", "zero"),
        ("Stale Pies can fall below zero.", "Going stale and card effects can't take a Pie below zero."),
        ("Allowed", "Not allowed"),
    ),
    OptionHelp(
        "tie_break",
        "Ties",
        ("shared", "next_best"),
        (
            "Bakers with equal scores share the victory.",
            "The next best Pie decides, then the one after it. If all are equal, the victory is shared.",
        ),
        ("Shared victory", "Next best Pie"),
    ),
    OptionHelp(
        "closing_round",
        "Last round",
        # The default (null) depends on the variant.
        (None, 10, 40, 20),
        (
            "Round 80, or round 200 in a Grand Contest.",
            "For a short contest.",
            "For a contest of medium length.",
            "The API accepts any number from 10 to 500.",
        ),
        ("Depends on the type of contest", "Round 10", "Round 40", "Round 20"),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="pie_contest",
    title="Pie Contest",
    rules_version=2,
    blurb=(
        "Collect Ingredients in your Kitchen, exactly one of them Salt, and find a card that lets you Bake them into a "
        "Pie. Every Pie that a rival bakes makes yours go stale. The best single Pie wins."
    ),
    credit=(
        'Rulebook "Pie Contest" 0-3 by Stephen E. Dambeck II (CC BY-SA 4.0); card back "Pie" by ciciliakwo from the '
        "Noun Project (CC BY). The cards are a house edition, offered under CC BY-SA 4.0."
    ),
    minutes=(60, 120),
    seat_counts=(2, 3, 4, 5, 6, 7, 8),
    seat_names=lambda seats: BAKERS[:seats],
    grammar_rule="5",
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
    determinize=view.determinize,
    score=scoring.score,
    audit=scorer.audit,
    draws=DRAWS,
    tell=lazy(f"{__name__}.presentation.narration:tell"),
    describe_move=lazy(f"{__name__}.presentation.move_text:describe_move"),
    describe_item=lazy(f"{__name__}.presentation.score_text:describe_item"),
    text=lazy(f"{__name__}.presentation.text:text"),
    svg=lazy(f"{__name__}.presentation.drawing:svg"),
    greedy=strategy.greedy,
    branches=decider.branches,
    insight=search.INSIGHT,
)

EARLIER = (replace(GAME, rules_version=1, draws=DRAWS_OF_VERSION_1),)
"""Version 1 makes the same draws by luck protocol 1."""

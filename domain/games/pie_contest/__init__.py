"""Pie Contest: a card game for two to eight bakers in which the best Pie wins."""

from domain.games.pie_contest.bot import search, strategy
from domain.games.pie_contest.rules import decider, reducer, scorer, scoring, view
from domain.games.pie_contest.rules.components import COMPONENTS
from domain.games.pie_contest.rules.draw_table import DRAWS
from domain.games.pie_contest.rules.facts import Fact
from domain.games.pie_contest.rules.model import State, View
from domain.games.pie_contest.rules.moves import Move, Options
from domain.games.pie_contest.rules.parts import BAKERS
from domain.kernel.game import Game, OptionHelp
from domain.kernel.lazy import lazy

OPTION_HELP = (
    OptionHelp(
        "variant",
        "Contest",
        ("standard", "grand"),
        (
            "The best single Pie wins. The contest ends when everyone has baked enough Pies or someone bakes a third.",
            "Grand Contest, about three times as long: the best three Pies count. It ends when everyone has four.",
        ),
    ),
    OptionHelp(
        "pies_for_all",
        "Pies everyone needs to end a standard contest",
        # The default (null) depends on the number of players.
        (None, 1, 2, 3),
        (
            "One Pie each, or two each with two or three players.",
            "The contest ends when everyone has baked one Pie, or someone has baked three.",
            "The contest ends when everyone has baked two Pies, or someone has baked three.",
            "The contest ends as soon as someone bakes a third Pie.",
        ),
    ),
    OptionHelp(
        "first_seat",
        "Who goes first",
        # Higher seats are allowed too, but not every match has them.
        ("random", 0, 1),
        ("Chosen at random.", "The first seat goes first.", "The second seat goes first."),
    ),
    OptionHelp(
        "dive_own",
        "Dumpster diving",
        (True, False),
        (
            "You can take back one of the two cards that you just trashed.",
            "You can only take cards that were already in the Trash.",
        ),
    ),
    OptionHelp(
        "pie_floor",
        "Pies below zero",
        ("none", "zero"),
        ("Stale Pies can fall below zero.", "Going stale and card effects can't take a Pie below zero."),
    ),
    OptionHelp(
        "tie_break",
        "Ties",
        ("shared", "next_best"),
        (
            "The victory is shared.",
            "The next best Pie decides, then the one after it. If all are equal, the victory is shared.",
        ),
    ),
    OptionHelp(
        "closing_round",
        "Closing round",
        # The default (null) depends on the variant.
        (None, 10, 40, 20),
        (
            "The contest closes after 80 rounds, a Grand Contest after 200.",
            "It closes after 10 rounds, for a short contest.",
            "It closes after 40 rounds.",
            "It closes after 20 rounds (the API accepts any number from 10 to 500).",
        ),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="pie_contest",
    title="Pie Contest",
    rules_version=1,
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
    text=lazy(f"{__name__}.presentation.text:text"),
    svg=lazy(f"{__name__}.presentation.drawing:svg"),
    greedy=strategy.greedy,
    branches=decider.branches,
    insight=search.INSIGHT,
)

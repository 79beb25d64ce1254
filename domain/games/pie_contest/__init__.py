"""Pie Contest: two to eight bakers, 221 cards, and the best Pie wins."""

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
            "The best single Pie wins; it ends when everyone has baked, or somebody three times.",
            "Grand Contest, three times as long: the best three Pies count, and it ends when everyone has baked four.",
        ),
    ),
    OptionHelp(
        "pies_for_all",
        "Pies that everyone needs for the end",
        # The default is null: by the number of players.
        (None, 1, 2, 3),
        (
            "One Pie each; two each with two or three players.",
            "The contest ends when everyone has baked one Pie.",
            "It ends when everyone has baked two Pies.",
            "It ends when everyone has baked three Pies (the first third Pie ends it anyway).",
        ),
    ),
    OptionHelp(
        "first_seat",
        "Who begins",
        # The other seats may begin too, but do not exist in every match.
        ("random", 0, 1),
        ("Chance decides.", "The first seat begins.", "The second seat begins."),
    ),
    OptionHelp(
        "dive_own",
        "Dumpster diving",
        (True, False),
        (
            "One may take back one of the two cards just thrown away.",
            "Only cards that were in the Trash before can be taken.",
        ),
    ),
    OptionHelp(
        "pie_floor",
        "Pies below zero",
        ("none", "zero"),
        ("Stale Pies may fall below zero.", "Going stale and bad reviews stop at zero."),
    ),
    OptionHelp(
        "tie_break",
        "Level at the end",
        ("shared", "next_best"),
        ("The victory is shared.", "The next best Pie decides, then the one after it; then it is shared."),
    ),
    OptionHelp(
        "closing_round",
        "Closing round",
        # The default is null: by the variant.
        (None, 10, 40, 20),
        (
            "After 80 rounds the contest closes, a Grand Contest after 200.",
            "It closes after ten rounds: a short contest.",
            "It closes after 40 rounds.",
            "It closes after 20 rounds (a program may ask for any number from 10 to 500).",
        ),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="pie_contest",
    title="Pie Contest",
    rules_version=1,
    blurb=(
        "Gather Ingredients in your Kitchen, get hold of exactly one Salt and a reason to Bake, and mind your rivals: "
        "every Pie that they bake makes yours go stale. The best single Pie wins."
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

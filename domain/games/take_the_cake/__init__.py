"""Take the Cake: robot bakers run small programs of cards through a bakery that is never the same."""

from domain.games.take_the_cake.bot import search, strategy
from domain.games.take_the_cake.rules import decider, grammar, reducer, scorer, scoring, view
from domain.games.take_the_cake.rules.components import CARDS, COMPONENTS, RECIPES
from domain.games.take_the_cake.rules.draw_table import DRAWS
from domain.games.take_the_cake.rules.facts import Fact
from domain.games.take_the_cake.rules.model import State, View
from domain.games.take_the_cake.rules.moves import Move, Options
from domain.games.take_the_cake.rules.parts import COLOURS
from domain.kernel.game import Game, OptionHelp
from domain.kernel.lazy import lazy

OPTION_HELP = (
    OptionHelp(
        "first_player",
        "Who begins",
        ("random", 0, 1),
        ("Drawn by lot.", "The first seat, red.", "The second seat, blue. At a larger table 2 and 3 are possible too."),
    ),
    OptionHelp(
        "recipe",
        "The recipe",
        ("random", *RECIPES),
        (
            "Drawn by lot.",
            *(f"{recipe.name}: {', '.join(recipe.ingredients)}." for recipe in RECIPES.values()),
        ),
    ),
    OptionHelp(
        "placement",
        "Where the ingredients lie",
        ("dealt", "agreed"),
        (
            "Dealt by lot, spread evenly over the four quarters of the board.",
            "The bakers agree: everyone may propose one arrangement; if they cannot agree it is the dealt one.",
        ),
    ),
    OptionHelp(
        "jump_touches",
        "Jumping over a tile",
        (True, False),
        ("Counts as passing over it: what lies there is collected.", "Does not touch it: only the landing counts."),
    ),
    OptionHelp(
        "nested_repeats",
        "A Repeat inside a Repeat",
        (True, False),
        ("Allowed: the two multiply.", "Not allowed."),
    ),
    OptionHelp(
        "may_decline_if",
        "If cards whose condition is met",
        (True, False),
        ("May be left unused, decided when they are laid.", "Always run."),
    ),
    OptionHelp(
        "allow_keep",
        "Keeping the whole hand",
        (True, False),
        ("A turn may be passed without swapping a card.", "Who runs no program swaps at least one card."),
    ),
    OptionHelp(
        "open_hands",
        "Hands",
        (False, True),
        ("Secret until the cards are laid.", "Open to everyone, for learning the game."),
    ),
    OptionHelp(
        "round_limit",
        "Rounds until the bakery closes",
        (100, 20, 10),
        (
            "After round 100, which good players hardly ever see. Any number from 10 to 500 is possible.",
            "After round 20.",
            "After round 10, for a short match.",
        ),
    ),
    OptionHelp(
        "closing",
        "If nobody has baked when the bakery closes",
        ("ranked", "no_winner"),
        ("Most ingredients win; of equals who had them first.", "Nobody wins; the ranking is the same."),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="take_the_cake",
    title="Take the Cake",
    rules_version=1,
    blurb=(
        "Robot bakers roll through a kitchen of walls, each steered by a small program of cards. Collect every "
        "ingredient of the recipe, then be the first to reach the Oven."
    ),
    credit=(
        "Rulebook from the MIT OpenCourseWare course 11.127J, Computer Games and Simulations for Education and "
        "Exploration, Spring 2015."
    ),
    minutes=(20, 60),
    seat_counts=(2, 3, 4),
    seat_names=lambda seats: COLOURS[:seats],
    grammar_rule="5.5",
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
    grammar=grammar.grammar,
    insight=search.INSIGHT,
    branches=decider.branches,
    names=tuple(CARDS),
)

"""Take the Cake: robot bakers run small programs of cards through a kitchen that changes from match to match."""

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
        "Who goes first",
        ("random", 0, 1),
        (
            "Chosen at random.",
            "Red, the first seat.",
            "Blue, the second seat. With more players, 2 and 3 are possible too.",
        ),
    ),
    OptionHelp(
        "recipe",
        "Recipe",
        ("random", *RECIPES),
        (
            "Drawn at random.",
            *(f"{recipe.name}: {', '.join(recipe.ingredients)}." for recipe in RECIPES.values()),
        ),
    ),
    OptionHelp(
        "placement",
        "Placement of the ingredients",
        ("dealt", "agreed"),
        (
            "Placed at random, spread evenly over the four quarters of the board.",
            "Agreed by the players. Each can propose one arrangement. Without an agreement, a random one is used.",
        ),
    ),
    OptionHelp(
        "jump_touches",
        "Jumping over ingredients and the Oven",
        (True, False),
        ("A jump collects or bakes on the tile it passes over.", "Only the tile where the jump lands counts."),
    ),
    OptionHelp(
        "nested_repeats",
        "Repeats inside Repeats",
        (True, False),
        ("Allowed. Their factors multiply.", "Not allowed."),
    ),
    OptionHelp(
        "may_decline_if",
        "If cards that would run",
        (True, False),
        ("You can leave them unused when you lay them.", "They always run."),
    ),
    OptionHelp(
        "allow_keep",
        "Keeping your whole hand",
        (True, False),
        ("You can end your turn without swapping a card.", "You must run a program or swap at least one card."),
    ),
    OptionHelp(
        "open_hands",
        "Hands",
        (False, True),
        ("Each player sees only their own hand.", "All hands are visible to everyone, for learning the game."),
    ),
    OptionHelp(
        "round_limit",
        "Last round before the bakery closes",
        (100, 20, 10),
        (
            "Round 100, which experienced players rarely reach. The API accepts any number from 10 to 500.",
            "Round 20.",
            "Round 10, for a short match.",
        ),
    ),
    OptionHelp(
        "closing",
        "Winner if nobody has baked when the bakery closes",
        ("ranked", "no_winner"),
        (
            "The player with the most ingredients, or the first to have them if tied.",
            "Nobody. The ranking stays the same.",
        ),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="take_the_cake",
    title="Take the Cake",
    rules_version=1,
    blurb=(
        "Lay out cards to program a robot baker, and steer it through a kitchen full of walls. Collect every "
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

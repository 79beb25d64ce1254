"""Take the Cake: robot bakers run small programs of cards through a kitchen that changes from match to match."""

from dataclasses import replace

from domain.games.take_the_cake.bot import search, strategy
from domain.games.take_the_cake.rules import decider, grammar, reducer, scorer, scoring, view
from domain.games.take_the_cake.rules.components import CARDS, COMPONENTS, INGREDIENT_NAMES, RECIPES, Recipe
from domain.games.take_the_cake.rules.draw_table import DRAWS, DRAWS_OF_VERSION_1
from domain.games.take_the_cake.rules.facts import Fact
from domain.games.take_the_cake.rules.model import State, View
from domain.games.take_the_cake.rules.moves import Move, Options
from domain.games.take_the_cake.rules.parts import COLOURS
from domain.kernel.game import Game, OptionHelp
from domain.kernel.lazy import lazy


def describe_ingredients(recipe: Recipe) -> str:
    """Return the ingredients of a recipe as a sentence."""
    return f"{', '.join(INGREDIENT_NAMES[one] for one in recipe.ingredients).capitalize()}."


OPTION_HELP = (
    OptionHelp(
        "first_player",
        "Who goes first",
        # Seats 2 and 3 are valid too, but not every match has them.
        ("random", 0, 1),
        ("Chosen when the match starts.", "The first seat goes first.", "The second seat goes first."),
        ("Random", *(colour.capitalize() for colour in COLOURS[:2])),
        tuple((seat, colour.capitalize()) for seat, colour in enumerate(COLOURS) if seat > 1),
    ),
    OptionHelp(
        "recipe",
        "Recipe",
        ("random", *RECIPES),
        (
            "Drawn when the match starts.",
            *(describe_ingredients(recipe) for recipe in RECIPES.values()),
        ),
        ("Random", *(recipe.name for recipe in RECIPES.values())),
    ),
    OptionHelp(
        "placement",
        "Placement of the ingredients",
        ("dealt", "agreed"),
        (
            "Spread evenly over the four quarters of the board.",
            "Each player can propose one arrangement. If you don't agree on one, a random one is used.",
        ),
        ("Random", "By agreement"),
    ),
    OptionHelp(
        "jump_touches",
        "Jumping over ingredients and the Oven",
        (True, False),
        (
            "A jump over an ingredient collects it, and a jump over the Oven can bake.",
            "Only the tile where the jump lands counts.",
        ),
        ("Counts", "Doesn't count"),
    ),
    OptionHelp(
        "nested_repeats",
        "Repeats inside Repeats",
        (True, False),
        ("Their factors multiply.", "A Repeat can't be among the cards that another one repeats."),
        ("Allowed", "Not allowed"),
    ),
    OptionHelp(
        "may_decline_if",
        "Leaving If cards unused",
        (True, False),
        (
            "When you lay an If card that would run, you can choose to leave it unused.",
            "An If card always runs if today's special matches it.",
        ),
        ("Allowed", "Not allowed"),
    ),
    OptionHelp(
        "allow_keep",
        "Keeping your whole hand",
        (True, False),
        (
            "You can end your turn without running a program or swapping a card.",
            "You must run a program or swap at least one card.",
        ),
        ("Allowed", "Not allowed"),
    ),
    OptionHelp(
        "open_hands",
        "Hands",
        (False, True),
        ("Each player sees only their own cards.", "Everyone sees all cards. Good for learning the game."),
        ("Hidden", "Open"),
    ),
    OptionHelp(
        "round_limit",
        "Last round",
        (100, 20, 10),
        (
            "Experienced players rarely get this far. The API accepts any number from 10 to 500.",
            "For a short match.",
            "For a very short match.",
        ),
        ("Round 100", "Round 20", "Round 10"),
    ),
    OptionHelp(
        "closing",
        "If nobody has baked by the end of the last round",
        ("ranked", "no_winner"),
        (
            "The player with the most ingredients wins. If tied, the one who had them first wins.",
            "Players are still ranked by their ingredients.",
        ),
        ("The leader wins", "Nobody wins"),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="take_the_cake",
    title="Take the Cake",
    rules_version=2,
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
    describe_item=lazy(f"{__name__}.presentation.score_text:describe_item"),
    describe_move=lazy(f"{__name__}.presentation.move_text:describe_move"),
    text=lazy(f"{__name__}.presentation.text:text"),
    svg=lazy(f"{__name__}.presentation.drawing:svg"),
    greedy=strategy.greedy,
    grammar=grammar.grammar,
    insight=search.INSIGHT,
    branches=decider.branches,
    names=tuple(CARDS),
)

EARLIER = (replace(GAME, rules_version=1, draws=DRAWS_OF_VERSION_1),)
"""Version 1 makes the same draws by luck protocol 1."""

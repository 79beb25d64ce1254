"""Baker's Brawl: two to four bakers place ingredients on a shared board to complete Orders."""

from dataclasses import replace

from domain.games.bakers_brawl.bot import search, strategy
from domain.games.bakers_brawl.rules import decider, reducer, scorer, scoring, view
from domain.games.bakers_brawl.rules.components import COMPONENTS
from domain.games.bakers_brawl.rules.draw_table import DRAWS, DRAWS_OF_VERSION_1
from domain.games.bakers_brawl.rules.facts import Fact
from domain.games.bakers_brawl.rules.model import State, View
from domain.games.bakers_brawl.rules.moves import Move, Options
from domain.games.bakers_brawl.rules.parts import COLOURS, MAX_BOARD_SIZE, cells_of
from domain.kernel.game import Game, OptionHelp
from domain.kernel.lazy import lazy
from domain.kernel.text import pluralize

BOARD_SIZES = range(4, MAX_BOARD_SIZE + 1)
BOSS_LIMITS = (5, 1, 2, 3, 4, 6, 7, 8, 9, 10)
OPTION_HELP = (
    OptionHelp(
        "start_seat",
        "Who goes first",
        # Seats 2 and 3 are valid too, but not every match has them.
        ("random", 0, 1),
        ("Chosen when the match starts.", "The first seat goes first.", "The second seat goes first."),
        ("Random", *(colour.capitalize() for colour in COLOURS[:2])),
        tuple((seat, colour.capitalize()) for seat, colour in enumerate(COLOURS) if seat > 1),
    ),
    OptionHelp(
        "board_size",
        "Board size",
        # The default is null: the size depends on the number of players.
        (None, *BOARD_SIZES),
        (
            "Three more cells per side than there are bakers: 5, 6 or 7.",
            *(f"{size * size} cells." for size in BOARD_SIZES),
        ),
        ("Depends on the number of bakers", *(f"{size} by {size}" for size in BOARD_SIZES)),
    ),
    OptionHelp(
        "boss_limit",
        "Orders by the head of the bakery that end the match",
        BOSS_LIMITS,
        (
            "Everyone is fired as soon as he has made five Orders.",
            "Everyone is fired as soon as he has made an Order. The match is very short.",
            *(f"Everyone is fired as soon as he has made {limit} Orders." for limit in BOSS_LIMITS[2:]),
        ),
        tuple(pluralize(limit, "Order") for limit in BOSS_LIMITS),
    ),
    OptionHelp(
        "strict_clusters",
        "Other cards next to an Order's cards",
        (False, True),
        (
            "The cards of an Order can be part of a larger group.",
            "An Order can't be completed while another card touches its cards along an edge.",
        ),
        ("Allowed", "Not allowed"),
    ),
    OptionHelp(
        "may_decline",
        "Completing an Order",
        (False, True),
        (
            "The player who places the last ingredient always completes the Order.",
            "That player can decline. Then the cards stay on the board.",
        ),
        ("Required", "Optional"),
    ),
    OptionHelp(
        "voluntary_pass",
        "Passing",
        (False, True),
        ("You can't pass if you can do anything else.", "You can pass instead of taking an action."),
        ("Only if you have no other move", "On any turn"),
    ),
    OptionHelp(
        "final_tie",
        "Tie at the end",
        ("shared", "ladder"),
        (
            "The tied players share the victory.",
            "The tied player who helped with the most Orders wins, then who completed the most, then who has the most "
            "free cubes. If all are equal, they share the victory.",
        ),
        ("Shared victory", "Tie-breakers"),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="bakers_brawl",
    title="Baker's Brawl",
    rules_version=2,
    blurb=(
        "Place ingredients on a shared board. The last ingredient completes an Order, and the baker with the most "
        "labor in it is rewarded too. The head of the bakery makes any Order that waits too long."
    ),
    credit='Rulebook "Baker\'s Brawl", author unknown. We designed the board, the cards and the agendas.',
    minutes=(20, 50),
    seat_counts=(2, 3, 4),
    seat_names=lambda seats: COLOURS[:seats],
    grammar_rule="5.1",
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
    insight=search.INSIGHT,
    names=cells_of(MAX_BOARD_SIZE),
)

EARLIER = (replace(GAME, rules_version=1, draws=DRAWS_OF_VERSION_1),)
"""Version 1 makes the same draws by luck protocol 1."""

"""Baker's Brawl: two to four bakers place ingredients on a shared board to complete Orders."""

from domain.games.bakers_brawl.bot import search, strategy
from domain.games.bakers_brawl.rules import decider, reducer, scorer, scoring, view
from domain.games.bakers_brawl.rules.components import COMPONENTS
from domain.games.bakers_brawl.rules.draw_table import DRAWS
from domain.games.bakers_brawl.rules.facts import Fact
from domain.games.bakers_brawl.rules.model import State, View
from domain.games.bakers_brawl.rules.moves import Move, Options
from domain.games.bakers_brawl.rules.parts import COLOURS, MAX_BOARD_SIZE, cells_of
from domain.kernel.game import Game, OptionHelp
from domain.kernel.lazy import lazy

OPTION_HELP = (
    OptionHelp(
        "start_seat",
        "Who goes first",
        # Seats 2 and 3 are valid too, but not every match has them.
        ("random", 0, 1),
        ("Chosen at random.", *(f"{colour.capitalize()} goes first." for colour in COLOURS[:2])),
    ),
    OptionHelp(
        "board_size",
        "Board size",
        # The default is null: the size depends on the number of players.
        (None, 4, 5, 6, 7, 8, 9),
        ("Three more cells per side than players: 5, 6 or 7.", *(f"{size} by {size} cells." for size in range(4, 10))),
    ),
    OptionHelp(
        "boss_limit",
        "How many Orders the head of the bakery makes before everyone is fired",
        (5, 1, 2, 3, 4, 6, 7, 8, 9, 10),
        (
            "The game ends when he has made 5 Orders.",
            "The game ends when he has made 1 Order. This game is very short.",
            *(f"The game ends when he has made {limit} Orders." for limit in (2, 3, 4, 6, 7, 8, 9, 10)),
        ),
    ),
    OptionHelp(
        "strict_clusters",
        "Must an Order's cards be separate from others?",
        (False, True),
        (
            "No. They can be part of a larger group of cards.",
            "Yes. No other card may touch them along an edge.",
        ),
    ),
    OptionHelp(
        "may_decline",
        "May a player decline to complete an Order?",
        (False, True),
        (
            "No. The player who places the last ingredient completes the Order.",
            "Yes. The player is always asked. If they decline, the cards stay on the board.",
        ),
    ),
    OptionHelp(
        "voluntary_pass",
        "May players pass at any time?",
        (False, True),
        ("No. You can pass only when you can't do anything else.", "Yes. You can pass on any turn."),
    ),
    OptionHelp(
        "final_tie",
        "Tie at the end",
        ("shared", "ladder"),
        (
            "The tied players share the victory.",
            "Orders helped break the tie, then Orders completed, then free cubes. If all are equal, they share it.",
        ),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="bakers_brawl",
    title="Baker's Brawl",
    rules_version=1,
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
    text=lazy(f"{__name__}.presentation.text:text"),
    svg=lazy(f"{__name__}.presentation.drawing:svg"),
    greedy=strategy.greedy,
    insight=search.INSIGHT,
    names=cells_of(MAX_BOARD_SIZE),
)

"""Baker's Brawl: two to four bakers lay ingredients on one board and race for its Orders."""

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
        "Who begins",
        # Seats 2 and 3 may begin too, but do not exist in every match.
        ("random", 0, 1),
        ("Chance decides.", *(f"{colour.capitalize()} begins." for colour in COLOURS[:2])),
    ),
    OptionHelp(
        "board_size",
        "Side of the board",
        # The default is null: the size that fits the number of players.
        (None, 4, 5, 6, 7, 8, 9),
        ("Players + 3: 5, 6 or 7 cells.", *(f"{size} by {size} cells." for size in range(4, 10))),
    ),
    OptionHelp(
        "boss_limit",
        "Orders that the head of the bakery makes before all are fired",
        (5, 1, 2, 3, 4, 6, 7, 8, 9, 10),
        (
            "The game ends with his fifth Order.",
            "The game ends with his first Order: a very short game.",
            *(f"The game ends when he has made {limit} Orders." for limit in (2, 3, 4, 6, 7, 8, 9, 10)),
        ),
    ),
    OptionHelp(
        "strict_clusters",
        "Must an Order's cards lie by themselves?",
        (False, True),
        (
            "No: they may be part of a larger group of cards.",
            "Yes: no other card may touch the set along an edge.",
        ),
    ),
    OptionHelp(
        "may_decline",
        "May a completed Order be declined?",
        (False, True),
        (
            "No: who lays the last ingredient completes the Order.",
            "Yes: every completion is offered and may be refused; the cards stay.",
        ),
    ),
    OptionHelp(
        "voluntary_pass",
        "May one pass at will?",
        (False, True),
        ("No: only when nothing else is possible.", "Yes: on any turn."),
    ),
    OptionHelp(
        "final_tie",
        "Level at the end",
        ("shared", "ladder"),
        (
            "The victory is shared.",
            "More Orders helped wins, then more Orders completed oneself, then more free cubes; then it is shared.",
        ),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="bakers_brawl",
    title="Baker's Brawl",
    rules_version=1,
    blurb=(
        "Bakers lay ingredients on one shared board. Whoever lays the last one completes the Order, whoever put most "
        "labor into it shares in the reward, and the head of the bakery makes what is left too long."
    ),
    credit='Rulebook "Baker\'s Brawl", author unknown; board, cards and agendas are a house edition.',
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

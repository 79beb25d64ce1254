"""The Civil War Battle of the Bakeries: memory, draft and dice in three rounds, for two."""

from domain.games.battle_of_the_bakeries.bot import search, strategy
from domain.games.battle_of_the_bakeries.rules import decider, reducer, scorer, scoring, view
from domain.games.battle_of_the_bakeries.rules.components import BAKERIES, COMPONENTS
from domain.games.battle_of_the_bakeries.rules.draw_table import DRAWS
from domain.games.battle_of_the_bakeries.rules.facts import Fact
from domain.games.battle_of_the_bakeries.rules.model import State, View
from domain.games.battle_of_the_bakeries.rules.moves import Move, Options
from domain.kernel.game import Game, OptionHelp
from domain.kernel.lazy import lazy

OPTION_HELP = (
    OptionHelp(
        "rounds",
        "Rounds",
        (3, 1, 2),
        ("three rounds, as in the book", "one round, about a third of the time", "two rounds"),
    ),
    OptionHelp(
        "memory_aid",
        "Memory aid",
        ("on", "off"),
        (
            "every card that was ever turned over stays marked on the board and in the log",
            "faces are shown until your next turn begins, then you must remember them; notes cannot be forbidden",
        ),
    ),
    OptionHelp(
        "last_chance_sets",
        "Sets in the last chance",
        ("book_list", "any_lesser"),
        (
            "the book's list: after the 5x or 4x chef only the 3x and 2x sets",
            "every set below the one that was claimed",
        ),
    ),
    OptionHelp(
        "round_order",
        "Who chooses the order in rounds two and three",
        ("roll_off", "trailing_chooses"),
        ("the winner of a new roll-off", "the bakery with less money, without a roll"),
    ),
    OptionHelp(
        "hire_turn_limit",
        "Turns before the board closes",
        (None, 10, 20, 30, 60),
        (
            "thirty turns with the memory aid, sixty without",
            "ten turns",
            "twenty turns",
            "thirty turns",
            "sixty turns (a program may ask for any number from 10 to 200)",
        ),
    ),
    OptionHelp(
        "fresh_first",
        "First card must be new",
        (False, True),
        (
            "the roller turns over any cards",
            "after a roll the first card must be one that nobody has turned over this round; ends stand-offs",
        ),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="battle_of_the_bakeries",
    title="The Civil War Battle of the Bakeries: You Take the Cake!!",
    rules_version=1,
    blurb=(
        "Remember where a chef and the four things that go with him lie, put the right cakes into both bakery cases, "
        "then roll the dice to be the first to sell seven. Most money after three rounds wins."
    ),
    credit="After The Civil War Battle of the Bakeries: You Take The Cake!!, draft 4.2, by P. K. Waddle.",
    minutes=(30, 60),
    seat_counts=(2,),
    seat_names=lambda seats: tuple(bakery.name for bakery in BAKERIES),
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
)

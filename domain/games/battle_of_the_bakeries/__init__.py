"""The Civil War Battle of the Bakeries: memory, drafting and dice in three rounds, for two players."""

from dataclasses import replace

from domain.games.battle_of_the_bakeries.bot import search, strategy
from domain.games.battle_of_the_bakeries.rules import decider, reducer, scorer, scoring, view
from domain.games.battle_of_the_bakeries.rules.components import BAKERIES, COMPONENTS
from domain.games.battle_of_the_bakeries.rules.draw_table import DRAWS, DRAWS_OF_VERSION_1
from domain.games.battle_of_the_bakeries.rules.facts import Fact
from domain.games.battle_of_the_bakeries.rules.model import State, View
from domain.games.battle_of_the_bakeries.rules.moves import Move, Options
from domain.kernel.game import Game, OptionHelp
from domain.kernel.lazy import lazy

OPTION_HELP = (
    OptionHelp(
        "rounds",
        "Length",
        (3, 1, 2),
        ("As in the original rules.", "Takes about a third of the time.", "Takes about two thirds of the time."),
        ("Three rounds", "One round", "Two rounds"),
    ),
    OptionHelp(
        "memory_aid",
        "Memory aid",
        ("on", "off"),
        (
            "Every card that has been turned over stays visible on the board and in the log.",
            "Cards stay visible until you next roll or try to hire. We can't stop anyone from taking notes.",
        ),
        ("On", "Off"),
    ),
    OptionHelp(
        "last_chance_sets",
        "Chefs available in the last chance",
        ("book_list", "any_lesser"),
        (
            "After the 5x or 4x chef, only the 3x and 2x. After any other, all lower ones.",
            "Every chef lower than the one hired first.",
        ),
        ("As in the original rules", "All lower chefs"),
    ),
    OptionHelp(
        "round_order",
        "Who chooses the turn order after round one",
        ("roll_off", "trailing_chooses"),
        (
            "Both bakeries roll a die before each round, and the higher roll chooses.",
            "The bakery with less money chooses, without a roll. If they have the same amount, both roll.",
        ),
        ("Roll-off winner", "Trailing bakery"),
    ),
    OptionHelp(
        "hire_turn_limit",
        "Turns before the board closes",
        # The default (null) depends on the memory aid.
        (None, 10, 20, 30, 60),
        (
            "30 turns with the memory aid, 60 without it.",
            "Makes phase one very short.",
            "Makes phase one short.",
            "The usual number with the memory aid.",
            "The usual number without the memory aid. The API accepts any number from 10 to 200.",
        ),
        ("Depends on the memory aid", "10 turns", "20 turns", "30 turns", "60 turns"),
    ),
    OptionHelp(
        "fresh_first",
        "First card after a roll",
        (False, True),
        (
            "You can turn over any card that is face down.",
            "You must turn over a card that no one has turned over this round. This prevents stand-offs.",
        ),
        ("Any card", "A new card"),
    ),
)

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="battle_of_the_bakeries",
    title="Battle of the Bakeries",
    rules_version=2,
    blurb=(
        "Find the five cards of a chef set in a game of memory, place cakes in both bakery cases, then roll dice to be "
        "the first to sell seven. The most money after three rounds wins."
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
    describe_item=lazy(f"{__name__}.presentation.score_text:describe_item"),
    describe_move=lazy(f"{__name__}.presentation.move_text:describe_move"),
    text=lazy(f"{__name__}.presentation.text:text"),
    svg=lazy(f"{__name__}.presentation.drawing:svg"),
    greedy=strategy.greedy,
    insight=search.INSIGHT,
)

EARLIER = (replace(GAME, rules_version=1, draws=DRAWS_OF_VERSION_1),)
"""Version 1 makes the same draws by luck protocol 1."""

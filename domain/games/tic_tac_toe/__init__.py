"""Tic-tac-toe: no random draws and no hidden information. The worked example of `docs/add-a-game.md`."""

from dataclasses import replace

from domain.games.tic_tac_toe.bot import strategy
from domain.games.tic_tac_toe.rules import decider, reducer, scorer, scoring, view
from domain.games.tic_tac_toe.rules.facts import Fact
from domain.games.tic_tac_toe.rules.model import State, View
from domain.games.tic_tac_toe.rules.moves import Move, Options
from domain.games.tic_tac_toe.rules.parts import SEATS
from domain.kernel.game import DrawTable, Game
from domain.kernel.lazy import lazy

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="tic_tac_toe",
    title="Tic-tac-toe",
    rules_version=2,
    blurb="Get three marks in a line. Our smallest game, good for trying out the service.",
    credit="Traditional.",
    minutes=(1, 2),
    seat_counts=(2,),
    seat_names=lambda seats: SEATS,
    grammar_rule="T2",
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
    draws=DrawTable(protocol=2),
    tell=lazy(f"{__name__}.presentation.narration:tell"),
    describe_move=lazy(f"{__name__}.presentation.move_text:describe_move"),
    text=lazy(f"{__name__}.presentation.text:text"),
    svg=lazy(f"{__name__}.presentation.drawing:svg"),
    greedy=strategy.greedy,
)

EARLIER = (replace(GAME, rules_version=1, draws=DrawTable()),)
"""Version 1 is for matches with luck protocol 1."""

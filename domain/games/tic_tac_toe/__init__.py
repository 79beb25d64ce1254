"""Tic-tac-toe: no chance, nothing hidden. The worked example of `docs/add-a-game.md`."""

from domain.game import DrawTable, Game
from domain.games.tic_tac_toe import drawing, reducer, rules, scorer, scoring, strategy, view, words
from domain.games.tic_tac_toe.model import SEATS, Fact, Move, Options, State, View

GAME: Game[State, Move, Fact, Options, View] = Game(
    slug="tic_tac_toe",
    title="Tic-tac-toe",
    rules_version=1,
    blurb="Three in a line. The smallest game of the house, to try the service with.",
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
    setup=rules.setup,
    from_position=rules.from_position,
    to_move=rules.to_move,
    legal_moves=rules.legal_moves,
    decide=rules.decide,
    outcome=rules.outcome,
    close=rules.close,
    evolve=reducer.evolve,
    view=view.view,
    redact=view.redact,
    determinize=view.determinize,
    score=scoring.score,
    audit=scorer.audit,
    draws=DrawTable(),
    tell=words.tell,
    text=drawing.text,
    svg=drawing.svg,
    greedy=strategy.greedy,
)

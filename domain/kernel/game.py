"""The contract of a game: the functions that the service, the bots, the audits and the pages call.

A game is a record of functions, grouped by the files that define them. State, moves, facts, options and views are
frozen msgspec structs (`kernel.values.Value`). Moves and facts are unions tagged by `type` and look the same in the
log, in the API and in a replay file. `docs/add-a-game.md` shows how to add a game.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import msgspec

from domain.kernel.chance import Chance
from domain.kernel.json_input import normalize_numbers, read_position
from domain.kernel.recorder import Decision
from domain.kernel.refusals import BadOptions, IllegalMove
from domain.kernel.text import describe_fields
from domain.kernel.values import Value

Seat = int
"""The number of a seat, from 0."""


class Outcome(Value, frozen=True):
    """How a match ended.

    `reason` is a code of the game. `winners` are the seats that won (none in a draw). `scores` has the final score of
    each seat, in the game's unit; None means that the seat has no score, which differs from 0. `places` has the rank
    of each seat, from 1; seats with equal ranks share a place.
    """

    reason: str
    winners: tuple[Seat, ...]
    scores: tuple[int | None, ...]
    places: tuple[int, ...]


class ScoreLine(Value, frozen=True):
    """One line of a score sheet: the `points` for one `item` under one rule, with the numbers of its facts."""

    seat: Seat
    rule: str
    item: str
    points: int
    facts: tuple[int, ...] = ()


class ScoreSheet(Value, frozen=True):
    """A final score, line by line. The engine's and the independent scorer's must agree in all but `facts`.

    A total is None for a seat that has no score.
    """

    lines: tuple[ScoreLine, ...]
    totals: tuple[int | None, ...]
    winners: tuple[Seat, ...]

    def differences(self, other: "ScoreSheet") -> list[str]:
        """Return descriptions of what differs between two sheets; empty when they agree."""

        def plain(sheet: ScoreSheet) -> list[str]:
            return [f"seat {x.seat}: {x.item} {x.points:+d} ({x.rule})" for x in sheet.lines]

        mine, theirs = plain(self), plain(other)
        found = [f"line {n}: {a} versus {b}" for n, (a, b) in enumerate(zip(mine, theirs, strict=False), 1) if a != b]
        if len(mine) != len(theirs):
            found.append(f"{len(mine)} lines versus {len(theirs)}")
        if self.totals != other.totals:
            found.append(f"totals {list(self.totals)} versus {list(other.totals)}")
        if self.winners != other.winners:
            found.append(f"winners {list(self.winners)} versus {list(other.winners)}")
        return found


def _move_as_fields(view: Any, seat: Seat, move: Any) -> str:
    fields = msgspec.to_builtins(move)
    return describe_fields(fields.pop("type"), fields)


def _item_as_it_is(line: ScoreLine) -> str:
    return line.item


OptionValue = str | int | bool | None
"""The value of an option, as in JSON."""


class OptionHelp(Value, frozen=True):
    """An option on the page that starts a match: its values (the default first) and their meanings.

    A default of None means that the rules derive the value from other options. `labels` are the short names of the
    values on pages, in the same order.
    """

    name: str
    title: str
    values: tuple[OptionValue, ...]
    meanings: tuple[str, ...]
    labels: tuple[str, ...] = ()
    other_labels: tuple[tuple[OptionValue, str], ...] = ()
    """The short names of values that are valid in some matches and not offered on the page, such as a third seat."""

    def label(self, value: OptionValue) -> str:
        """Return the short name of a value. Without one in `labels`, it is made from the value."""
        for known, words in (*zip(self.values, self.labels, strict=False), *self.other_labels):
            if known == value and type(known) is type(value):  # True == 1
                return words
        if isinstance(value, bool):
            return "Yes" if value else "No"
        return "Default" if value is None else str(value).replace("_", " ").capitalize()


class Beyond(Value, frozen=True):
    """A rule that JSON Schema cannot express.

    A move that breaks it is refused with `code` under `rule`; `text` explains the rule to people.
    """

    code: str
    rule: str
    text: str


class MoveGrammar(Value, frozen=True):
    """How to build the legal moves of one type in a position, where a list of them would be too long to read.

    Every legal move of the type matches `schema` (JSON Schema 2020-12, restricted to what the position allows: the
    cards in hand, the free tiles). A move that matches is legal unless it breaks a rule in `beyond`.
    """

    type: str
    rule: str
    schema: Mapping[str, Any]
    beyond: tuple[Beyond, ...] = ()


Step = tuple[Any, ...]
"""A verb and its arguments; see `docs/draws.md`."""


class DrawTable(Value, frozen=True):
    """How random outcomes appear in a game's facts: all a verifier needs without knowing the rules.

    `lists` has what is shuffled and picked from, in the order before the shuffle. `facts` has the steps to take at
    each kind of fact. The independent verifiers, which share no code with us, work from these tables.

    `protocol` is the luck protocol of matches under these rules. With protocol 2, each step that draws names the
    purpose that the rules pass to `Chance.use`.
    """

    lists: Mapping[str, Sequence[Any] | Mapping[str, Any]] = {}
    facts: Mapping[str, tuple[Step, ...]] = {}
    protocol: int = 1


StateT = TypeVar("StateT")
MoveT = TypeVar("MoveT")
FactT = TypeVar("FactT")
OptionsT = TypeVar("OptionsT")
ViewT = TypeVar("ViewT")


Part = str | int | None
"""One part of a move as a player chooses it: a string, a number, a boolean or null. The game sets their order."""
Branch = tuple[Part, Callable[[], Any]]
"""A possible next part, and a function that returns the whole move or the list of branches of the part after it.

No two branches in a list have the same part, and every branch leads to a legal move.
"""


@dataclass(frozen=True, kw_only=True, eq=False)
class Insight(Generic[StateT, MoveT, ViewT]):
    """Hints for the search bot, from the game's `bot/search.py`."""

    consider: Callable[[ViewT, Seat, Iterable[MoveT], Chance, int], list[MoveT]]
    """(view, seat, legal moves, chance, most): up to `most` moves worth searching.

    The first is the move the seat would play without a search. Another one is played only if it proves better.
    """
    enough: Callable[[StateT, int], bool]
    """(state, moves that the searching seat has made): whether a rollout may stop before that seat's next move."""
    hope: Callable[[StateT, Seat], float]
    """(state, seat): an estimate, from 0 to 1, of the seat's chance of winning, from what is visible on the table."""
    iterations: int
    """Rollouts per move: about a second's worth, or fewer if a match has very many moves.

    Bots have no time limit, so that anyone can repeat their decisions.
    """
    policy: Callable[[ViewT, Seat, Iterable[MoveT], Chance], MoveT] | None = None
    """(view, seat, legal moves, chance): the searching seat's next move in a rollout.

    For a game whose bot plays better than the greedy player. The other seats always play greedily.
    """
    playout: Callable[[StateT, Seat, Chance], float | None] | None = None
    """(state, seat, chance): the seat's share of a win in one quick rollout.

    For a game that has a faster way than playing move by move. None means the usual rollout.
    """
    iterations_at: Callable[[ViewT], int | None] | None = None
    """(view): the rollouts in a position where they take much longer, None in any other position."""
    proof: float = 2.0
    """By how many standard errors another move must beat the first one.

    Lower it only where rollouts go to the end or `hope` is known to be accurate: more rollouts do not correct a biased
    estimate.
    """


@dataclass(frozen=True, kw_only=True, eq=False)
class Game(Generic[StateT, MoveT, FactT, OptionsT, ViewT]):
    """A set of rules at one rules version.

    State only changes through `evolve(decide(...))`. Facts record every random outcome, so folding them needs no seed.
    All functions are pure and never mutate their arguments.
    """

    slug: str
    title: str
    rules_version: int
    blurb: str
    """One or two sentences for the list of games."""
    credit: str
    """Author and source of the rulebook."""
    minutes: tuple[int, int]
    """How many minutes a match takes at a table, minimum and maximum."""
    seat_counts: tuple[int, ...]
    seat_names: Callable[[int], tuple[str, ...]]
    """Return the names of the seats for this number of seats."""
    grammar_rule: str
    """The id of the rule that defines a well-formed move, used with the code `bad_move`."""
    option_help: tuple[OptionHelp, ...] = ()
    bot_version: int = 1
    """The version of the game's bots, for all levels. Raise it with every change that can make one decide differently.

    Events record it, so that an audit can run a bot's decision again."""
    components_digest: str = ""
    """SHA-256 (hex) of the component data. A match's first event fixes it."""

    state_type: Any
    move_type: Any
    fact_type: Any
    options_type: type[OptionsT]
    view_type: type[ViewT]

    initial: StateT
    """The state before the first fact."""
    # rules/decider.py
    setup: Callable[[int, OptionsT, Chance], list[FactT]]
    """(seats, options, chance): the facts of set-up. Raises BadOptions. May return a `Decision`, like `decide`."""
    from_position: Callable[[int, OptionsT, Mapping[str, Any]], list[FactT]]
    """(seats, options, document): the facts that set up a position document. Raises BadOptions."""
    to_move: Callable[[StateT], frozenset[Seat]]
    """The seats that owe a move: several during a simultaneous choice, none at the end."""
    legal_moves: Callable[[StateT, Seat], Iterator[MoveT]]
    """(state, seat): a lazy iterator of the seat's legal moves in canonical order, without `resign`.

    It depends only on what this seat knows.
    """
    decide: Callable[[StateT, Seat, MoveT, Chance], list[FactT]]
    """(state, seat, move, chance): the facts of a move. Raises IllegalMove.

    Rules that emit through a `FactRecorder` return a `Decision`: the facts together with the state they fold to. A
    plain list of facts works too; the kernel then folds it once (see `decision`).
    """
    outcome: Callable[[StateT], Outcome | None]
    close: Callable[[StateT], list[FactT]]
    """(state of a running game): the facts that would end the game now, ranked by its own rules and tie-breaks.

    Only used when an arbiter rules that the result is that of an earlier ply; these facts are never part of a match.
    """
    # rules/reducer.py
    evolve: Callable[[StateT, FactT], StateT]
    """(state, fact): the state after a fact. It must accept every fact and never draws."""
    # rules/view.py
    view: Callable[[StateT, Seat | None], ViewT]
    """(state, seat or None for a spectator): what this reader may see."""
    redact: Callable[[StateT, FactT, int, Seat | None], FactT | None]
    """(current state, fact, number of facts before it, seat): the fact as this seat may see it, or None."""
    determinize: Callable[[ViewT, Sequence[FactT], Seat | None, Chance], StateT]
    """(view, the facts redacted for the seat, seat or None for a spectator, chance): a full state.

    This reader must not be able to tell it from the real state.
    """
    # rules/scoring.py and rules/scorer.py
    score: Callable[[StateT], ScoreSheet]
    """The score of a finished match, as the engine counts it."""
    audit: Callable[[Iterable[FactT]], ScoreSheet]
    """The score as the independent scorer counts it, from the facts alone."""
    # rules/draw_table.py
    draws: DrawTable | None = None
    """How random outcomes appear in the facts. Without it, independent verifiers report the draws as unchecked."""
    # presentation/narration.py
    tell: Callable[[Sequence[FactT]], list[str]]
    """The narration of one event's facts as this reader sees them, one line for each thing worth reporting."""
    # presentation/move_text.py
    describe_move: Callable[[ViewT, Seat, MoveT], str] = _move_as_fields
    """(view, seat, move): a move of this seat in plain words, as an instruction without a full stop.

    The move need not be legal in this view: standing orders are given in advance.
    """
    # presentation/score_text.py
    describe_item: Callable[[ScoreLine], str] = _item_as_it_is
    """The item of a score line in plain words, for pages. Both scorers use the same items, which never change."""
    # presentation/text.py and presentation/drawing.py
    text: Callable[[ViewT, Seat | None], str]
    svg: Callable[[ViewT, Seat | None], str]
    # bot/strategy.py, rules/grammar.py and bot/search.py
    greedy: Callable[[ViewT, Seat, Iterable[MoveT], Chance], MoveT]
    """(view, seat, legal moves, chance): the move of a greedy player; ties are broken at random."""
    grammar: Callable[[ViewT, Seat], tuple[MoveGrammar, ...]] | None = None
    """(view, seat): how each type of legal move is built, without `resign`.

    For games with too many legal moves to list.
    """
    insight: Insight[StateT, MoveT, ViewT] | None = None
    """Hints for the search bot. Without them it plays greedy rollouts to the end."""
    # for learning programs: how a move is encoded, not which moves are legal
    branches: Callable[[StateT, Seat], list[Branch]] | None = None
    """(state, seat): the legal moves part by part, for a game with too many to list them for every choice."""
    names: tuple[str, ...] = ()
    """Ids that occur in moves but not in their types, such as the cards of the component data."""

    # -- codec ------------------------------------------------------------------------------------------------

    @cached_property
    def _facts_decoder(self) -> msgspec.json.Decoder[list[FactT]]:
        return msgspec.json.Decoder(list[self.fact_type])  # type: ignore[name-defined]

    def read_options(self, document: Mapping[str, Any]) -> OptionsT:
        """Return options from plain JSON, with defaults. Raise BadOptions for an unknown option or value."""
        try:
            return msgspec.convert(normalize_numbers(document), self.options_type)
        except msgspec.ValidationError as error:
            known = (
                "; ".join(f"{o.name}: {', '.join(map(format_option_value, o.values))}" for o in self.option_help)
                or "none"
            )
            raise BadOptions(
                "options", f"{self.title} has no such option or value: {error}. Options: {known}."
            ) from None

    def read_move(self, document: Any) -> MoveT:
        """Return a move from plain JSON. Raise IllegalMove `bad_move` if it is not well-formed."""
        try:
            return msgspec.convert(normalize_numbers(document), self.move_type)  # type: ignore[no-any-return]
        except msgspec.ValidationError as error:
            raise IllegalMove(
                "bad_move", self.grammar_rule, f"This is not a well-formed move of {self.title}: {error}."
            ) from None

    def read_facts(self, raw: bytes | msgspec.Raw) -> list[FactT]:
        """Return facts from their JSON. Raise msgspec.DecodeError or ValidationError if it is not a list of facts."""
        return self._facts_decoder.decode(raw)

    def read_view(self, raw: bytes) -> ViewT:
        """Return a view from its JSON."""
        return msgspec.json.decode(raw, type=self.view_type)

    # -- convenience ------------------------------------------------------------------------------------------

    @property
    def luck_protocol(self) -> int:
        """The luck protocol of matches under this rules version. Each rules version belongs to one."""
        return self.draws.protocol if self.draws else 1

    def fold(self, facts: Iterable[FactT], state: StateT | None = None) -> StateT:
        """Return the state after these facts, from `state` or from the initial state."""
        folded = self.initial if state is None else state
        for fact in facts:
            folded = self.evolve(folded, fact)
        return folded

    def decision(self, facts: list[FactT], state: StateT | None = None) -> Decision[StateT, FactT]:
        """Return the facts with the state they fold to, from `state` or from the initial state.

        Folds them only if the rules have not done so, or if the list has changed since.
        """
        if isinstance(facts, Decision) and facts.is_unchanged:
            return facts
        return Decision(facts, self.fold(facts, state))

    def decided(self, state: StateT, seat: Seat, move: MoveT, chance: Chance) -> Decision[StateT, FactT]:
        """Return what the move does and the state after it. Raise IllegalMove."""
        return self.decision(self.decide(state, seat, move, chance), state)

    def start(
        self,
        seats: int,
        options: Mapping[str, Any],
        chance: Chance,
        position: Mapping[str, Any] | None = None,
    ) -> list[FactT]:
        """Return the first facts of a match: a random set-up, or a position document. Raise BadOptions."""
        if seats not in self.seat_counts:
            counts = ", ".join(map(str, self.seat_counts))
            raise BadOptions("seats", f"{self.title} is for {counts} players, not {seats}.")
        chosen = self.read_options(options)
        if position is None:
            return self.setup(seats, chosen, chance)
        return self.from_position(seats, chosen, read_position(position) or {})


def format_option_value(value: OptionValue) -> str:
    """Return an option's value as lists of values show it."""
    return "not given" if value is None else str(value)


AnyGame = Game[Any, Any, Any, Any, Any]

"""The contract of a game: the functions that the service, the bots, the audits and the pages call.

A game is a record of functions, grouped by the files they come from. State, moves, facts, options and views are frozen
msgspec structs (`kernel.values.Value`). Moves and facts are unions tagged by `type`, and have the same form in the log,
in the API and in a replay file. How to add a game: `docs/add-a-game.md`.
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
from domain.kernel.values import Value

Seat = int
"""A place at the match, from 0."""


class Outcome(Value, frozen=True):
    """How a match ended.

    `reason` is the game's own word, `winners` the seats that won (none in a draw), `scores` the final score of each
    seat in its game's unit (None for a seat that has none, which is another thing than 0), `places` the rank of each
    seat, 1 first, equal ranks shared.
    """

    reason: str
    winners: tuple[Seat, ...]
    scores: tuple[int | None, ...]
    places: tuple[int, ...]


class ScoreLine(Value, frozen=True):
    """One line of a score sheet: `points` for one `item`, under one rule; `facts` are the fact numbers behind it."""

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
        """What differs between two sheets, in words; empty when they agree."""

        def plain(sheet: ScoreSheet) -> list[str]:
            return [f"seat {x.seat}: {x.item} {x.points:+d} ({x.rule})" for x in sheet.lines]

        mine, theirs = plain(self), plain(other)
        found = [f"line {n}: {a} against {b}" for n, (a, b) in enumerate(zip(mine, theirs, strict=False), 1) if a != b]
        if len(mine) != len(theirs):
            found.append(f"{len(mine)} lines against {len(theirs)}")
        if self.totals != other.totals:
            found.append(f"totals {list(self.totals)} against {list(other.totals)}")
        if self.winners != other.winners:
            found.append(f"winners {list(self.winners)} against {list(other.winners)}")
        return found


OptionValue = str | int | bool | None
"""A value of an option, as JSON has it."""


class OptionHelp(Value, frozen=True):
    """One option for the page that starts a match: its values (the default first) and what each means, in words.

    A default of None is one that the rules work out from other options.
    """

    name: str
    title: str
    values: tuple[OptionValue, ...]
    meanings: tuple[str, ...]


class Beyond(Value, frozen=True):
    """A rule that a JSON Schema cannot say: who breaks it is refused with `code` under `rule`; `text` is for people."""

    code: str
    rule: str
    text: str


class MoveGrammar(Value, frozen=True):
    """How the legal moves of one type are built in one position, where a list of them would be too long to read.

    Every legal move of the type matches `schema` (JSON Schema 2020-12, with what the position narrows: the cards in
    hand, the free tiles). A move that matches is legal unless it breaks a rule of `beyond`.
    """

    type: str
    rule: str
    schema: Mapping[str, Any]
    beyond: tuple[Beyond, ...] = ()


Step = tuple[Any, ...]
"""A verb and its arguments; see `docs/draws.md`."""


class DrawTable(Value, frozen=True):
    """How the outcomes of chance show in a game's facts: all that a verifier needs who does not know the rules.

    `lists` are what is shuffled and picked from, in the order before the shuffle; `facts` are the steps to take at
    each kind of fact. The verifiers that share no code with us are given these tables.
    """

    lists: Mapping[str, Sequence[Any] | Mapping[str, Any]] = {}
    facts: Mapping[str, tuple[Step, ...]] = {}


StateT = TypeVar("StateT")
MoveT = TypeVar("MoveT")
FactT = TypeVar("FactT")
OptionsT = TypeVar("OptionsT")
ViewT = TypeVar("ViewT")


Part = str | int | None
"""One part of a move as it is chosen: a word, a number, true or false, or null. Their order is the game's own."""
Branch = tuple[Part, Callable[[], Any]]
"""A part that is open, and what follows once it is chosen: the whole move, or the branches of its next part (a list).

No two branches at one place have the same part, and every branch leads to a legal move.
"""


@dataclass(frozen=True, kw_only=True, eq=False)
class Insight(Generic[StateT, MoveT, ViewT]):
    """Helps a search with what it cannot read from the rules; from the game's `bot/search.py`."""

    consider: Callable[[ViewT, Seat, Iterable[MoveT], Chance, int], list[MoveT]]
    """(view, seat, legal moves, chance, most): the moves worth a thought, at most so many. The first is what the seat
    plays without one; it is left only for a move that proves better."""
    enough: Callable[[StateT, int], bool]
    """(state, moves that the thinking seat has made): whether a rollout may stop here, before that seat's next move."""
    hope: Callable[[StateT, Seat], float]
    """(state, seat): how likely this seat seems to win, from 0 to 1, as far as what lies on the table says."""
    iterations: int
    """How many tries a bot is given for a move: about a second's worth, less where a match has very many moves."""
    policy: Callable[[ViewT, Seat, Iterable[MoveT], Chance], MoveT] | None = None
    """(view, seat, legal moves, chance): how the seat that thinks goes on in a rollout, for a game in which its bot
    knows better than the greedy player; the other seats are taken to play greedy."""
    playout: Callable[[StateT, Seat, Chance], float | None] | None = None
    """(state, seat, chance): the seat's share of a win as a quick rollout finds it, for a game that knows a shorter way
    than move by move; None where a rollout shall go the usual way."""
    proof: float = 2.0
    """By how many standard errors another move must beat the first one. Less only where rollouts go to the end, or to a
    hope that is known to be good: the error of a poor one is no noise that more tries would remove."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Game(Generic[StateT, MoveT, FactT, OptionsT, ViewT]):
    """A set of rules at one rules version.

    `evolve(decide(...))` is the only way in which state changes. Facts carry every outcome of chance, so folding needs
    no seed. All functions are pure; none mutates what it is given.
    """

    slug: str
    title: str
    rules_version: int
    blurb: str
    """One or two sentences for the catalogue."""
    credit: str
    """Author and source of the rulebook."""
    minutes: tuple[int, int]
    """How long a match takes at a table, least and most."""
    seat_counts: tuple[int, ...]
    seat_names: Callable[[int], tuple[str, ...]]
    """Names of the seats for a number of seats."""
    grammar_rule: str
    """The rule id that says what a well-formed move is (for the code `bad_move`)."""
    option_help: tuple[OptionHelp, ...] = ()
    components_digest: str = ""
    """SHA-256 (hex) of the component data, pinned in a match's first event."""

    state_type: Any
    move_type: Any
    fact_type: Any
    options_type: type[OptionsT]
    view_type: type[ViewT]

    initial: StateT
    """The state before the first fact."""
    # rules/decider.py
    setup: Callable[[int, OptionsT, Chance], list[FactT]]
    """(seats, options, chance): the facts of set-up. Raises BadOptions. May be a `Decision`, as in `decide`."""
    from_position: Callable[[int, OptionsT, Mapping[str, Any]], list[FactT]]
    """(seats, options, document): the facts of a start from a position document. Raises BadOptions."""
    to_move: Callable[[StateT], frozenset[Seat]]
    """The seats that owe a move; more than one while a choice is simultaneous, none at the end."""
    legal_moves: Callable[[StateT, Seat], Iterator[MoveT]]
    """(state, seat): lazily, in canonical order, without `resign`, from what this seat knows."""
    decide: Callable[[StateT, Seat, MoveT, Chance], list[FactT]]
    """(state, seat, move, chance): what the move does. Raises IllegalMove.

    Rules that emit through a `FactRecorder` return a `Decision`: the facts together with the state they fold to. A
    plain list of facts is fine too; the kernel then folds it once (see `decision`)."""
    outcome: Callable[[StateT], Outcome | None]
    close: Callable[[StateT], list[FactT]]
    """(state of a running game): the facts that would end it as it stands, seats ranked by the game's own rules and
    tie-breaks. Nothing of this is played: it is for an arbiter who rules that a result is that of an earlier ply."""
    # rules/reducer.py
    evolve: Callable[[StateT, FactT], StateT]
    """Total: never refuses, never draws."""
    # rules/view.py
    view: Callable[[StateT, Seat | None], ViewT]
    """(state, seat or None for a spectator): what may be seen."""
    redact: Callable[[StateT, FactT, int, Seat | None], FactT | None]
    """(state now, fact, number of facts before it, seat): the fact as this seat may see it now, None if not at all."""
    determinize: Callable[[ViewT, Sequence[FactT], Seat | None, Chance], StateT]
    """(view, the facts so far redacted for the seat, seat or None for a spectator, chance): a full state that this
    reader cannot tell apart from the real one."""
    # rules/scoring.py and rules/scorer.py
    score: Callable[[StateT], ScoreSheet]
    """The score of a finished match as the engine counts it."""
    audit: Callable[[Iterable[FactT]], ScoreSheet]
    """The score counted again by the independent scorer, from facts alone."""
    # rules/draw_table.py
    draws: DrawTable | None = None
    """How chance shows in the facts. Without it the outside verifiers cannot check this game's draws, and say so."""
    # presentation/narration.py
    tell: Callable[[Sequence[FactT]], list[str]]
    """The facts of one event, as this reader sees them, in words; one line for what is worth telling."""
    # presentation/text.py and presentation/drawing.py
    text: Callable[[ViewT, Seat | None], str]
    svg: Callable[[ViewT, Seat | None], str]
    # bot/strategy.py, rules/grammar.py and bot/search.py
    greedy: Callable[[ViewT, Seat, Iterable[MoveT], Chance], MoveT]
    """(view, seat, legal moves, chance): the move of a greedy player, ties broken by chance."""
    grammar: Callable[[ViewT, Seat], tuple[MoveGrammar, ...]] | None = None
    """(view, seat): how each type of move that the seat may make now is built, without `resign`; for games with more
    legal moves than anybody wants to read."""
    insight: Insight[StateT, MoveT, ViewT] | None = None
    """What helps a search; without it the search plays greedy rollouts to the end."""
    # for programs that learn; both are about how a move is named, never about which moves there are
    branches: Callable[[StateT, Seat], list[Branch]] | None = None
    """(state, seat): the legal moves part by part, for a game that has too many to list them for each choice."""
    names: tuple[str, ...] = ()
    """Ids that moves hold and their types do not list, such as cards that stand in the component data."""

    # -- codec ------------------------------------------------------------------------------------------------

    @cached_property
    def _facts_decoder(self) -> msgspec.json.Decoder[list[FactT]]:
        return msgspec.json.Decoder(list[self.fact_type])  # type: ignore[name-defined]

    def read_options(self, document: Mapping[str, Any]) -> OptionsT:
        """Options from plain JSON, defaults filled in. Raises BadOptions for an unknown option or value."""
        try:
            return msgspec.convert(normalize_numbers(document), self.options_type)
        except msgspec.ValidationError as error:
            known = (
                "; ".join(f"{o.name}: {', '.join(map(format_option_value, o.values))}" for o in self.option_help)
                or "none"
            )
            raise BadOptions("options", f"{self.title} has no such option or value: {error}. It has {known}.") from None

    def read_move(self, document: Any) -> MoveT:
        """A move from plain JSON. Raises IllegalMove `bad_move` when it is not well-formed."""
        try:
            return msgspec.convert(normalize_numbers(document), self.move_type)  # type: ignore[no-any-return]
        except msgspec.ValidationError as error:
            raise IllegalMove(
                "bad_move", self.grammar_rule, f"This is not a well-formed move of {self.title}: {error}."
            ) from None

    def read_facts(self, raw: bytes | msgspec.Raw) -> list[FactT]:
        """Facts from their JSON. Raises msgspec.DecodeError or ValidationError for what is not a list of facts."""
        return self._facts_decoder.decode(raw)

    def read_view(self, raw: bytes) -> ViewT:
        """A view from its JSON."""
        return msgspec.json.decode(raw, type=self.view_type)

    # -- convenience ------------------------------------------------------------------------------------------

    def fold(self, facts: Iterable[FactT], state: StateT | None = None) -> StateT:
        """The state after these facts, from `state` or from nothing."""
        folded = self.initial if state is None else state
        for fact in facts:
            folded = self.evolve(folded, fact)
        return folded

    def decision(self, facts: list[FactT], state: StateT | None = None) -> Decision[StateT, FactT]:
        """Return the facts with the state they fold to, from `state` or from nothing.

        Folds them only if the rules have not done so, or if somebody has changed the list since.
        """
        if isinstance(facts, Decision) and facts.is_unchanged:
            return facts
        return Decision(facts, self.fold(facts, state))

    def decided(self, state: StateT, seat: Seat, move: MoveT, chance: Chance) -> Decision[StateT, FactT]:
        """Return what the move does and the state after it. Raises IllegalMove."""
        return self.decision(self.decide(state, seat, move, chance), state)

    def start(
        self,
        seats: int,
        options: Mapping[str, Any],
        chance: Chance,
        position: Mapping[str, Any] | None = None,
    ) -> list[FactT]:
        """The first facts of a match: set-up by chance, or a position document. Raises BadOptions."""
        if seats not in self.seat_counts:
            counts = ", ".join(map(str, self.seat_counts))
            raise BadOptions("seats", f"{self.title} is played by {counts} seats, not by {seats}.")
        chosen = self.read_options(options)
        if position is None:
            return self.setup(seats, chosen, chance)
        return self.from_position(seats, chosen, read_position(position) or {})


def format_option_value(value: OptionValue) -> str:
    """An option's value in a list of what there is."""
    return "not given" if value is None else str(value)


AnyGame = Game[Any, Any, Any, Any, Any]

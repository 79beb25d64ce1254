"""The search of the strong bot, for every game: an information-set tree search.

Each iteration takes a world from `determinize(view)`, tries one of the candidate moves, and plays on. Every seat moves
from its own view of that world, so no seat uses hidden information. A node of the tree is a seat and its view. In
a node visited before, the seat chooses by the values found there. Elsewhere it plays greedily, or by the game's policy
if it is the searching seat. The game decides when to stop and estimates the value. A quick rollout of the game, if it
has one, replaces the tree.

At the root, sequential halving shares the iterations: all moves are tried in the same worlds with the same luck, then
the worse half is dropped. The first candidate, the bot's default move, always stays. Another move is played only if it
is better by a margin that chance does not explain, with the confidence that the game asks for.

The result depends only on view, facts, budget and seed. Time plays no part, so anyone can repeat a search.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import ceil, log2, sqrt
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from domain.kernel.chance import Chance, Fast
from domain.kernel.game import AnyGame, Seat

ENGINE = "information-set tree search"
VERSION = 8
"""Raise it with every change that can make a repeated decision differ from the recorded one.

Such a change can be in this file, or in a game's greedy player or insight. Also raise the `bot_version` of every game
that it affects.
"""

MAX_CANDIDATES = 6
"""Maximum number of candidate moves at the root and in each node."""
MAX_MOVES_SAMPLED = 2_000
EXPLORATION = 0.7
DEFAULT_CONFIDENCE = 2.0
"""Standard errors by which another move must beat the first one, unless the game sets its own value."""
MIN_PAIRS = 8
"""Minimum number of worlds in which both moves were tried. The spread of fewer differences is not reliable."""
MAX_ROLLOUT_MOVES = 5_000
"""Moves after which a rollout counts as even."""


class Budget(msgspec.Struct, frozen=True):
    """How many iterations a bot may make to choose a move."""

    iterations: int
    seconds: Annotated[
        float | None, Meta(description="Time limit of decisions by earlier versions. Null: there was none.")
    ] = None


class Candidate(msgspec.Struct, frozen=True):
    """A candidate move, its number of iterations and its estimated share of a win."""

    move: Any
    visits: int
    value: float


class SearchResult(msgspec.Struct, frozen=True):
    """A chosen move and its candidates. The first candidate is the default move, played without a search."""

    move: Any
    iterations: int
    candidates: tuple[Candidate, ...]
    budget: Budget | None = None


@dataclass
class Node:
    """The candidate moves of a seat with one view, and the visits and summed values of each."""

    visits: int = 0
    moves: list[Any] = field(default_factory=list)
    tried: list[int] = field(default_factory=list)
    total: list[float] = field(default_factory=list)

    def choose(self) -> int:
        """Return the index of the move with the best upper confidence bound. Untried moves come first, in order."""
        for n, tries in enumerate(self.tried):
            if not tries:
                return n
        reach = EXPLORATION * sqrt(log2(1 + sum(self.tried)))
        bounds = [won / tries + reach / sqrt(tries) for won, tries in zip(self.total, self.tried, strict=True)]
        return bounds.index(max(bounds))


def run_search(
    game: AnyGame,
    view: Any,
    facts: Sequence[Any],
    seat: Seat,
    legal: Iterable[Any],
    seed: str,
    budget: Budget,
    stop_after: int | None = None,
) -> SearchResult:
    """Return the search result for a seat with this view and these facts. There must be at least one legal move.

    `stop_after` ends the search after this many iterations, to repeat a search that a time limit ended.
    """
    candidates = select_candidates(game, view, seat, legal, Fast(f"{seed}|root"))
    if len(candidates) == 1:
        return SearchResult(candidates[0], 0, (Candidate(candidates[0], 0, 0.0),), budget)
    return Search(game, view, facts, seat, candidates, seed).run(budget, stop_after)


def select_candidates(game: AnyGame, view: Any, seat: Seat, legal: Iterable[Any], chance: Chance) -> list[Any]:
    """Return the candidate moves, the default move first: the game's own choice, or some of the legal moves."""
    if game.insight is not None:
        return game.insight.consider(view, seat, legal, chance, MAX_CANDIDATES)
    moves = list(islice(legal, MAX_MOVES_SAMPLED))
    greedy = game.greedy(view, seat, moves, chance)
    others = chance.shuffle(move for move in moves if move != greedy)
    return [greedy, *others[: MAX_CANDIDATES - 1]]


class Search:
    """One search: the worlds, the tree, and the result of each candidate in each world."""

    def __init__(
        self, game: AnyGame, view: Any, facts: Sequence[Any], seat: Seat, candidates: list[Any], seed: str
    ) -> None:
        self._game = game
        self._view = view
        self._facts = facts
        self._seat = seat
        self._candidates = candidates
        self._seed = seed
        self._worlds: list[Any] = []
        self._tree: dict[tuple[Seat, bytes], Node] = {}
        self._results: list[list[float]] = [[] for _ in candidates]

    def run(self, budget: Budget, stop_after: int | None) -> SearchResult:
        """Run the search, sharing the iterations among the candidates by halving."""
        last = budget.iterations if stop_after is None else stop_after
        alive = list(range(len(self._candidates)))
        rounds = ceil(log2(len(alive)))
        done = 0
        for number in range(rounds):
            visits = max(1, (budget.iterations - done) // (rounds - number) // len(alive))
            for _ in range(visits):
                for n in alive:
                    if done == last:
                        return self._decide(alive, done, budget)
                    self._results[n].append(self._iterate(n, len(self._results[n])))
                    done += 1
            best = sorted(alive[1:], key=self._mean, reverse=True)
            alive = [0, *best[: max(1, ceil(len(alive) / 2) - 1)]]
        return self._decide(alive, done, budget)

    def _mean(self, n: int) -> float:
        found = self._results[n]
        return sum(found) / len(found) if found else 0.0

    def _decide(self, alive: list[int], done: int, budget: Budget) -> SearchResult:
        """Return the best remaining candidate if it beats the first one by a positive margin, else the first."""
        margins = {n: self._margin(n) for n in alive[1:]}
        best = max(margins, key=margins.__getitem__)
        chosen = best if margins[best] > 0 else 0
        candidates = tuple(
            Candidate(move, len(self._results[n]), round(self._mean(n), 4)) for n, move in enumerate(self._candidates)
        )
        return SearchResult(self._candidates[chosen], done, candidates, budget)

    def _margin(self, n: int) -> float:
        """Return by how much a move beats the first one in their common worlds, minus the statistical uncertainty."""
        pairs = [mine - first for mine, first in zip(self._results[n], self._results[0], strict=False)]
        if len(pairs) < MIN_PAIRS:
            return 0.0
        mean = sum(pairs) / len(pairs)
        variance = sum((pair - mean) ** 2 for pair in pairs) / (len(pairs) - 1)
        proof = DEFAULT_CONFIDENCE if self._game.insight is None else self._game.insight.proof
        return mean - proof * sqrt(variance / len(pairs))

    # -- one iteration ----------------------------------------------------------------------------------------

    def _iterate(self, n: int, number: int) -> float:
        """Play a candidate in the world with this number. Return this seat's share of a win."""
        game, chance = self._game, Fast(f"{self._seed}|luck {number}")
        state = self._state_after(self._world(number), self._seat, self._candidates[n], chance)
        if (found := self._quick_rollout(state, chance)) is not None:
            return found
        path: list[tuple[Node, Seat, int]] = []
        in_tree, made = True, 1
        for _ in range(MAX_ROLLOUT_MOVES):
            movers = game.to_move(state)
            seat = min(movers, default=None)
            if seat is None or (seat == self._seat and self._may_stop(state, made)):
                break
            made += seat == self._seat
            view = game.view(state, seat)
            node = self._node(seat, view) if in_tree else None
            if node is None or node.visits == 1:
                in_tree = False
                move = self._rollout_policy(seat)(view, seat, game.legal_moves(state, seat), chance)
            else:
                move = self._choose_in_tree(node, seat, view, state, path)
            state = self._state_after(state, seat, move, chance)
        for node, mover, tried in path:
            node.tried[tried] += 1
            node.total[tried] += self._win_share(state, mover)
        return self._win_share(state, self._seat)

    def _quick_rollout(self, state: Any, chance: Chance) -> float | None:
        """Return the result of the game's quick rollout, or None if it has none."""
        insight = self._game.insight
        return insight.playout(state, self._seat, chance) if insight is not None and insight.playout else None

    def _rollout_policy(self, seat: Seat) -> Callable[[Any, Seat, Iterable[Any], Chance], Any]:
        """Return the policy of a seat outside the tree."""
        insight = self._game.insight
        if seat == self._seat and insight is not None and insight.policy is not None:
            return insight.policy
        return self._game.greedy

    def _may_stop(self, state: Any, made: int) -> bool:
        return self._game.insight is not None and self._game.insight.enough(state, made)

    def _world(self, number: int) -> Any:
        while len(self._worlds) <= number:
            chance = Fast(f"{self._seed}|world {len(self._worlds)}")
            self._worlds.append(self._game.determinize(self._view, self._facts, self._seat, chance))
        return self._worlds[number]

    def _state_after(self, state: Any, seat: Seat, move: Any, chance: Chance) -> Any:
        return self._game.decided(state, seat, move, chance).state

    def _node(self, seat: Seat, view: Any) -> Node:
        """Return the node of a seat with this view, after counting a visit."""
        node = self._tree.setdefault((seat, msgspec.msgpack.encode(view)), Node())
        node.visits += 1
        return node

    def _choose_in_tree(self, node: Node, seat: Seat, view: Any, state: Any, path: list[tuple[Node, Seat, int]]) -> Any:
        """Choose a move in the tree. A node gets its moves on its second visit."""
        if not node.moves:
            legal = self._game.legal_moves(state, seat)
            node.moves = select_candidates(self._game, view, seat, legal, Fast(f"{self._seed}|node {len(self._tree)}"))
            node.tried, node.total = [0] * len(node.moves), [0.0] * len(node.moves)
        chosen = node.choose()
        path.append((node, seat, chosen))
        return node.moves[chosen]

    def _win_share(self, state: Any, seat: Seat) -> float:
        """Return a seat's share of a win: known at the end, otherwise the game's estimate, otherwise 0.5."""
        outcome = self._game.outcome(state)
        if outcome is None:
            return self._game.insight.hope(state, seat) if self._game.insight else 0.5
        winners = outcome.winners or range(len(outcome.scores))
        return 1 / len(winners) if seat in winners else 0.0

"""Choosing a move part by part: a walk down the tree of legal moves. Only the visited part of the tree is built."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any, Protocol

import msgspec

from crumbtrail.environments.vocabulary import END, LIST, NUMERAL, OBJECT, TEXT, Spelling, Vocabulary, vocabulary_of
from domain.kernel.game import AnyGame, Branch, Seat

TreePath = tuple[int, ...]
"""The position of a part in a move, as a child index for each level."""


class EndMarker:
    """Marks the end of a list or a text."""


END_MARKER = EndMarker()


class CompleteMove(msgspec.Struct, frozen=True):
    """A complete move, at a leaf of the tree."""

    move: Any


class Node(Protocol):
    """A place in the tree where at least one more part follows."""

    def open(self) -> "OpenActions":
        """Return the actions available here, each with a function for what follows. Never empty."""


OpenActions = Mapping[int, Callable[[], Node | CompleteMove]]


class PartialMove:
    """A move that a seat is choosing from its legal moves.

    `taken` are the actions chosen so far. `open` are the actions available next; there is at least one until `move` is
    complete. Parts with only one possible value are filled in without asking. A seat with a single legal move still
    has to choose the move's type.
    """

    def __init__(self, game: AnyGame, state: Any, seat: Seat) -> None:
        self.taken: tuple[int, ...] = ()
        self.move: Any = None
        root = legal_move_tree(game, state, seat)
        self._advance(root)
        if self.move is not None:
            made = CompleteMove(self.move)
            self._open: OpenActions = {next(iter(root.open())): lambda: made}
            self.move = None

    @property
    def open(self) -> Collection[int]:
        """Return the actions available next."""
        return self._open.keys()

    def take(self, action: int) -> None:
        """Take an available action. Raise KeyError for any other."""
        follows = self._open[action]()
        self.taken = (*self.taken, action)
        self._advance(follows)

    def _advance(self, node: Node | CompleteMove) -> None:
        """Go to the next node with a choice, or to the end."""
        self._open = {}
        while not isinstance(node, CompleteMove):
            self._open = node.open()
            if len(self._open) > 1:
                return
            [then] = self._open.values()
            node = then()
        self._open, self.move = {}, node.move


def legal_move_tree(game: AnyGame, state: Any, seat: Seat) -> Node:
    """Return the legal moves of a seat that owes one, built from the game's branches or its list of moves."""
    vocabulary = vocabulary_of(game)
    if game.branches is None:
        return ListedMoves(list(game.legal_moves(state, seat)), vocabulary)
    return branches_tree(game.branches(state, seat), vocabulary)


# -- the tree of a game that lists its moves --------------------------------------------------------------------------


class ListedMoves:
    """Moves that are the same up to a place.

    All are read in the same order: `type`, then the fields in the order of the API.
    """

    def __init__(self, moves: Sequence[Any], vocabulary: Vocabulary, place: TreePath = (0,)) -> None:
        self._moves = moves
        self._vocabulary = vocabulary
        self._place = place

    def open(self) -> OpenActions:
        """Return the moves, grouped by their part at this place."""
        groups: dict[int, list[Any]] = {}
        for move in self._moves:
            groups.setdefault(action_at(part_at(move, self._place, self._vocabulary), self._vocabulary), []).append(
                move
            )
        return {action: partial(self._then, moves) for action, moves in groups.items()}

    def _then(self, moves: list[Any]) -> Node | CompleteMove:
        """Return what follows: the move if only one is left, otherwise the next place."""
        if len(moves) == 1:
            return CompleteMove(moves[0])
        return ListedMoves(moves, self._vocabulary, next_path(moves[0], self._place, self._vocabulary))


class SpelledPiece(msgspec.Struct, frozen=True):
    """A piece of a text or a number that is spelled out."""

    action: int


def action_at(value: Any, vocabulary: Vocabulary) -> int:
    """Return the action for a value: a scalar, or the start or end of a list, object or text."""
    if value is END_MARKER:
        return END
    if isinstance(value, SpelledPiece):
        return value.action
    if isinstance(value, tuple | list):
        return LIST
    action = OBJECT if isinstance(value, msgspec.Struct | dict) else vocabulary.of(value)
    if isinstance(action, int):
        return action
    return TEXT if isinstance(value, str) else NUMERAL


def part_at(value: Any, place: TreePath, vocabulary: Vocabulary) -> Any:
    """Return the part of a value at a place."""
    for index in place:
        if isinstance(value, tuple):
            value = value[index] if index < len(value) else END_MARKER
        elif isinstance(value, msgspec.Struct):
            inner = struct_layout(type(value))[index]
            value = inner if isinstance(inner, str) else getattr(value, inner[0])
        else:
            value = children(value, vocabulary)[index]
    return value


def children(value: Any, vocabulary: Vocabulary) -> Sequence[Any]:
    """Return the parts inside a value, none for a scalar."""
    if isinstance(value, tuple | list):
        return (*value, END_MARKER)
    if isinstance(value, dict):
        return (*(part for item in value.items() for part in item), END_MARKER)
    if isinstance(value, SpelledPiece) or value is END_MARKER:
        return ()
    if isinstance(value, msgspec.Struct):
        return [inner if isinstance(inner, str) else getattr(value, inner[0]) for inner in struct_layout(type(value))]
    action = vocabulary.of(value)
    return (*map(SpelledPiece, action), END_MARKER) if isinstance(action, Spelling) else ()


@cache
def struct_layout(kind: type[msgspec.Struct]) -> tuple[str | tuple[str], ...]:
    """Return the parts of a struct: its tag, if it has one, then its fields, each name in a tuple."""
    fields = tuple((name,) for name in kind.__struct_fields__)
    tag = kind.__struct_config__.tag
    return fields if tag is None else (str(tag), *fields)


def next_path(move: Any, place: TreePath, vocabulary: Vocabulary) -> TreePath:
    """Return the place after this one. It is the same for all moves that are the same up to here."""
    if children(part_at(move, place, vocabulary), vocabulary):
        return (*place, 0)
    while place:
        *outer, index = place
        place = tuple(outer)
        if index + 1 < len(children(part_at(move, place, vocabulary), vocabulary)):
            return (*place, index + 1)
    raise AssertionError("two legal moves are identical")


# -- the tree of a game that offers its own ---------------------------------------------------------------------------


class OfferedBranches:
    """Branches of a game, each with the actions that remain until it is chosen."""

    def __init__(self, branches: Iterable[tuple[tuple[int, ...], Branch]], vocabulary: Vocabulary) -> None:
        self._branches = tuple(branches)
        self._vocabulary = vocabulary

    def open(self) -> OpenActions:
        """Return the branches, grouped by their first remaining action. Parts that are spelled out may share it."""
        groups: dict[int, list[tuple[tuple[int, ...], Branch]]] = {}
        for (first, *rest), branch in self._branches:
            groups.setdefault(first, []).append((tuple(rest), branch))
        return {action: partial(self._then, branches) for action, branches in groups.items()}

    def _then(self, branches: list[tuple[tuple[int, ...], Branch]]) -> Node | CompleteMove:
        """Return what follows: the rest of parts that begin alike, or the next part of the only branch left."""
        if len(branches) > 1:
            return OfferedBranches(branches, self._vocabulary)
        [(_, (_, chosen))] = branches
        follows = chosen()
        return branches_tree(follows, self._vocabulary) if isinstance(follows, list) else CompleteMove(follows)


def branches_tree(branches: Iterable[Branch], vocabulary: Vocabulary) -> OfferedBranches:
    """Return the tree for a game's own branches."""
    return OfferedBranches(((vocabulary.path(part), (part, then)) for part, then in branches), vocabulary)

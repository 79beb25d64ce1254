"""Finding completed Orders (rules, C1 to C7) and carrying out COMPLETION (5.3)."""

from collections.abc import Iterable, Iterator, Mapping

from domain.games.bakers_brawl.rules.components import BASICS, NEEDS, ORDERS, Basic, Special
from domain.games.bakers_brawl.rules.facts import (
    Fact,
    IngredientsCleared,
    LaborCompared,
    OrderClaimed,
    OrderCompleted,
    PointsScored,
)
from domain.games.bakers_brawl.rules.model import State
from domain.games.bakers_brawl.rules.parts import Returned, Tally, Tile, cell_key, neighbours_of, sorted_names
from domain.kernel.game import Seat
from domain.kernel.values import Value


class Candidate(Value, frozen=True):
    """An Order and a sorted set of cells that completes it (C1)."""

    order_id: str
    cells: tuple[str, ...]


class Grid:
    """The cards on a board, with their neighbours."""

    def __init__(self, board: Mapping[str, Tile], size: int) -> None:
        self.board = board
        self._around = neighbours_of(size)

    def occupied_near(self, cell: str) -> list[str]:
        """Return the occupied cells that share an edge with this one (C5)."""
        return [near for near in self._around[cell] if near in self.board]


# -- finding candidates -------------------------------------------------------------------------------------------


def pending_candidates(state: State) -> list[Candidate]:
    """Return the candidates offered in phase `complete`, in canonical order."""
    return find_candidates_at(state, state.pending_cell) if state.pending_cell else []


def find_candidates_at(state: State, cell: str) -> list[Candidate]:
    """Return what the card on this cell completes, in canonical order (C1 to C7)."""
    grid = Grid(state.board, state.board_size)
    return find_candidates(grid, state.order_line, cell, strict=state.options.strict_clusters)


def find_candidates(grid: Grid, line: Iterable[str], cell: str, *, strict: bool) -> list[Candidate]:
    """Return the candidates on this board for the Orders in this Line, oldest first, then by cells (C7)."""
    if not grid.occupied_near(cell):
        return []  # every Order needs more than one card
    placed = grid.board[cell].ingredient
    found = []
    for order_id in line:
        if placed in NEEDS[order_id]:
            sets = connected_sets(grid, cell, NEEDS[order_id])
            kept = (sorted(cells, key=cell_key) for cells in sets if not strict or is_whole_cluster(grid, cells))
            found += [Candidate(order_id, tuple(cells)) for cells in sorted(kept, key=cell_keys)]
    return found


def cell_keys(cells: list[str]) -> list[tuple[int, int]]:
    """Return the sort key of a set of cells."""
    return [*map(cell_key, cells)]


def connected_sets(grid: Grid, start: str, need: frozenset[str]) -> Iterator[tuple[str, ...]]:
    """Yield every connected set that contains `start` and has exactly these ingredients, each once (C3 to C5).

    A set grows from `start` by one neighbour at a time, only by missing ingredients. A neighbour that was skipped is
    closed to all sets grown later, so no set is found twice.
    """
    missing = need - {grid.board[start].ingredient}
    return grow_sets(grid, (start,), missing, grid.occupied_near(start), frozenset((start,)))


def grow_sets(
    grid: Grid, cells: tuple[str, ...], missing: frozenset[str], edge: list[str], closed: frozenset[str]
) -> Iterator[tuple[str, ...]]:
    """Yield the sets that contain these cells and grow along the edge (see `connected_sets`)."""
    if not missing:
        yield cells
        return
    for n, cell in enumerate(edge):
        closed |= {cell}
        kind = grid.board[cell].ingredient
        if kind in missing:
            further = [near for near in grid.occupied_near(cell) if near not in closed and near not in edge]
            yield from grow_sets(grid, (*cells, cell), missing - {kind}, edge[n + 1 :] + further, closed)


def largest_part(grid: Grid, need: frozenset[str]) -> tuple[str, ...]:
    """Return the largest connected set of needed ingredients without repeats. Ties go to the first cells."""
    starts = [cell for cell, tile in grid.board.items() if tile.ingredient in need]
    parts = (part for start in starts for part in connected_parts(grid, start, need))
    return min(parts, key=lambda part: (-len(part), cell_keys([*part])), default=())


def connected_parts(grid: Grid, start: str, need: frozenset[str]) -> set[tuple[str, ...]]:
    """Return every connected set of needed ingredients without repeats that contains `start`."""
    found: set[tuple[str, ...]] = {(start,)}
    edge: list[tuple[str, ...]] = [(start,)]
    for part in edge:
        held = {grid.board[cell].ingredient for cell in part}
        for near in {near for cell in part for near in grid.occupied_near(cell)}:
            kind = grid.board[near].ingredient
            grown = tuple(sorted((*part, near), key=cell_key))
            if kind in need and kind not in held and grown not in found:
                found.add(grown)
                edge.append(grown)
    return found


def is_whole_cluster(grid: Grid, cells: tuple[str, ...]) -> bool:
    """Return whether no occupied cell outside the set shares an edge with it (C6)."""
    return all(near in cells for cell in cells for near in grid.occupied_near(cell))


# -- completing ---------------------------------------------------------------------------------------------------


def complete_order(state: State, seat: Seat, chosen: Candidate) -> list[Fact]:
    """Return the facts of COMPLETION for this candidate and seat (5.3)."""
    order = ORDERS[chosen.order_id]
    tiles = [state.board[cell] for cell in chosen.cells]
    compared = compare_labor(order.id, tiles)
    owners = tuple(tally.seat for tally in compared.tally)
    return [
        OrderCompleted(seat, order.id, chosen.cells),
        PointsScored(seat, order.top, "top", order.id),
        compared,
        *(PointsScored(winner, order.bottom, "bottom", order.id) for winner in compared.winners),
        clear_tiles(chosen, tiles, owners),
        OrderClaimed(order.id, owners),
    ]


def compare_labor(order_id: str, tiles: list[Tile]) -> LaborCompared:
    """Compare labor, then cards, then Specials. Tied seats share the majority (step 3; R37 to R39)."""
    owners = sorted({tile.owner for tile in tiles})
    tally = tuple(count_tiles(owner, [tile for tile in tiles if tile.owner == owner]) for owner in owners)
    greatest = max(map(majority_key, tally))
    return LaborCompared(order_id, tally, tuple(entry.seat for entry in tally if majority_key(entry) == greatest))


def count_tiles(owner: Seat, tiles: list[Tile]) -> Tally:
    """Return a seat's part in an Order. A blind Special counts as a Special (R22)."""
    return Tally(owner, sum(tile.labor for tile in tiles), len(tiles), sum(tile.special for tile in tiles))


def majority_key(tally: Tally) -> tuple[int, int, int]:
    """Return what decides the majority, in this order."""
    return tally.labor, tally.ingredients, tally.specials


def clear_tiles(chosen: Candidate, tiles: list[Tile], owners: tuple[Seat, ...]) -> IngredientsCleared:
    """Return the fact that clears the used cards (step 5)."""
    returned = []
    for owner in owners:
        own = [tile for tile in tiles if tile.owner == owner]
        basics: tuple[Basic, ...] = tuple(name for name in BASICS if any(tile.ingredient == name for tile in own))
        returned.append(Returned(owner, sum(tile.labor for tile in own), basics))
    return IngredientsCleared(chosen.order_id, chosen.cells, tuple(returned), used_specials(tiles))


def used_specials(tiles: list[Tile]) -> tuple[Special, ...]:
    """Return the Specials among these cards, sorted."""
    names: list[Special] = [tile.ingredient for tile in tiles if tile.special]  # type: ignore[misc]
    return sorted_names(names)

"""Values of moves, in points, one move ahead and from the seat's own view (rules, section 14)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from msgspec import UnsetType

from domain.games.bakers_brawl.rules.components import (
    AGENDAS,
    BASICS,
    NEEDS,
    ORDERS,
    SPECIALS,
    Ingredient,
    Special,
    special_cards,
)
from domain.games.bakers_brawl.rules.model import View
from domain.games.bakers_brawl.rules.moves import (
    CompleteOrder,
    DeclineOrder,
    DrawSpecial,
    KeepSpecial,
    Move,
    PlayBasic,
    PlayBlind,
    PlaySpecial,
    TakeFromPantry,
)
from domain.games.bakers_brawl.rules.orders import Candidate, Grid, compare_labor, find_candidates
from domain.games.bakers_brawl.rules.parts import LINE_LIMIT, PANTRY_LIMIT, Tile, cells_of, neighbours_of
from domain.games.bakers_brawl.rules.position import remaining_cards
from domain.games.bakers_brawl.rules.scoring import agenda_points, orders_helped
from domain.kernel.game import Seat
from domain.kernel.values import Value

HELP_WEIGHT = 1.5
"""Average value of one more Order helped: three points for two."""
RIVAL_WEIGHT = 0.5
"""Share of the rivals' average gain that counts as a loss."""
CUBE_COST, SCARCE_CUBE_COST = 0.08, 0.6
"""Cost of a cube on the board, with many and with few in the supply."""
FEW_CUBES = 3
DENIAL_WEIGHT = 0.2
"""Share of the value offered to rivals in the Pantry that counts as a loss."""


class Weights(Value, frozen=True):
    """Weights of a player. The defaults are those of the greedy player."""

    finish: float = 0.4
    """Extra value of a completion, because it is certain."""
    in_pantry: float = 0.55
    of_rival: float = 0.6
    unseen: float = 0.3
    """Chance of getting a missing ingredient: from the Pantry, from a rival, or not yet seen."""
    too_late: float = 0.25
    """Factor for an Order that the head of the bakery will probably make first."""
    in_hand: float = 0.75
    """Value of a card in the hand compared with the board, because it takes another turn."""
    two_drawn: float = 1.35
    """Value of the better of two drawn cards compared with one."""


class MoveEvaluator:
    """Evaluates the moves of one seat from its view."""

    def __init__(self, view: View, seat: Seat, weights: Weights) -> None:
        self.view = view
        self.seat = seat
        self.weights = weights
        self.me = view.seats[seat]
        self.hand: tuple[Special, ...] = () if isinstance(self.me.hand, UnsetType) else self.me.hand
        self.agenda = AGENDAS.get(self.me.agenda or "")
        self.helped = orders_helped(view.completed, seat)
        self.around = neighbours_of(view.board_size)
        self.gains: dict[str, float] = {}

    # -- moves to weigh -------------------------------------------------------------------------------------------

    def moves_to_weigh(self, legal: Iterable[Move]) -> Iterator[Move]:
        """Yield the moves worth weighing. Of all placements away from other cards, only one is kept."""
        cells = self.candidate_cells
        for move in legal:
            if not isinstance(move, PlayBasic | PlaySpecial | PlayBlind) or move.cell in cells:
                yield move

    @cached_property
    def candidate_cells(self) -> frozenset[str]:
        """Free cells next to a card, and the isolated one nearest to the middle."""
        free = [cell for cell in cells_of(self.view.board_size) if cell not in self.view.board]
        adjacent = [cell for cell in free if any(near in self.view.board for near in self.around[cell])]
        alone = [cell for cell in free if cell not in adjacent]
        middle = (self.view.board_size + 1) / 2

        def distance(cell: str) -> float:
            return abs(int(cell[1:]) - middle) + abs(ord(cell[0]) - ord("A") + 1 - middle)

        return frozenset([*adjacent, *sorted(alone, key=distance)[:1]])

    # -- weights --------------------------------------------------------------------------------------------------

    def weigh(self, move: Move) -> float:
        """Return the value of a move. Moves not listed are worth nothing."""
        match move:
            case PlayBasic(ingredient, cell):
                return self.placement_value(ingredient, cell, 1)
            case PlaySpecial(ingredient, cell):
                return self.placement_value(ingredient, cell, 2)
            case PlayBlind(cell):
                return self.blind_value(cell)
            case CompleteOrder(order_id, cells):
                return self.completion_value(Candidate(order_id, cells), self.view.board)
            case DrawSpecial():
                return self.draw_value
            case TakeFromPantry(card):
                return self.weights.in_hand * self.special_values[card]
            case KeepSpecial(keep, out):
                return self.keep_value(keep, out)
            case DeclineOrder():
                return HELP_WEIGHT
            case _:
                return 0.0

    def completion_value(self, chosen: Candidate, board: dict[str, Tile]) -> float:
        """Return the points, help and agenda gained by a completion, minus a share of the rivals' gains."""
        order = ORDERS[chosen.order_id]
        compared = compare_labor(order.id, [board[cell] for cell in chosen.cells])
        gains: Counter[Seat] = Counter({self.seat: order.top})
        gains.update(dict.fromkeys(compared.winners, order.bottom))
        mine, theirs = float(gains[self.seat]), 0.0
        for tally in compared.tally:
            if tally.seat == self.seat:
                mine += HELP_WEIGHT + self.agenda_gain(order.id)
            else:
                theirs += gains[tally.seat] + HELP_WEIGHT
        return mine - RIVAL_WEIGHT * theirs / (self.view.players - 1)

    def placement_value(self, ingredient: Ingredient, cell: str, labor: int) -> float:
        """Return the value of a card on a cell: what it completes, or the progress it makes."""
        tile = Tile(ingredient, self.seat, labor)
        board = {**self.view.board, cell: tile}
        cost = labor * (CUBE_COST if self.me.cubes > FEW_CUBES else SCARCE_CUBE_COST)
        grid = Grid(board, self.view.board_size)
        found = find_candidates(grid, self.view.order_line, cell, strict=self.view.options.strict_clusters)
        if found:
            return self.weights.finish + max(self.completion_value(candidate, board) for candidate in found) - cost
        wanting = [order_id for order_id in self.view.order_line if ingredient in NEEDS[order_id]]
        return max((self.progress_value(order_id, grid, cell) for order_id in wanting), default=0.0) - cost

    def blind_value(self, cell: str) -> float:
        """Return the average value over all possible top cards."""
        total = sum(self.unseen_specials.values())
        if not total:
            return 0.0
        worth = (count * self.placement_value(kind, cell, 1) for kind, count in self.unseen_specials.items() if count)
        return sum(worth) / total

    def keep_value(self, keep: Special, out: Special | None) -> float:
        """Return the value of the kept card, minus a share of what the other one offers to rivals."""
        drawn = [] if isinstance(self.view.drawn, UnsetType) else list(self.view.drawn)
        if keep in drawn:
            drawn.remove(keep)
        offered = sum(self.special_values[card] for card in drawn) - (self.special_values[out] if out else 0.0)
        dropped = out is None and len(self.view.pantry) == PANTRY_LIMIT
        return self.special_values[keep] - (0.0 if dropped else DENIAL_WEIGHT * offered)

    # -- prospects ------------------------------------------------------------------------------------------------

    def progress_value(self, order_id: str, grid: Grid, cell: str) -> float:
        """Return how much a card on this cell improves an Order for this seat, in points."""
        part = grow_part(grid, cell, NEEDS[order_id])
        gained = self.part_value(order_id, [grid.board[at] for at in part])
        rest = [grid.board[at] for at in part if at != cell]
        return gained - (self.part_value(order_id, rest) if rest else 0.0)

    def part_value(self, order_id: str, tiles: Sequence[Tile]) -> float:
        """Return the value of a part of an Order: its completed share squared times its possible gain."""
        order = ORDERS[order_id]
        missing = NEEDS[order_id].difference(tile.ingredient for tile in tiles)
        labor = sum(tile.labor for tile in tiles)
        own = sum(tile.labor for tile in tiles if tile.owner == self.seat)
        share = own / labor
        brings = order.bottom * share + (HELP_WEIGHT + self.agenda_gain(order_id) if own else 0.0)
        if len(missing) == 1 and self.rival_can_finish(missing):
            lead = 2 * own > labor + 1
            return (order.bottom if lead else 0.0) + (HELP_WEIGHT if own else 0.0) - RIVAL_WEIGHT * order.top
        ease = 1.0
        for kind in missing:
            ease *= self.arrival_chance(kind)
        done = len(tiles) / len(order.need)
        likely = done * done * (0.4 + 0.6 * ease) * self.time_factor(order_id, len(missing))
        return likely * (order.top / 2 + brings)

    def rival_can_finish(self, missing: frozenset[str]) -> bool:
        """Return whether a rival can place the one missing Basic before this seat's next turn."""
        return any(
            rival.active and rival.cubes and missing.issubset(rival.basics)
            for seat, rival in enumerate(self.view.seats)
            if seat != self.seat
        )

    def arrival_chance(self, kind: str) -> float:
        """Return the chance of getting a missing ingredient."""
        if kind in self.me.basics or kind in self.hand:
            return 1.0
        if kind in BASICS:
            return self.weights.of_rival
        return self.weights.in_pantry if kind in self.view.pantry else self.weights.unseen

    def time_factor(self, order_id: str, missing: int) -> float:
        """Return 1 if an Order can still be finished before the head of the bakery makes it, otherwise less."""
        rounds = LINE_LIMIT - len(self.view.order_line) + self.view.order_line.index(order_id) + 1
        turns = rounds if self.view.players > 2 else rounds - 1  # others help to finish
        return 1.0 if missing <= turns else self.weights.too_late

    def agenda_gain(self, order_id: str) -> float:
        """Return what one more Order adds to the seat's own agenda."""
        if order_id not in self.gains:
            self.gains[order_id] = 0.0
            if self.agenda is not None:
                _, now = agenda_points(self.agenda, self.helped)
                _, then = agenda_points(self.agenda, (*self.helped, order_id))
                self.gains[order_id] = float(then - now)
        return self.gains[order_id]

    # -- Specials -------------------------------------------------------------------------------------------------

    @cached_property
    def unseen_specials(self) -> Counter[Special]:
        """Number of Specials of each type that the seat hasn't seen."""
        view = self.view
        drawn = () if isinstance(view.drawn, UnsetType) else view.drawn
        seen: Counter[str] = Counter([*view.discard, *view.pantry, *drawn, *self.hand])
        seen.update(tile.ingredient for tile in view.board.values())
        return Counter(remaining_cards(special_cards(), seen))

    @cached_property
    def draw_value(self) -> float:
        """Value of drawing two cards and keeping one."""
        total = sum(self.unseen_specials.values())
        if not total:
            return 0.0
        mean = sum(self.special_values[kind] * count for kind, count in self.unseen_specials.items()) / total
        return self.weights.in_hand * self.weights.two_drawn * mean

    @cached_property
    def special_values(self) -> dict[Special, float]:
        """Value of having each Special in the hand."""
        return {kind: 0.3 if kind in self.hand else self.special_value(kind) for kind in SPECIALS}

    def special_value(self, kind: Special) -> float:
        """Return the greatest improvement of an Order in the Line by this Special."""
        mine = Tile(kind, self.seat, 2)
        worth = [0.1]
        for order_id in self.view.order_line:
            if kind in NEEDS[order_id]:
                part = self.parts_without_special[order_id, kind]
                before = self.part_value(order_id, part) if part else 0.0
                worth.append(self.part_value(order_id, [*part, mine]) - before)
        return max(worth)

    @cached_property
    def parts_without_special(self) -> dict[tuple[str, str], list[Tile]]:
        """Largest part on the board without the Special, for each Order in the Line and each Special it needs."""
        grid = Grid(self.view.board, self.view.board_size)
        found = {}
        for order_id in self.view.order_line:
            for kind in NEEDS[order_id].intersection(SPECIALS):
                rest = NEEDS[order_id] - {kind}
                starts = [cell for cell, tile in self.view.board.items() if tile.ingredient in rest]
                parts = [grow_part(grid, cell, rest) for cell in starts]
                largest = max(parts, key=len, default=())
                found[order_id, kind] = [self.view.board[cell] for cell in largest]
        return found


def grow_part(grid: Grid, start: str, need: frozenset[str]) -> tuple[str, ...]:
    """Return a connected set of different needed ingredients, grown from `start` as far as possible."""
    part, missing = [start], set(need) - {grid.board[start].ingredient}
    for cell in part:
        for near in grid.occupied_near(cell):
            kind = grid.board[near].ingredient
            if kind in missing:
                missing.discard(kind)
                part.append(near)
    return tuple(part)

"""Where the tokens lie (S6), and agreeing on it (rules, section 4, phase `placement`)."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import permutations

from domain.games.take_the_cake.rules.board import board_of
from domain.games.take_the_cake.rules.components import RECIPES
from domain.games.take_the_cake.rules.model import State, Talks
from domain.games.take_the_cake.rules.moves import AcceptPlacement, ProposePlacement, RejectPlacement
from domain.games.take_the_cake.rules.parts import BOARD_SIZE, QUADRANTS, Laid, Square, Tokens
from domain.kernel.chance import Chance
from domain.kernel.game import Branch, Seat
from domain.kernel.refusals import IllegalMove

PlacementMove = AcceptPlacement | ProposePlacement | RejectPlacement


def to_tokens(tokens: Mapping[str, Square]) -> Tokens:
    """Tokens from a map."""
    return Tokens(**tokens)


def deal_tokens(layout: tuple[Laid, ...], recipe: str, chance: Chance) -> Tokens:
    """S6 The dealt arrangement: quadrants shuffled, then a free tile of each ingredient's quadrant."""
    order = chance.shuffle(QUADRANTS)
    free = {quadrant: list(tiles) for quadrant, tiles in board_of(layout).items.items()}
    placed: dict[str, Square] = {}
    for n, ingredient in enumerate(RECIPES[recipe].ingredients):
        tiles = free[order[n % len(order)]]
        placed[ingredient] = tiles.pop(chance.below(len(tiles)))
    return to_tokens(placed)


def is_valid_arrangement(tokens: Mapping[str, Square], layout: tuple[Laid, ...], recipe: str) -> bool:
    """Whether these are exactly the recipe's ingredients, on distinct ingredient tiles."""
    places = list(tokens.values())
    tiles = board_of(layout).all_items
    return (
        set(tokens) == set(RECIPES[recipe].ingredients)
        and len(set(places)) == len(places)
        and all(place in tiles for place in places)
    )


def placement_moves(state: State, talks: Talks, seat: Seat) -> Iterator[PlacementMove]:
    """What the asked seat may do: accept, then reject, or propose (tiles in reading order for each ingredient)."""
    yield AcceptPlacement()
    if seat in talks.proposed:
        yield RejectPlacement()
        return
    ingredients = RECIPES[state.recipe or ""].ingredients
    for tiles in permutations(board_of(state.layout).all_items, len(ingredients)):
        yield ProposePlacement(dict(zip(ingredients, tiles, strict=True)))


def placement_branches(state: State, talks: Talks, seat: Seat) -> list[Branch]:
    """The same part by part: what to do, then a tile for each ingredient in table order, as 10 × row + column."""
    if seat in talks.proposed:
        return [("accept_placement", AcceptPlacement), ("reject_placement", RejectPlacement)]
    return [("accept_placement", AcceptPlacement), ("propose_placement", partial(tile_branches, state, {}))]


def tile_branches(state: State, placed: Mapping[str, Square]) -> list[Branch] | ProposePlacement:
    """The tiles for the first ingredient that has none."""
    ingredients = RECIPES[state.recipe or ""].ingredients
    if len(placed) == len(ingredients):
        return ProposePlacement(dict(placed))
    ingredient = ingredients[len(placed)]
    return [
        (BOARD_SIZE * tile[0] + tile[1], partial(tile_branches, state, {**placed, ingredient: tile}))
        for tile in board_of(state.layout).all_items
        if tile not in placed.values()
    ]


def check_placement(state: State, talks: Talks, seat: Seat, move: PlacementMove) -> None:
    """Check 12 of section 5.5. Raises IllegalMove."""
    match move:
        case ProposePlacement(tokens):
            if seat in talks.proposed:
                raise IllegalMove(
                    "already_proposed", "S6", "You have proposed once; accept what is proposed now, or reject it."
                )
            if not is_valid_arrangement(tokens, state.layout, state.recipe or ""):
                needed = ", ".join(RECIPES[state.recipe or ""].ingredients)
                raise IllegalMove(
                    "bad_placement", "S6", f"Put exactly {needed} on the board, each on an ingredient tile of its own."
                )
        case RejectPlacement() if seat not in talks.proposed:
            raise IllegalMove(
                "not_yet_proposed", "S6", "Only who has proposed an arrangement may reject; accept, or propose one."
            )


def is_accepted_by_all(state: State, talks: Talks) -> bool:
    """Whether every seat still in has accepted the standing proposal."""
    return all(seat in talks.accepted or seat in state.out for seat in range(state.seats))

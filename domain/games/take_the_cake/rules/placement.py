"""Placement of the tokens (S6), and its negotiation (rules, section 4, phase `placement`)."""

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
    """Return the tokens of a map."""
    return Tokens(**tokens)


def deal_tokens(layout: tuple[Laid, ...], recipe: str, chance: Chance) -> Tokens:
    """Return the dealt arrangement: a random free tile for each ingredient, quadrant by quadrant (S6)."""
    order = chance.shuffle(QUADRANTS)
    free = {quadrant: list(tiles) for quadrant, tiles in board_of(layout).items.items()}
    placed: dict[str, Square] = {}
    for n, ingredient in enumerate(RECIPES[recipe].ingredients):
        tiles = free[order[n % len(order)]]
        placed[ingredient] = tiles.pop(chance.below(len(tiles)))
    return to_tokens(placed)


def is_valid_arrangement(tokens: Mapping[str, Square], layout: tuple[Laid, ...], recipe: str) -> bool:
    """Return whether these are exactly the recipe's ingredients, on distinct ingredient tiles."""
    places = list(tokens.values())
    tiles = board_of(layout).all_items
    return (
        set(tokens) == set(RECIPES[recipe].ingredients)
        and len(set(places)) == len(places)
        and all(place in tiles for place in places)
    )


def placement_moves(state: State, talks: Talks, seat: Seat) -> Iterator[PlacementMove]:
    """Yield the moves of the asked seat: accept, then either reject or every proposal in reading order of tiles."""
    yield AcceptPlacement()
    if seat in talks.proposed:
        yield RejectPlacement()
        return
    ingredients = RECIPES[state.recipe or ""].ingredients
    for tiles in permutations(board_of(state.layout).all_items, len(ingredients)):
        yield ProposePlacement(dict(zip(ingredients, tiles, strict=True)))


def placement_branches(state: State, talks: Talks, seat: Seat) -> list[Branch]:
    """Return the same moves as a tree: the move, then a tile for each ingredient, numbered 10 × row + column."""
    if seat in talks.proposed:
        return [("accept_placement", AcceptPlacement), ("reject_placement", RejectPlacement)]
    return [("accept_placement", AcceptPlacement), ("propose_placement", partial(tile_branches, state, {}))]


def tile_branches(state: State, placed: Mapping[str, Square]) -> list[Branch] | ProposePlacement:
    """Return the choices of tile for the next ingredient, or the complete proposal."""
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
    """Run check 12 of section 5.5. Raise IllegalMove if it fails."""
    match move:
        case ProposePlacement(tokens):
            if seat in talks.proposed:
                raise IllegalMove(
                    "already_proposed",
                    "S6",
                    "You have already proposed an arrangement. Accept the current one or reject it.",
                )
            if not is_valid_arrangement(tokens, state.layout, state.recipe or ""):
                needed = ", ".join(RECIPES[state.recipe or ""].ingredients)
                raise IllegalMove("bad_placement", "S6", f"Place exactly {needed}, each on its own ingredient tile.")
        case RejectPlacement() if seat not in talks.proposed:
            raise IllegalMove(
                "not_yet_proposed",
                "S6",
                "You can reject only after proposing an arrangement. Accept this one or propose your own.",
            )


def is_accepted_by_all(state: State, talks: Talks) -> bool:
    """Return whether every remaining seat has accepted the current proposal."""
    return all(seat in talks.accepted or seat in state.out for seat in range(state.seats))

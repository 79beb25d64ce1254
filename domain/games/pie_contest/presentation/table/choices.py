"""The choices of the seat to move and their results, based only on what the seat sees."""

from collections.abc import Iterable

import msgspec
from msgspec import UnsetType

from domain.games.pie_contest.presentation.card_text import card_name, condition_text, face_text, reward_text
from domain.games.pie_contest.presentation.hints import bake_hint, play_hint
from domain.games.pie_contest.presentation.narration import baker_name, format_number
from domain.games.pie_contest.presentation.text import asking_card
from domain.games.pie_contest.rules.card_language import KITCHEN_SIZE
from domain.games.pie_contest.rules.components import ACTIONS, INGREDIENTS, PANTRY_CARDS, Action, matches_filter
from domain.games.pie_contest.rules.components import FACES as CARDS
from domain.games.pie_contest.rules.model import SeenQuestion, View
from domain.games.pie_contest.rules.option_keys import key_numbers
from domain.games.pie_contest.rules.parts import Cards, Kind, visible_cards
from domain.kernel.table import TableContext
from domain.kernel.text import pluralize


class CardChoice(msgspec.Struct, frozen=True):
    """A card in the hand: what playing it would do, or why it can't be played."""

    card: int
    name: str
    hint: str
    playable: bool


class Option(msgspec.Struct, frozen=True):
    """An option of a choice. `card`, if not 0, selects its picture."""

    key: str
    title: str
    note: str = ""
    card: int = 0


class OpenQuestion(msgspec.Struct, frozen=True):
    """An open choice: its options, or the two halves that make up each option."""

    title: str
    by: str
    count: int
    options: tuple[Option, ...] = ()
    give: tuple[Option, ...] = ()
    get: tuple[Option, ...] = ()
    to: tuple[Option, ...] = ()


class CardGroup(msgspec.Struct, frozen=True):
    """Cards in the Trash under a heading."""

    title: str
    cards: tuple[Option, ...]


class TrashCard(msgspec.Struct, frozen=True):
    """A card in the Trash, with the filters that it matches."""

    name: str
    card: int
    text: str
    filters: str


TITLES: dict[Kind, str] = {
    "swap": "Choose two Ingredients to swap",
    "steal_ing": "Choose an Ingredient to steal",
    "trash_ing": "Choose an Ingredient to trash",
    "salvage": "Choose a card from the Trash",
    "stock": "Choose an Ingredient from the Trash for your Kitchen",
    "take_back": "Choose an Ingredient to take back into your hand",
    "search_keep": "Choose a card to keep",
    "trash_hand": "Choose what to trash",
    "pass_hand": "Choose a card to pass to the left",
    "steal_card": "Choose a baker to steal from",
    "give_ing": "Choose an Ingredient and who gets it",
    "pie": "Choose a Pie",
    "may_bake": "Bake your Kitchen now?",
    "order_effect": "Choose which effect comes first",
    "order_achievement": "Choose which Achievement to complete first",
}
"""The heading of a choice in the form."""


def is_to_move(context: TableContext) -> bool:
    """Return whether the reader has to move."""
    return context.seat is not None and context.match.status == "playing" and context.seat in context.view.to_move


def reader_hand(context: TableContext) -> Cards:
    """Return the reader's hand, Ingredients first as on the table."""
    hand = () if context.seat is None else visible_cards(context.view.seats[context.seat].hand)
    return tuple(sorted(hand, key=lambda card: (card in ACTIONS, card)))


def form_heading(context: TableContext) -> str:
    """Return the heading of the form, empty if the reader doesn't have to move."""
    view: View = context.view
    if not is_to_move(context):
        return ""
    asked = view.question(context.seat)
    if asked:
        return TITLES[asked.kind]
    if view.phase == "trim":
        return f"Trash {pluralize(view.to_trim, 'card')}"
    if view.stage == "acted":
        return (
            f"You can play {pluralize(view.plays_left, 'more card')}"
            if view.plays_left > 1
            else "You can play one more card"
        )
    return "Play a card, dive or pass"


def card_choices(context: TableContext) -> list[CardChoice]:
    """Return the cards in the hand with hints on what playing them would do."""
    if context.seat is None or not is_to_move(context) or context.view.phase not in ("main", "trim"):
        return []
    full = len(context.view.seats[context.seat].kitchen) == KITCHEN_SIZE
    return [
        CardChoice(card, card_name(card), play_hint(context.view, context.seat, card), card in ACTIONS or not full)
        for card in reader_hand(context)
    ]


# -- the dive and the Trash ---------------------------------------------------------------------------------------


def dive_obstacle(context: TableContext) -> str:
    """Return why the reader can't dive now, or an empty string."""
    view: View = context.view
    if view.acts_made:
        return "You can only dive as the first thing in your turn."
    if len(reader_hand(context)) < 2:
        return "You need two cards in your hand to dive."
    if not view.trash and not (view.options.dive_own and any(card in PANTRY_CARDS for card in reader_hand(context))):
        return "There is nothing in the Trash that you can take."
    return ""


def dive_takes(context: TableContext) -> list[CardGroup]:
    """Return the cards that a dive can take: those in the Trash, newest first, and those trashed for the dive."""
    view: View = context.view
    if not is_to_move(context) or view.phase != "main" or dive_obstacle(context):
        return []
    newest = list(reversed(view.trash))
    groups = [
        CardGroup("Salt", card_options(card for card in newest if matches_filter(card, "salt"))),
        CardGroup("Cards that Bake", card_options(filter(is_bake_card, newest))),
        CardGroup(
            "Ingredients",
            card_options(card for card in newest if matches_filter(card, "!salt") and not is_bake_card(card)),
        ),
        CardGroup("Actions", card_options(card for card in newest if card in ACTIONS and not is_bake_card(card))),
    ]
    if view.options.dive_own:
        own = (card for card in reader_hand(context) if card in PANTRY_CARDS)
        groups.append(CardGroup("One of the two you trash now", card_options(own)))
    return [group for group in groups if group.cards]


def card_options(cards: Iterable[int]) -> tuple[Option, ...]:
    """Return cards as options."""
    return tuple(Option(str(card), card_title(card), card=card) for card in cards)


def card_title(card: int) -> str:
    """Return the name of a card, with the printed worth of an Ingredient."""
    return f"{card_name(card)} ({format_number(INGREDIENTS[card].worth)})" if card in INGREDIENTS else card_name(card)


def is_bake_card(card: int) -> bool:
    """Return whether playing a card leads to a Bake."""
    face = CARDS[card]
    return any(call.name == "bake" for call in (face.do if isinstance(face, Action) else face.on_play))


def trash_list(context: TableContext) -> list[TrashCard]:
    """Return the whole Trash, newest first."""
    found = []
    for card in reversed(context.view.trash):
        filters = {"salt": matches_filter(card, "salt"), "bake": is_bake_card(card), "ingredient": card in INGREDIENTS}
        found.append(
            TrashCard(card_name(card), card, face_text(card), " ".join(key for key, yes in filters.items() if yes))
        )
    return found


def trim_count(context: TableContext) -> int:
    """Return how many cards the reader has to trash, or 0."""
    return context.view.to_trim if is_to_move(context) and context.view.phase == "trim" else 0


# -- questions ----------------------------------------------------------------------------------------------------


def open_question(context: TableContext) -> OpenQuestion | None:
    """Return the reader's open choice, or None."""
    view: View = context.view
    asked = view.question(context.seat) if is_to_move(context) else None
    if asked is None or isinstance(asked.options, UnsetType):
        return None
    title, by = TITLES[asked.kind], asking_card(view)
    numbers = [key_numbers(key) for key in asked.options]
    match asked.kind:
        case "swap":
            give = dict.fromkeys(mine for mine, _ in numbers)
            get = dict.fromkeys(theirs for _, theirs in numbers)
            return OpenQuestion(title, by, 1, give=kitchen_options(view, give), get=kitchen_options(view, get))
        case "give_ing":
            give, to = dict.fromkeys(card for card, _ in numbers), dict.fromkeys(seat for _, seat in numbers)
            seats = tuple(Option(str(seat), baker_name(seat), kitchen_note(view, seat)) for seat in to)
            return OpenQuestion(title, by, 1, give=kitchen_options(view, give), to=seats)
        case _:
            return OpenQuestion(
                title, by, asked.count, tuple(make_option(context, asked, key) for key in asked.options)
            )


def kitchen_note(view: View, seat: int) -> str:
    """Return how full a Kitchen is."""
    return f"{len(view.seats[seat].kitchen)} of {KITCHEN_SIZE} places taken"


def kitchen_options(view: View, cards: Iterable[int]) -> tuple[Option, ...]:
    """Return Ingredients in Kitchens as options, with their owners."""
    return tuple(Option(str(card), card_name(card), describe_location(view, card), card) for card in cards)


def describe_location(view: View, card: int) -> str:
    """Return whose Kitchen a card is in and its worth there, or the text of a card elsewhere."""
    for seat, seen in enumerate(view.seats):
        if card in seen.kitchen:
            return f"{baker_name(seat)}'s Kitchen, worth {format_number(seen.worths[seen.kitchen.index(card)])}"
    return face_text(card)


def make_option(context: TableContext, asked: SeenQuestion, key: str) -> Option:
    """Return an option with its title and note."""
    view: View = context.view
    numbers = key_numbers(key)
    match asked.kind:
        case "steal_card":
            seen = view.seats[numbers[0]]
            return Option(key, baker_name(numbers[0]), f"{pluralize(seen.hand_count, 'card')} in hand")
        case "pie":
            seat, place = numbers
            value = view.seats[seat].pies[place - 1].value
            return Option(key, f"{baker_name(seat)}'s Pie {place}", f"worth {format_number(value)} now")
        case "may_bake":
            text = ("Yes, Bake it", bake_hint(view, context.seat or 0)) if key == "yes" else ("No, not now", "")
            return Option(key, *text)
        case "order_achievement":
            return Option(key, card_name(numbers[0]), f"{condition_text(numbers[0])}: {reward_text(numbers[0])}")
        case "steal_ing" | "trash_ing" | "take_back":
            return Option(key, card_name(numbers[0]), describe_location(view, numbers[0]), numbers[0])
        case _:
            return Option(key, card_title(numbers[0]), face_text(numbers[0]), numbers[0])

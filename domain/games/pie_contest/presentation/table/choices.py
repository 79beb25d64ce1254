"""What the seat that owes a move may choose, with what each choice would do; all of it from what the seat sees."""

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
    """A card of the hand: what playing it would do, and why it cannot be played, if so."""

    card: int
    name: str
    hint: str
    playable: bool


class Option(msgspec.Struct, frozen=True):
    """One answer to a question. `card`, if it is about one, names the picture."""

    key: str
    title: str
    note: str = ""
    card: int = 0


class OpenQuestion(msgspec.Struct, frozen=True):
    """A question: its options, or the two halves of which every option is made."""

    title: str
    by: str
    count: int
    options: tuple[Option, ...] = ()
    give: tuple[Option, ...] = ()
    get: tuple[Option, ...] = ()
    to: tuple[Option, ...] = ()


class CardGroup(msgspec.Struct, frozen=True):
    """Cards of the Trash under a heading."""

    title: str
    cards: tuple[Option, ...]


class TrashCard(msgspec.Struct, frozen=True):
    """A card of the Trash, with the filters that it passes."""

    name: str
    card: int
    text: str
    filters: str


TITLES: dict[Kind, str] = {
    "swap": "Swap an Ingredient: which for which?",
    "steal_ing": "Steal which Ingredient?",
    "trash_ing": "Trash which Ingredient?",
    "salvage": "Take which card out of the Trash?",
    "stock": "Put which Ingredient of the Trash into your Kitchen?",
    "take_back": "Take which Ingredient back to your hand?",
    "search_keep": "Keep which card?",
    "trash_hand": "Trash what?",
    "pass_hand": "Pass which card to the left?",
    "steal_card": "Steal from whom?",
    "give_ing": "Give what to whom?",
    "pie": "Which Pie?",
    "may_bake": "Bake your Kitchen now?",
    "order_effect": "Which effect comes first?",
    "order_achievement": "Which Achievement comes first?",
}
"""A question as its seat is asked it."""


def is_to_move(context: TableContext) -> bool:
    """Whether the reader is to move."""
    return context.seat is not None and context.match.status == "playing" and context.seat in context.view.to_move


def reader_hand(context: TableContext) -> Cards:
    """The reader's hand, Ingredients first as on the table."""
    hand = () if context.seat is None else visible_cards(context.view.seats[context.seat].hand)
    return tuple(sorted(hand, key=lambda card: (card in ACTIONS, card)))


def form_heading(context: TableContext) -> str:
    """What to do now."""
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
            f"You may play {pluralize(view.plays_left, 'more card')}"
            if view.plays_left > 1
            else "You may play one more"
        )
    return "Play a card, dive, or pass"


def card_choices(context: TableContext) -> list[CardChoice]:
    """The cards of the hand with what playing them would do."""
    if context.seat is None or not is_to_move(context) or context.view.phase not in ("main", "trim"):
        return []
    full = len(context.view.seats[context.seat].kitchen) == KITCHEN_SIZE
    return [
        CardChoice(card, card_name(card), play_hint(context.view, context.seat, card), card in ACTIONS or not full)
        for card in reader_hand(context)
    ]


# -- the dive and the Trash ---------------------------------------------------------------------------------------


def dive_obstacle(context: TableContext) -> str:
    """Why the reader cannot dive now, or nothing if it can."""
    view: View = context.view
    if view.acts_made:
        return "A dive can only be the first thing of a turn."
    if len(reader_hand(context)) < 2:
        return "A dive is paid with two cards of your hand."
    if not view.trash and not (view.options.dive_own and any(card in PANTRY_CARDS for card in reader_hand(context))):
        return "There is nothing in the Trash that you could take."
    return ""


def dive_takes(context: TableContext) -> list[CardGroup]:
    """The cards that a dive can take: those of the Trash, newest first, and either of the two that pay for it."""
    view: View = context.view
    if not is_to_move(context) or view.phase != "main" or dive_obstacle(context):
        return []
    newest = list(reversed(view.trash))
    heaps = [
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
        heaps.append(CardGroup("One of the two that you trash now", card_options(own)))
    return [heap for heap in heaps if heap.cards]


def card_options(cards: Iterable[int]) -> tuple[Option, ...]:
    """Cards as options."""
    return tuple(Option(str(card), card_title(card), card=card) for card in cards)


def card_title(card: int) -> str:
    """A card's name, with the worth that is printed on an Ingredient."""
    return f"{card_name(card)} ({format_number(INGREDIENTS[card].worth)})" if card in INGREDIENTS else card_name(card)


def is_bake_card(card: int) -> bool:
    """Whether a card tells one to Bake."""
    face = CARDS[card]
    return any(call.name == "bake" for call in (face.do if isinstance(face, Action) else face.on_play))


def trash_list(context: TableContext) -> list[TrashCard]:
    """The whole Trash, newest first."""
    found = []
    for card in reversed(context.view.trash):
        filters = {"salt": matches_filter(card, "salt"), "bake": is_bake_card(card), "ingredient": card in INGREDIENTS}
        found.append(
            TrashCard(card_name(card), card, face_text(card), " ".join(key for key, yes in filters.items() if yes))
        )
    return found


def trim_count(context: TableContext) -> int:
    """How many cards the reader has to trash, 0 if none."""
    return context.view.to_trim if is_to_move(context) and context.view.phase == "trim" else 0


# -- questions ----------------------------------------------------------------------------------------------------


def open_question(context: TableContext) -> OpenQuestion | None:
    """The question that is open to the reader."""
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
    """How full a Kitchen is."""
    return f"{len(view.seats[seat].kitchen)} of {KITCHEN_SIZE} places taken"


def kitchen_options(view: View, cards: Iterable[int]) -> tuple[Option, ...]:
    """Ingredients in Kitchens, with whose they are."""
    return tuple(Option(str(card), card_name(card), describe_location(view, card), card) for card in cards)


def describe_location(view: View, card: int) -> str:
    """Whose Kitchen a card lies in, and what it is worth there."""
    for seat, seen in enumerate(view.seats):
        if card in seen.kitchen:
            return f"{baker_name(seat)}'s, worth {format_number(seen.worths[seen.kitchen.index(card)])} there"
    return face_text(card)


def make_option(context: TableContext, asked: SeenQuestion, key: str) -> Option:
    """One option in words."""
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
            words = ("Yes, Bake it", bake_hint(view, context.seat or 0)) if key == "yes" else ("No, not now", "")
            return Option(key, *words)
        case "order_achievement":
            return Option(key, card_name(numbers[0]), f"{condition_text(numbers[0])}: {reward_text(numbers[0])}")
        case "steal_ing" | "trash_ing" | "take_back":
            return Option(key, card_name(numbers[0]), describe_location(view, numbers[0]), numbers[0])
        case _:
            return Option(key, card_title(numbers[0]), face_text(numbers[0]), numbers[0])

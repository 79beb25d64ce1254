"""What the seat that owes a move may choose, with what each choice would do; all of it from what the seat sees."""

from collections.abc import Iterable

import msgspec
from msgspec import UnsetType

from domain.games.pie_contest.presentation.card_text import condition_text, face_text, many, name, reward_text
from domain.games.pie_contest.presentation.drawing import asking
from domain.games.pie_contest.presentation.hints import bake_hint, hint
from domain.games.pie_contest.presentation.narration import baker, number
from domain.games.pie_contest.rules.card_language import KITCHEN_SIZE
from domain.games.pie_contest.rules.components import ACTIONS, INGREDIENTS, PANTRY_CARDS, Action, matches
from domain.games.pie_contest.rules.components import FACES as CARDS
from domain.games.pie_contest.rules.model import Cards, Kind, SeenQuestion, View, shown
from domain.games.pie_contest.rules.steps import numbers_of
from domain.kernel.table import Sight


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


class Asked(msgspec.Struct, frozen=True):
    """A question: its options, or the two halves of which every option is made."""

    title: str
    by: str
    count: int
    options: tuple[Option, ...] = ()
    give: tuple[Option, ...] = ()
    get: tuple[Option, ...] = ()
    to: tuple[Option, ...] = ()


class Heap(msgspec.Struct, frozen=True):
    """Cards of the Trash under a heading."""

    title: str
    cards: tuple[Option, ...]


class InTrash(msgspec.Struct, frozen=True):
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


def owes(sight: Sight) -> bool:
    """Whether the reader is to move."""
    return sight.seat is not None and sight.match.status == "playing" and sight.seat in sight.view.to_move


def hand_of(sight: Sight) -> Cards:
    """The reader's hand, Ingredients first as on the table."""
    hand = () if sight.seat is None else shown(sight.view.seats[sight.seat].hand)
    return tuple(sorted(hand, key=lambda card: (card in ACTIONS, card)))


def heading(sight: Sight) -> str:
    """What to do now."""
    view: View = sight.view
    if not owes(sight):
        return ""
    asked = view.question(sight.seat)
    if asked:
        return TITLES[asked.kind]
    if view.phase == "trim":
        return f"Trash {many(view.to_trim, 'card')}"
    if view.stage == "acted":
        return f"You may play {many(view.plays_left, 'more card')}" if view.plays_left > 1 else "You may play one more"
    return "Play a card, dive, or pass"


def card_choices(sight: Sight) -> list[CardChoice]:
    """The cards of the hand with what playing them would do."""
    if sight.seat is None or not owes(sight) or sight.view.phase not in ("main", "trim"):
        return []
    full = len(sight.view.seats[sight.seat].kitchen) == KITCHEN_SIZE
    return [
        CardChoice(card, name(card), hint(sight.view, sight.seat, card), card in ACTIONS or not full)
        for card in hand_of(sight)
    ]


# -- the dive and the Trash ---------------------------------------------------------------------------------------


def may_dive(sight: Sight) -> str:
    """Why the reader cannot dive now, or nothing if it can."""
    view: View = sight.view
    if view.acts_made:
        return "A dive can only be the first thing of a turn."
    if len(hand_of(sight)) < 2:
        return "A dive is paid with two cards of your hand."
    if not view.trash and not (view.options.dive_own and any(card in PANTRY_CARDS for card in hand_of(sight))):
        return "There is nothing in the Trash that you could take."
    return ""


def takes(sight: Sight) -> list[Heap]:
    """The cards that a dive can take: those of the Trash, newest first, and either of the two that pay for it."""
    view: View = sight.view
    if not owes(sight) or view.phase != "main" or may_dive(sight):
        return []
    newest = list(reversed(view.trash))
    heaps = [
        Heap("Salt", options(card for card in newest if matches(card, "salt"))),
        Heap("Cards that Bake", options(filter(bakes, newest))),
        Heap("Ingredients", options(card for card in newest if matches(card, "!salt") and not bakes(card))),
        Heap("Actions", options(card for card in newest if card in ACTIONS and not bakes(card))),
    ]
    if view.options.dive_own:
        own = (card for card in hand_of(sight) if card in PANTRY_CARDS)
        heaps.append(Heap("One of the two that you trash now", options(own)))
    return [heap for heap in heaps if heap.cards]


def options(cards: Iterable[int]) -> tuple[Option, ...]:
    """Cards as options."""
    return tuple(Option(str(card), titled(card), card=card) for card in cards)


def titled(card: int) -> str:
    """A card's name, with the worth that is printed on an Ingredient."""
    return f"{name(card)} ({number(INGREDIENTS[card].worth)})" if card in INGREDIENTS else name(card)


def bakes(card: int) -> bool:
    """Whether a card tells one to Bake."""
    face = CARDS[card]
    return any(call.name == "bake" for call in (face.do if isinstance(face, Action) else face.on_play))


def trash_list(sight: Sight) -> list[InTrash]:
    """The whole Trash, newest first."""
    found = []
    for card in reversed(sight.view.trash):
        filters = {"salt": matches(card, "salt"), "bake": bakes(card), "ingredient": card in INGREDIENTS}
        found.append(InTrash(name(card), card, face_text(card), " ".join(key for key, yes in filters.items() if yes)))
    return found


def trim_count(sight: Sight) -> int:
    """How many cards the reader has to trash, 0 if none."""
    return sight.view.to_trim if owes(sight) and sight.view.phase == "trim" else 0


# -- questions ----------------------------------------------------------------------------------------------------


def question(sight: Sight) -> Asked | None:
    """The question that is open to the reader."""
    view: View = sight.view
    asked = view.question(sight.seat) if owes(sight) else None
    if asked is None or isinstance(asked.options, UnsetType):
        return None
    title, by = TITLES[asked.kind], asking(view)
    numbers = [numbers_of(key) for key in asked.options]
    match asked.kind:
        case "swap":
            give = dict.fromkeys(mine for mine, _ in numbers)
            get = dict.fromkeys(theirs for _, theirs in numbers)
            return Asked(title, by, 1, give=kitchen_options(view, give), get=kitchen_options(view, get))
        case "give_ing":
            give, to = dict.fromkeys(card for card, _ in numbers), dict.fromkeys(seat for _, seat in numbers)
            seats = tuple(Option(str(seat), baker(seat), kitchen_note(view, seat)) for seat in to)
            return Asked(title, by, 1, give=kitchen_options(view, give), to=seats)
        case _:
            return Asked(title, by, asked.count, tuple(option(sight, asked, key) for key in asked.options))


def kitchen_note(view: View, seat: int) -> str:
    """How full a Kitchen is."""
    return f"{len(view.seats[seat].kitchen)} of {KITCHEN_SIZE} places taken"


def kitchen_options(view: View, cards: Iterable[int]) -> tuple[Option, ...]:
    """Ingredients in Kitchens, with whose they are."""
    return tuple(Option(str(card), name(card), where(view, card), card) for card in cards)


def where(view: View, card: int) -> str:
    """Whose Kitchen a card lies in, and what it is worth there."""
    for seat, seen in enumerate(view.seats):
        if card in seen.kitchen:
            return f"{baker(seat)}'s, worth {number(seen.worths[seen.kitchen.index(card)])} there"
    return face_text(card)


def option(sight: Sight, asked: SeenQuestion, key: str) -> Option:
    """One option in words."""
    view: View = sight.view
    numbers = numbers_of(key)
    match asked.kind:
        case "steal_card":
            seen = view.seats[numbers[0]]
            return Option(key, baker(numbers[0]), f"{many(seen.hand_count, 'card')} in hand")
        case "pie":
            seat, place = numbers
            value = view.seats[seat].pies[place - 1].value
            return Option(key, f"{baker(seat)}'s Pie {place}", f"worth {number(value)} now")
        case "may_bake":
            words = ("Yes, Bake it", bake_hint(view, sight.seat or 0)) if key == "yes" else ("No, not now", "")
            return Option(key, *words)
        case "order_achievement":
            return Option(key, name(numbers[0]), f"{condition_text(numbers[0])}: {reward_text(numbers[0])}")
        case "steal_ing" | "trash_ing" | "take_back":
            return Option(key, name(numbers[0]), where(view, numbers[0]), numbers[0])
        case _:
            return Option(key, titled(numbers[0]), face_text(numbers[0]), numbers[0])

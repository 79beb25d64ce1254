"""Card texts (rules, 12.5), generated from the card data so that text and effect always agree."""

from collections.abc import Callable, Iterable, Iterator

from domain.games.pie_contest.rules.card_language import Arg, Call
from domain.games.pie_contest.rules.components import ACHIEVEMENTS, FACES, NAMES, Action, Ingredient
from domain.kernel.text import capital, pluralize

TextOfArgs = Callable[[tuple[Arg, ...]], str]
NO_ABILITY = "No ability"


def card_name(card: int) -> str:
    """Return the name of a card."""
    return NAMES.get(card, f"card {card}")


def format_signed(number: Arg) -> str:
    """Return a number with its sign."""
    return f"+{number}" if int(number) >= 0 else f"−{-int(number)}"


def describe_filter(filter_name: Arg) -> str:
    """Return a filter as a noun for card texts."""
    word = str(filter_name)
    if word in ("any", "ingredient"):
        return "Ingredient"
    return f"anything but {word[1:]}" if word.startswith("!") else word


def describe_one(filter_name: Arg) -> str:
    """Return a filter as a phrase for a single card."""
    words = {"any": "Ingredient", "action": "Action", "ingredient": "Ingredient", "salt": "Salt"}
    noun = words.get(str(filter_name), str(filter_name))
    return f"{'an' if noun[0] in 'AEIOaeio' else 'a'} {noun}"


def filter_prefix(filter_name: Arg) -> str:
    """Return a filter in parentheses, to follow the word Ingredient. Empty for `any`."""
    return "" if describe_filter(filter_name) == "Ingredient" else f" ({describe_filter(filter_name)})"


TERM_TEXTS: dict[str, TextOfArgs] = {
    "per": lambda args: f"{format_signed(args[1])} for each other {describe_filter(args[0])} here",
    "if_any": lambda args: f"{format_signed(args[1])} with {describe_filter(args[0])} here",
    "if_none": lambda args: f"{format_signed(args[1])} without {describe_filter(args[0])}",
    "if_size": lambda args: f"{format_signed(args[1])} in a Kitchen of {args[0]} or more",
    "per_flavour": lambda args: f"{format_signed(args[0])} per different flavour here",
    "each": lambda args: f"each other {describe_filter(args[0])} here {format_signed(args[1])}",
}
BAKES = {"self": "Bake a Pie", "may": "You may Bake a Pie", "all": "Everyone Bakes a Pie, starting with you"}
WHOSE_PIE = {"self": "A Pie of yours", "other": "Another baker's Pie", "all_others": "All rivals' Pies"}
OP_TEXTS: dict[str, TextOfArgs] = {
    "draw": lambda args: f"Draw {args[1]}",
    "bake": lambda args: BAKES[str(args[0])],
    "extra_play": lambda args: f"Play {args[0]} more {'card' if args[0] == 1 else 'cards'}",
    "swap": lambda args: "Swap an Ingredient",
    "steal_ing": lambda args: f"Steal an Ingredient{filter_prefix(args[0])}",
    "trash_ing": lambda args: (
        f"Trash an Ingredient in {'your' if args[0] == 'self' else 'another'} Kitchen{filter_prefix(args[1])}"
    ),
    "give_ing": lambda args: f"Give away an Ingredient{filter_prefix(args[0])}",
    "take_back": lambda args: f"Take an Ingredient back to hand{filter_prefix(args[0])}",
    "salvage": lambda args: f"Take {describe_one(args[0])} from the Trash to hand",
    "stock": lambda args: f"Put {describe_one(args[0])} from the Trash into your Kitchen",
    "forage": lambda args: "Turn up the top card: an Ingredient goes into your Kitchen",
    "search": lambda args: f"Look at {args[0]}, keep one",
    "steal_card": lambda args: f"Steal {pluralize(int(args[0]), 'random card')} from a hand",
    "trash_hand": lambda args: f"Everyone else trashes {pluralize(int(args[1]), 'card')}",
    "pass_hand": lambda args: "Everyone passes a card to the left",
    "pie": lambda args: f"{WHOSE_PIE[str(args[0])]}: {format_signed(args[1])}",
    "new_row": lambda args: "New Achievements",
}
CONDITION_TEXTS: dict[str, TextOfArgs] = {
    "kitchen": lambda args: (
        f"{args[1]} {describe_filter(args[0])}{'s' if filter_prefix(args[0]) == '' else ''} in your Kitchen"
    ),
    "flavours": lambda args: f"{args[0]} different flavours in your Kitchen",
    "worth_min": lambda args: f"A Kitchen worth {args[0]} or more",
    "worth_max": lambda args: f"A Kitchen of 2 or more, worth {args[0]} or less",
    "hand_min": lambda args: f"{args[0]} or more cards in hand",
    "hand_max": lambda args: f"{args[0]} or fewer cards in hand",
    "pies": lambda args: f"{pluralize(int(args[0]), 'Pie')} baked",
    "pie_max": lambda args: f"A Pie of yours worth {args[0]} or less",
    "clean": lambda args: "An empty Kitchen and a Pie",
    "bake_min": lambda args: f"Bake a Pie worth {args[0]} or more",
    "bake_max": lambda args: f"Bake a Pie worth {args[0]} or less",
    "bake_size": lambda args: f"Bake a Pie of exactly {args[0]} Ingredients",
    "bake_with": lambda args: f"Bake a Pie with {args[1]} {describe_filter(args[0])}",
    "bake_flavours": lambda args: f"Bake a Pie with {args[0]} different flavours",
    "dive": lambda args: f"Dive for {describe_one(args[0])}",
    "steals": lambda args: f"Steal {'something' if args[0] == 1 else pluralize(int(args[0]), 'time')}",
    "swaps": lambda args: f"Swap {'Ingredients' if args[0] == 1 else pluralize(int(args[0]), 'time')}",
    "raids": lambda args: (
        "Trash a rival's Ingredient" if args[0] == 1 else f"Trash rivals' Ingredients {pluralize(int(args[0]), 'time')}"
    ),
    "plays": lambda args: f"Play {pluralize(int(args[0]), 'card')} in one turn",
}


def steps_text(steps: Iterable[Call]) -> str:
    """Return the texts of steps, in order."""
    return "; ".join(OP_TEXTS[call.name](call.args) for call in steps)


def ability_lines(face: Ingredient) -> Iterator[str]:
    """Yield the ability texts of an Ingredient."""
    yield from (capital(TERM_TEXTS[call.name](call.args)) for call in face.always)
    yield from (f"When Baked: {TERM_TEXTS[call.name](call.args)}" for call in face.baked)
    if face.on_play:
        yield f"When played: {steps_text(face.on_play)}"
    if face.on_bake:
        yield f"When Baked: {steps_text(face.on_bake)}"
    if face.guard:
        yield "Others cannot touch this"
    if face.fresh:
        yield f"Your Pies go stale by {face.fresh} less"


def flavour_text(face: Ingredient) -> str:
    """Return flavour and subflavour."""
    return f"{face.flavour} / {face.sub}" if face.sub else face.flavour


def face_text(card: int) -> str:
    """Return the text of an Ingredient or an Action."""
    face = FACES[card]
    if isinstance(face, Action):
        return steps_text(face.do)
    return ". ".join(ability_lines(face)) or NO_ABILITY


def condition_text(card: int) -> str:
    """Return the condition of an Achievement."""
    condition = ACHIEVEMENTS[card].condition
    return CONDITION_TEXTS[condition.name](condition.args)


def reward_text(card: int) -> str:
    """Return the reward of an Achievement."""
    achievement = ACHIEVEMENTS[card]
    match achievement.becomes:
        case None:
            return steps_text(achievement.reward)
        case Ingredient() as face:
            return f"Becomes an Ingredient: {flavour_text(face)}, worth {face.worth}"
        case Action(do=do):
            return f"Becomes an Action: {steps_text(do)}"

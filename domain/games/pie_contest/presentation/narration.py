"""Narration of the log (rules, section 13): sentences for the facts, with hidden cards left unnamed."""

from collections.abc import Iterable, Iterator, Sequence

from domain.games.pie_contest.presentation.card_text import card_name, reward_text
from domain.games.pie_contest.rules.components import FACES, INGREDIENTS, Action
from domain.games.pie_contest.rules.facts import (
    AchievementCompleted,
    AchievementRevealed,
    AchievementTurned,
    ActionPlayed,
    BakeDeclined,
    BakeFailed,
    CardDrawn,
    CardForaged,
    CardLookedAt,
    CardSalvaged,
    CardStolen,
    CardsTrashed,
    ChoiceAsked,
    ChoiceMade,
    DrawMissed,
    DumpsterDived,
    ExtraPlayGranted,
    Fact,
    FirstSeatChosen,
    GameEnded,
    GameStarted,
    HandsPassed,
    HandTrimmed,
    IngredientGiven,
    IngredientPlayed,
    IngredientsSwapped,
    IngredientStocked,
    IngredientStolen,
    IngredientTakenBack,
    IngredientTrashed,
    PantryRestocked,
    PieBaked,
    PiesChanged,
    PiesStaled,
    PositionSet,
    RowCleared,
    SearchFinished,
    SeatResigned,
    StepFizzled,
    StepStarted,
    TrimDue,
    TurnPassed,
)
from domain.games.pie_contest.rules.parts import BAKERS, HandMove, Kind, PieChange, Reason, SeatScore, known_card
from domain.kernel.game import Seat
from domain.kernel.text import join_and, pluralize

QUESTION_TEXTS: dict[Kind, str] = {
    "swap": "which Ingredients to swap",
    "steal_ing": "which Ingredient to steal",
    "trash_ing": "which Ingredient to trash",
    "salvage": "a card from the Trash",
    "stock": "an Ingredient from the Trash",
    "take_back": "which Ingredient to take back",
    "search_keep": "which card to keep",
    "trash_hand": "what to trash",
    "pass_hand": "a card to pass to the left",
    "steal_card": "a baker to steal from",
    "give_ing": "an Ingredient to give away",
    "pie": "a Pie",
    "may_bake": "whether to Bake",
    "order_effect": "which effect comes first",
    "order_achievement": "which Achievement to complete first",
}
"""Descriptions of choices by kind, to follow 'has to choose'."""
FIZZLE_REASONS = {
    "no_target": "there is nothing to use it on",
    "kitchen_full": "the Kitchen is full",
    "not_your_turn": "extra plays don't carry over to another turn",
    "limit": "no turn can have more than five extra plays",
    "pantry_empty": "the Pantry and the Trash are empty",
}
FAILURES = {
    "too_few": "a Pie needs at least three Ingredients",
    "no_salt": "there is no Salt in the Kitchen",
    "too_much_salt": "there is more than one Salt in the Kitchen",
}
END_SENTENCES: dict[Reason, str] = {
    "all_baked": "Everyone has baked: the contest is over.",
    "third_pie": "Someone has baked a third Pie: the contest is over.",
    "all_have_four": "Everyone has baked four Pies: the Grand Contest is over.",
    "last_seat": "Only one baker is left: the contest is over.",
    "closing_time": "Closing time: the contest is over.",
}


def tell(facts: Sequence[Fact]) -> list[str]:
    """Return the sentences for the facts of one event. Turns, steps and internal facts have none."""
    return [line for n in range(len(facts)) for line in tell_fact(facts, n)]


def tell_fact(facts: Sequence[Fact], n: int) -> Iterator[str]:
    """Yield the sentences for fact n, which may cover the facts after it."""
    match facts[n]:
        case GameStarted() | FirstSeatChosen() | PositionSet() | GameEnded() | SeatResigned():
            yield from tell_frame(facts[n])
        case CardDrawn(seat=seat) as fact:
            if not continues_draw(facts, n):
                yield tell_draws(seat, [fact, *draws_in_a_row(facts, n)])
        case AchievementRevealed() as fact:
            if not (n and isinstance(facts[n - 1], AchievementRevealed)):
                yield tell_revealed([fact, *leading_reveals(facts, n)])
        case StepFizzled(seat, _, why):
            yield f"{baker_name(seat)}: {last_effect(facts, n)} has no effect because {FIZZLE_REASONS[why]}."
        case CardLookedAt(seat) as fact:
            if not continues_look(facts, n):
                yield tell_looks(seat, [fact, *looks_after(facts, n)])
        case PieBaked() | PiesStaled() | PiesChanged() | BakeFailed() | BakeDeclined() as fact:
            yield from tell_pies(fact)
        case fact:
            yield from tell_cards(fact)
            yield from tell_turn(fact)


# -- beginning and end --------------------------------------------------------------------------------------------


def tell_frame(fact: Fact) -> Iterator[str]:
    """Narrate set-up, resignations and the end."""
    match fact:
        case GameStarted(seats):
            yield f"{seats} bakers enter the contest. Each is dealt five cards."
        case FirstSeatChosen(seat):
            yield f"{baker_name(seat)} goes first."
        case PositionSet():
            yield f"The contest starts from a custom position. It is {baker_name(fact.active)}'s turn."
        case SeatResigned(seat, hand, kitchen, aside):
            held = [*hand, *kitchen, *aside]
            yield f"{baker_name(seat)} resigns{f' and trashes {card_names(held)}' if held else ''}."
        case GameEnded(why, scores, winners):
            yield f"{END_SENTENCES[why]} {describe_winner(scores, winners)}"
        case _:
            pass


def describe_winner(scores: Sequence[SeatScore], winners: Sequence[Seat]) -> str:
    """Return who won, and with what score."""
    if not winners:
        return "Nobody has a Pie, so nobody wins."
    won = {entry.seat: entry.score for entry in scores}[winners[0]]
    with_what = "without a Pie" if won is None else f"with {format_number(won)}"
    if len(winners) == 1:
        return f"{baker_name(winners[0])} wins {with_what}."
    return f"{join_and(map(baker_name, winners))} share the victory {with_what} each."


# -- turns --------------------------------------------------------------------------------------------------------


def tell_turn(fact: Fact) -> Iterator[str]:  # noqa: PLR0912 -- one case per fact
    """Narrate plays, dives, choices, trimming and Achievements."""
    match fact:
        case IngredientPlayed(seat, card):
            yield f"{baker_name(seat)} plays {card_name(card)} ({format_number(INGREDIENTS[card].worth)})."
        case ActionPlayed(seat, card):
            yield f"{baker_name(seat)} plays {card_name(card)}."
        case DumpsterDived(seat, trashed, taken):
            yield f"{baker_name(seat)} dives, trashing {card_names(trashed)}, and takes {card_name(taken)}."
        case TurnPassed(seat):
            yield f"{baker_name(seat)} passes."
        case TrimDue(seat, count):
            yield f"{baker_name(seat)} must trash {pluralize(count, 'card')} to get down to seven."
        case HandTrimmed(seat, trimmed):
            yield f"{baker_name(seat)} trashes {card_names(trimmed)} to get down to seven cards."
        case ChoiceAsked():
            yield f"{baker_name(fact.seat)} has to choose {QUESTION_TEXTS[fact.kind]}."
        case ChoiceMade() if fact.commit:
            yield f"{baker_name(fact.seat)} chooses a card to pass on."
        case ExtraPlayGranted(seat, count):
            yield f"{baker_name(seat)} can play {count} more {'card' if count == 1 else 'cards'}."
        case AchievementCompleted(seat, card):
            yield f"{baker_name(seat)} completes {card_name(card)} ({reward_text(card)})."
        case AchievementTurned(seat, card, to):
            yield tell_turned(seat, card, to)
        case RowCleared():
            yield "The row of Achievements is cleared."
        case _:
            pass


def tell_turned(seat: Seat, card: int, to: str) -> str:
    """Return the sentence for an Achievement that turns into another card."""
    if to == "pile":
        return (
            f"{baker_name(seat)}'s Kitchen has no room for {card_name(card)}, which goes back to the Achievement pile."
        )
    what = "an Action" if isinstance(FACES[card], Action) else "an Ingredient"
    return f"{card_name(card)} becomes {what} in {baker_name(seat)}'s {'Kitchen' if to == 'kitchen' else 'hand'}."


# -- moving cards -------------------------------------------------------------------------------------------------


def tell_cards(fact: Fact) -> Iterator[str]:  # noqa: PLR0912 -- one case per fact
    """Narrate cards that move."""
    match fact:
        case DrawMissed(seat):
            yield f"There is no card left for {baker_name(seat)} to draw."
        case PantryRestocked():
            yield f"The Trash is shuffled into the Pantry ({pluralize(fact.count, 'card')})."
        case IngredientsSwapped(seat, other, gave, got):
            yield f"{baker_name(seat)} swaps {card_name(gave)} for {baker_name(other)}'s {card_name(got)}."
        case IngredientStolen(seat, owner, card):
            yield f"{baker_name(seat)} steals {baker_name(owner)}'s {card_name(card)}."
        case IngredientTrashed(seat, owner, card):
            whose = f"{baker_name(owner)}'s " if owner != seat else ""
            yield f"{baker_name(seat)} trashes {whose}{card_name(card)}."
        case IngredientGiven(seat, to, card):
            yield f"{baker_name(seat)} gives {card_name(card)} to {baker_name(to)}."
        case IngredientTakenBack(seat, card, to):
            where = "" if to == "hand" else ", which goes back to the Achievement pile"
            yield f"{baker_name(seat)} takes back {card_name(card)} from the Kitchen{where}."
        case IngredientStocked(seat, card):
            yield f"{baker_name(seat)} moves {card_name(card)} from the Trash to the Kitchen."
        case CardSalvaged(seat, card):
            yield f"{baker_name(seat)} takes {card_name(card)} from the Trash."
        case CardForaged(seat, card, to):
            yield f"{baker_name(seat)} turns up {card_name(card)}, which goes to the {to.capitalize()}."
        case SearchFinished():
            kept = card_names(known_card(fact.kept)) if known_card(fact.kept) else "one card"
            rest = f" and trashes {card_names(fact.trashed)}" if fact.trashed else ""
            yield f"{baker_name(fact.seat)} keeps {kept}{rest}."
        case CardStolen():
            yield tell_stolen(fact)
        case CardsTrashed(seat, trashed):
            yield f"{baker_name(seat)} trashes {card_names(trashed)}."
        case HandsPassed(moves):
            yield f"Cards move to the left: {', '.join(map(tell_passed, moves))}."
        case _:
            pass


def tell_stolen(fact: CardStolen) -> str:
    """Return the sentence for a card stolen from a hand."""
    what = card_names(known_card(fact.card)) if known_card(fact.card) else "a card"
    if fact.to == "pile":
        hand = f"{baker_name(fact.owner)}'s hand"
        return f"{baker_name(fact.seat)} takes {what} from {hand}, but it goes back to the Achievement pile."
    return f"{baker_name(fact.seat)} steals {what} from {baker_name(fact.owner)}'s hand."


def tell_passed(move: HandMove) -> str:
    """Return the clause for one card passed in Potluck."""
    what = card_names(known_card(move.card)) if known_card(move.card) else "a card"
    where = " (but it goes back to the Achievement pile)" if move.zone == "pile" else ""
    return f"{baker_name(move.from_)} passes {what} to {baker_name(move.to)}{where}"


def tell_draws(seat: Seat, drawn: Sequence[CardDrawn]) -> str:
    """Return the sentence for cards drawn one after another."""
    shown = [card for fact in drawn for card in known_card(fact.card)]
    cards = card_names(shown) if shown else "a card" if len(drawn) == 1 else f"{len(drawn)} cards"
    return f"{baker_name(seat)} draws {cards}."


def continues_draw(facts: Sequence[Fact], n: int) -> bool:
    """Return whether a draw continues another for the same reason, with at most a restock in between."""
    earlier = next((facts[i] for i in range(n - 1, -1, -1) if not isinstance(facts[i], PantryRestocked)), None)
    return earlier is not None and same_draw(earlier, facts[n])


def draws_in_a_row(facts: Sequence[Fact], n: int) -> Iterator[CardDrawn]:
    """Yield the draws that continue this one."""
    for i in range(n + 1, len(facts)):
        fact = facts[i]
        if isinstance(fact, CardDrawn) and same_draw(fact, facts[n]):
            yield fact
        elif not isinstance(fact, PantryRestocked):
            return


def same_draw(fact: Fact, other: Fact) -> bool:
    """Return whether both facts are draws by the same seat for the same reason."""
    if not isinstance(fact, CardDrawn) or not isinstance(other, CardDrawn):
        return False
    return (fact.seat, fact.why) == (other.seat, other.why)


def continues_look(facts: Sequence[Fact], n: int) -> bool:
    """Return whether this look continues another, with at most a restock in between."""
    earlier = next((facts[i] for i in range(n - 1, -1, -1) if not isinstance(facts[i], PantryRestocked)), None)
    return isinstance(earlier, CardLookedAt)


def looks_after(facts: Sequence[Fact], n: int) -> Iterator[CardLookedAt]:
    """Yield the looks that continue this one."""
    for i in range(n + 1, len(facts)):
        fact = facts[i]
        if isinstance(fact, CardLookedAt):
            yield fact
        elif not isinstance(fact, PantryRestocked):
            return


def tell_looks(seat: Seat, looked: Sequence[CardLookedAt]) -> str:
    """Return the sentence for cards looked at one after another."""
    shown = [card for fact in looked for card in known_card(fact.card)]
    top = f"the top {pluralize(len(looked), 'card')}" if len(looked) > 1 else "the top card"
    return f"{baker_name(seat)} looks at {card_names(shown) if shown else f'{top} of the Pantry'}."


def leading_reveals(facts: Sequence[Fact], n: int) -> Iterator[AchievementRevealed]:
    """Yield the Achievements revealed immediately after fact n."""
    for i in range(n + 1, len(facts)):
        fact = facts[i]
        if not isinstance(fact, AchievementRevealed):
            return
        yield fact


def tell_revealed(facts: Sequence[AchievementRevealed]) -> str:
    """Return the sentence for newly revealed Achievements."""
    if len(facts) == 1:
        return f"New Achievement: {card_name(facts[0].card)}."
    return f"New Achievements: {join_and(card_name(fact.card) for fact in facts)}."


def last_effect(facts: Sequence[Fact], n: int) -> str:
    """Return the name of the card whose step started last before fact n."""
    earlier = (facts[i] for i in range(n - 1, -1, -1))
    return next((card_name(fact.src) for fact in earlier if isinstance(fact, StepStarted)), "an effect")


# -- Pies ---------------------------------------------------------------------------------------------------------


def tell_pies(fact: Fact) -> Iterator[str]:
    """Narrate Bakes and changes of Pies."""
    match fact:
        case PieBaked(seat, pie, baked, worths, total):
            made_of = ", ".join(
                f"{card_name(card)} {format_number(worth)}" for card, worth in zip(baked, worths, strict=True)
            )
            yield f"{baker_name(seat)} bakes Pie {pie}: {format_number(total)} ({made_of})."
        case PiesStaled(_, changes):
            yield f"Stale: {', '.join(map(describe_pie_change, changes))}."
        case PiesChanged(_, src, changes):
            yield f"{card_name(src)}: {', '.join(map(describe_pie_change, changes))}."
        case BakeFailed(seat, why):
            yield f"{baker_name(seat)} can't Bake: {FAILURES[why]}."
        case BakeDeclined(seat):
            yield f"{baker_name(seat)} chooses not to Bake."
        case _:
            pass


def describe_pie_change(change: PieChange) -> str:
    """Return a Pie with its value before and after a change."""
    return f"{baker_name(change.seat)}'s Pie {change.pie} {format_number(change.from_)}→{format_number(change.to)}"


# -- names --------------------------------------------------------------------------------------------------------


def baker_name(seat: Seat) -> str:
    """Return the name of a seat."""
    return BAKERS[seat]


def card_names(ids: Iterable[int]) -> str:
    """Return the names of cards, or `nothing` if there are none."""
    return join_and(map(card_name, ids)) or "nothing"


def format_number(value: int) -> str:
    """Return a number with a typographic minus sign."""
    return str(value).replace("-", "−")

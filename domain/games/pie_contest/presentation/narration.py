"""The log in words (rules, section 13)."""

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
    "salvage": "a card of the Trash",
    "stock": "an Ingredient of the Trash",
    "take_back": "which Ingredient to take back",
    "search_keep": "which card to keep",
    "trash_hand": "what to trash",
    "pass_hand": "a card to pass to the left",
    "steal_card": "whom to steal from",
    "give_ing": "what to give to whom",
    "pie": "a Pie",
    "may_bake": "whether to Bake",
    "order_effect": "which effect comes first",
    "order_achievement": "which Achievement comes first",
}
"""What a seat chooses, by the kind of the question."""
FIZZLE_REASONS = {
    "no_target": "there was nothing it could do",
    "kitchen_full": "the Kitchen is full",
    "not_your_turn": "plays are for the seat whose turn it is",
    "limit": "five extra plays are the most in a turn",
    "pantry_empty": "there was no card left",
}
FAILURES = {
    "too_few": "a Pie needs three Ingredients",
    "no_salt": "there is no Salt in the Kitchen",
    "too_much_salt": "there is more than one Salt in the Kitchen",
}
END_SENTENCES: dict[Reason, str] = {
    "all_baked": "Everyone has baked: the contest is over.",
    "third_pie": "A third Pie is baked: the contest is over.",
    "all_have_four": "Everyone has baked four Pies: the Grand Contest is over.",
    "last_seat": "Only one baker is left: the contest is over.",
    "closing_time": "Closing time: the contest is over.",
}


def tell(facts: Sequence[Fact]) -> list[str]:
    """The facts of one event in sentences; turns, steps and bookkeeping go without saying."""
    return [line for n in range(len(facts)) for line in tell_fact(facts, n)]


def tell_fact(facts: Sequence[Fact], n: int) -> Iterator[str]:
    """What is worth telling of fact n, given those around it."""
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
            yield f"{baker_name(seat)}: {last_effect(facts, n)} came to nothing, {FIZZLE_REASONS[why]}."
        case CardLookedAt(seat) as fact:
            if not continues_look(facts, n):
                yield tell_looks(seat, [fact, *looks_after(facts, n)])
        case PieBaked() | PiesStaled() | PiesChanged() | BakeFailed() | BakeDeclined() as fact:
            yield from tell_pies(fact)
        case fact:
            yield from tell_cards(fact)
            yield from tell_turn(fact)


# -- the frame: beginning, end ------------------------------------------------------------------------------------


def tell_frame(fact: Fact) -> Iterator[str]:
    """Set-up, resigning, the end."""
    match fact:
        case GameStarted(seats):
            yield f"{seats} bakers enter the contest; everyone is dealt five cards."
        case FirstSeatChosen(seat):
            yield f"{baker_name(seat)} begins."
        case PositionSet():
            yield f"The contest starts from a set position; it is {baker_name(fact.active)}'s turn."
        case SeatResigned(seat, hand, kitchen, aside):
            held = [*hand, *kitchen, *aside]
            yield f"{baker_name(seat)} resigned{f'; {card_names(held)} went to the Trash' if held else ''}."
        case GameEnded(why, scores, winners):
            yield f"{END_SENTENCES[why]} {describe_winner(scores, winners)}"
        case _:
            pass


def describe_winner(scores: Sequence[SeatScore], winners: Sequence[Seat]) -> str:
    """Who won, and with what."""
    if not winners:
        return "Nobody has a Pie, so nobody wins."
    won = {entry.seat: entry.score for entry in scores}[winners[0]]
    with_what = "without a Pie" if won is None else f"with {format_number(won)}"
    if len(winners) == 1:
        return f"{baker_name(winners[0])} wins {with_what}."
    return f"{join_and(map(baker_name, winners))} share the victory {with_what}."


# -- turns --------------------------------------------------------------------------------------------------------


def tell_turn(fact: Fact) -> Iterator[str]:  # noqa: PLR0912 -- a row for each fact
    """Plays, dives, questions, what there is to trim."""
    match fact:
        case IngredientPlayed(seat, card):
            yield f"{baker_name(seat)} played {card_name(card)} ({format_number(INGREDIENTS[card].worth)})."
        case ActionPlayed(seat, card):
            yield f"{baker_name(seat)} played {card_name(card)}."
        case DumpsterDived(seat, trashed, taken):
            yield f"{baker_name(seat)} dived: trashed {card_names(trashed)}, took {card_name(taken)}."
        case TurnPassed(seat):
            yield f"{baker_name(seat)} passed."
        case TrimDue(seat, count):
            yield f"{baker_name(seat)} holds {pluralize(count, 'card')} too many."
        case HandTrimmed(seat, trimmed):
            yield f"{baker_name(seat)} trashed {card_names(trimmed)} down to seven cards."
        case ChoiceAsked():
            yield f"{baker_name(fact.seat)} has to choose {QUESTION_TEXTS[fact.kind]}."
        case ChoiceMade() if fact.commit:
            yield f"{baker_name(fact.seat)} has chosen a card to pass on."
        case ExtraPlayGranted(seat, count):
            yield f"{baker_name(seat)} may play {count} more {'card' if count == 1 else 'cards'}."
        case AchievementCompleted(seat, card):
            yield f"{baker_name(seat)} fulfilled {card_name(card)}: {reward_text(card)}."
        case AchievementTurned(seat, card, to):
            yield tell_turned(seat, card, to)
        case RowCleared():
            yield "The Achievements were cleared away."
        case _:
            pass


def tell_turned(seat: Seat, card: int, to: str) -> str:
    """Where a turned Achievement went."""
    if to == "pile":
        return f"There was no room for {card_name(card)} in {baker_name(seat)}'s Kitchen; it went under the pile."
    what = "an Action" if isinstance(FACES[card], Action) else "an Ingredient"
    return f"{card_name(card)} is now {what} in {baker_name(seat)}'s {'Kitchen' if to == 'kitchen' else 'hand'}."


# -- cards on their way -------------------------------------------------------------------------------------------


def tell_cards(fact: Fact) -> Iterator[str]:  # noqa: PLR0912 -- a row for each fact
    """Cards that change places."""
    match fact:
        case DrawMissed(seat):
            yield f"There was no card for {baker_name(seat)} to draw."
        case PantryRestocked():
            yield f"The Trash was shuffled into the Pantry ({pluralize(fact.count, 'card')})."
        case IngredientsSwapped(seat, other, gave, got):
            yield f"{baker_name(seat)} swapped {card_name(gave)} for {baker_name(other)}'s {card_name(got)}."
        case IngredientStolen(seat, owner, card):
            yield f"{baker_name(seat)} stole {baker_name(owner)}'s {card_name(card)}."
        case IngredientTrashed(seat, owner, card):
            whose = f"{baker_name(owner)}'s " if owner != seat else ""
            yield f"{baker_name(seat)} trashed {whose}{card_name(card)}."
        case IngredientGiven(seat, to, card):
            yield f"{baker_name(seat)} gave {card_name(card)} to {baker_name(to)}."
        case IngredientTakenBack(seat, card, to):
            where = "to hand" if to == "hand" else "out of the Kitchen; it went under the Achievement pile"
            yield f"{baker_name(seat)} took {card_name(card)} back {where}."
        case IngredientStocked(seat, card):
            yield f"{baker_name(seat)} put {card_name(card)} from the Trash into the Kitchen."
        case CardSalvaged(seat, card):
            yield f"{baker_name(seat)} took {card_name(card)} from the Trash."
        case CardForaged(seat, card, to):
            yield f"{baker_name(seat)} turned up {card_name(card)}: it went to the {to.capitalize()}."
        case SearchFinished():
            kept = card_names(known_card(fact.kept)) if known_card(fact.kept) else "one"
            rest = f" and trashed {card_names(fact.trashed)}" if fact.trashed else ""
            yield f"{baker_name(fact.seat)} kept {kept}{rest}."
        case CardStolen():
            yield tell_stolen(fact)
        case CardsTrashed(seat, trashed):
            yield f"{baker_name(seat)} trashed {card_names(trashed)}."
        case HandsPassed(moves):
            yield f"Everyone passed a card to the left: {'; '.join(map(tell_passed, moves))}."
        case _:
            pass


def tell_stolen(fact: CardStolen) -> str:
    """A random card on its way."""
    what = card_names(known_card(fact.card)) if known_card(fact.card) else "a card"
    if fact.to == "pile":
        hand = f"{baker_name(fact.owner)}'s hand"
        return f"{baker_name(fact.seat)} drew {what} out of {hand}: it went under the Achievement pile."
    return f"{baker_name(fact.seat)} stole {what} from {baker_name(fact.owner)}'s hand."


def tell_passed(move: HandMove) -> str:
    """One card of Potluck."""
    what = card_names(known_card(move.card)) if known_card(move.card) else "a card"
    where = " (under the Achievement pile)" if move.zone == "pile" else ""
    return f"{baker_name(move.from_)} {what} to {baker_name(move.to)}{where}"


def tell_draws(seat: Seat, drawn: Sequence[CardDrawn]) -> str:
    """Cards drawn one behind the other."""
    shown = [card for fact in drawn for card in known_card(fact.card)]
    cards = card_names(shown) if shown else "a card" if len(drawn) == 1 else f"{len(drawn)} cards"
    return f"{baker_name(seat)} drew {cards}."


def continues_draw(facts: Sequence[Fact], n: int) -> bool:
    """Whether a card was drawn right behind another for the same reason; a restock may lie between."""
    earlier = next((facts[i] for i in range(n - 1, -1, -1) if not isinstance(facts[i], PantryRestocked)), None)
    return earlier is not None and same_draw(earlier, facts[n])


def draws_in_a_row(facts: Sequence[Fact], n: int) -> Iterator[CardDrawn]:
    """The draws that follow at once."""
    for i in range(n + 1, len(facts)):
        fact = facts[i]
        if isinstance(fact, CardDrawn) and same_draw(fact, facts[n]):
            yield fact
        elif not isinstance(fact, PantryRestocked):
            return


def same_draw(fact: Fact, other: Fact) -> bool:
    """Whether both are draws of one seat for one reason."""
    if not isinstance(fact, CardDrawn) or not isinstance(other, CardDrawn):
        return False
    return (fact.seat, fact.why) == (other.seat, other.why)


def continues_look(facts: Sequence[Fact], n: int) -> bool:
    """Whether this card was looked at behind another; a restock may lie between."""
    earlier = next((facts[i] for i in range(n - 1, -1, -1) if not isinstance(facts[i], PantryRestocked)), None)
    return isinstance(earlier, CardLookedAt)


def looks_after(facts: Sequence[Fact], n: int) -> Iterator[CardLookedAt]:
    """The cards looked at next."""
    for i in range(n + 1, len(facts)):
        fact = facts[i]
        if isinstance(fact, CardLookedAt):
            yield fact
        elif not isinstance(fact, PantryRestocked):
            return


def tell_looks(seat: Seat, looked: Sequence[CardLookedAt]) -> str:
    """Cards looked at one behind the other."""
    shown = [card for fact in looked for card in known_card(fact.card)]
    top = f"the top {pluralize(len(looked), 'card')}" if len(looked) > 1 else "the top card"
    return f"{baker_name(seat)} looked at {card_names(shown) if shown else f'{top} of the Pantry'}."


def leading_reveals(facts: Sequence[Fact], n: int) -> Iterator[AchievementRevealed]:
    """The Achievements revealed at once behind fact n."""
    for i in range(n + 1, len(facts)):
        fact = facts[i]
        if not isinstance(fact, AchievementRevealed):
            return
        yield fact


def tell_revealed(facts: Sequence[AchievementRevealed]) -> str:
    """New Achievements."""
    if len(facts) == 1:
        return f"A new Achievement: {card_name(facts[0].card)}."
    return f"Achievements: {join_and(card_name(fact.card) for fact in facts)}."


def last_effect(facts: Sequence[Fact], n: int) -> str:
    """The card whose step was carried out last before fact n."""
    earlier = (facts[i] for i in range(n - 1, -1, -1))
    return next((card_name(fact.src) for fact in earlier if isinstance(fact, StepStarted)), "an effect")


# -- Pies ---------------------------------------------------------------------------------------------------------


def tell_pies(fact: Fact) -> Iterator[str]:
    """Baking, and what becomes of Pies."""
    match fact:
        case PieBaked(seat, pie, baked, worths, total):
            made_of = ", ".join(
                f"{card_name(card)} {format_number(worth)}" for card, worth in zip(baked, worths, strict=True)
            )
            yield f"{baker_name(seat)} baked Pie {pie}: {format_number(total)} ({made_of})."
        case PiesStaled(_, changes):
            yield f"Stale: {', '.join(map(describe_pie_change, changes))}."
        case PiesChanged(_, src, changes):
            yield f"{card_name(src)}: {', '.join(map(describe_pie_change, changes))}."
        case BakeFailed(seat, why):
            yield f"{baker_name(seat)} could not Bake: {FAILURES[why]}."
        case BakeDeclined(seat):
            yield f"{baker_name(seat)} chose not to Bake."
        case _:
            pass


def describe_pie_change(change: PieChange) -> str:
    """A Pie's value before and after."""
    return f"{baker_name(change.seat)}'s Pie {change.pie} {format_number(change.from_)}→{format_number(change.to)}"


# -- names --------------------------------------------------------------------------------------------------------


def baker_name(seat: Seat) -> str:
    """A seat's name."""
    return BAKERS[seat]


def card_names(ids: Iterable[int]) -> str:
    """Cards by name."""
    return join_and(map(card_name, ids)) or "nothing"


def format_number(value: int) -> str:
    """A number with a proper minus."""
    return str(value).replace("-", "−")

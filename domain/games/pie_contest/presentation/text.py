"""The table as plain text (rules, section 13), and the phrases shared by text and picture."""

from collections.abc import Iterator

from msgspec import UnsetType

from domain.games.pie_contest.presentation.card_text import card_name, condition_text, reward_text
from domain.games.pie_contest.presentation.hints import closing_note, progress, round_number, still_to_bake
from domain.games.pie_contest.presentation.narration import (
    END_SENTENCES,
    QUESTION_TEXTS,
    baker_name,
    card_names,
    describe_winner,
    format_number,
)
from domain.games.pie_contest.rules.model import SeenBaker, View
from domain.games.pie_contest.rules.parts import ROW_SIZE, Cards, visible_cards
from domain.kernel.game import Seat
from domain.kernel.text import join_and, pluralize

# -- phrases for text and picture -------------------------------------------------------------------------------------


def status(view: View) -> str:
    """Return what the contest is waiting for, or how it ended."""
    if not view.turn:
        return "The contest has not started"
    if view.result:
        return describe_winner(view.result.scores, view.result.winners)
    if view.phase == "choice":
        who = join_and(map(baker_name, view.to_move)) if len(view.to_move) < 4 else f"{len(view.to_move)} bakers"
        return f"{who} to choose {QUESTION_TEXTS[view.choices[0].kind]}"
    if view.phase == "trim":
        return f"{baker_name(view.active)} to trash {pluralize(view.to_trim, 'card')}"
    if view.stage == "acted":
        return f"{baker_name(view.active)} can play {pluralize(view.plays_left, 'more card')}"
    return f"{baker_name(view.active)} to play"


def asking_card(view: View) -> str:
    """Return which card's effect needs an open choice, or an empty string."""
    by_card = view.phase == "choice" and view.agenda and view.choices[0].kind != "order_achievement"
    return f"Effect of {card_name(view.agenda[0].src)}" if by_card else ""


def end_forecast(view: View) -> str:
    """Return what is missing for the end of the contest, or why it ended."""
    if view.result:
        return END_SENTENCES[view.result.why]
    return ", ".join(filter(None, (still_to_bake(view), closing_note(view))))


def visible_hand(seen: SeenBaker) -> Cards | None:
    """Return the hand, or None if the view hides it."""
    return None if isinstance(seen.hand, UnsetType) else seen.hand


def seat_summary(seen: SeenBaker) -> str:
    """Return the hand size and the worth of a seat's Kitchen as text."""
    if seen.out:
        return "resigned"
    parts = [f"{pluralize(seen.hand_count, 'card')} in hand", f"Kitchen worth {format_number(seen.worth)}"]
    if seen.if_baked is not None:
        parts.append(f"{format_number(seen.if_baked)} as a Pie")
    return ", ".join(parts)


def achievement_progress(view: View, slot: int) -> Iterator[tuple[Seat, int, int]]:
    """Yield the progress of each live seat towards an Achievement: (seat, has, needs)."""
    for seat, seen in enumerate(view.seats):
        found = None if seen.out else progress(view, seat, slot)
        if found:
            yield seat, min(found), found[1]


def display_order(view: View, viewer: Seat | None) -> list[Seat]:
    """Return the seats in turn order, starting with the viewer."""
    count = len(view.seats)
    return [((viewer or 0) + n) % count for n in range(count)]


TRASH_SHOWN = 12


# -- text -----------------------------------------------------------------------------------------------------------


def text(view: View, seat: Seat | None) -> str:
    """Return the table as plain text."""
    newest = ", ".join(map(card_name, reversed(view.trash[-TRASH_SHOWN:]))) or "empty"
    lines = [
        f"Turn {view.turn}, round {round_number(view)}. {status(view).rstrip('.')}.",
        *(f"{line}." for line in (asking_card(view), end_forecast(view).rstrip(".")) if line),
        "",
        f"Pantry {view.pantry_count}, Achievement pile {view.pile_count}, Trash {len(view.trash)}, newest: {newest}",
        *(text_slot(view, slot) for slot in range(ROW_SIZE)),
        "",
        *(line for n in display_order(view, seat) for line in text_seat(view, n)),
    ]
    if aside := visible_cards(view.aside):
        lines.append(f"Cards from the top of the Pantry: {card_names(aside)}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def text_slot(view: View, slot: int) -> str:
    """Return an Achievement and everyone's progress in one line."""
    card = view.row[slot].card
    if card is None:
        return f"  {slot + 1}. empty"
    found = ", ".join(f"{baker_name(seat)} {has}/{needs}" for seat, has, needs in achievement_progress(view, slot))
    locked = " (completed this turn)" if card in view.locked else ""
    progress_note = f"  [{found}]" if found else ""
    return f"  {slot + 1}. {card_name(card)}: {condition_text(card)} > {reward_text(card)}{locked}{progress_note}"


def text_seat(view: View, seat: Seat) -> Iterator[str]:
    """Yield the lines of a seat: summary, Kitchen, Pies, and the hand if the viewer can see it."""
    seen = view.seats[seat]
    mark = "*" if seat in view.to_move else " "
    yield f"{mark}{baker_name(seat)}: {seat_summary(seen)}"
    kitchen = (
        f"{card_name(card)} {format_number(worth)}" for card, worth in zip(seen.kitchen, seen.worths, strict=True)
    )
    if seen.kitchen:
        yield f"   Kitchen: {', '.join(kitchen)}"
    for n, pie in enumerate(seen.pies, 1):
        yield f"   Pie {n}: {' '.join(map(format_number, pie.values))}"
    hand = visible_hand(seen)
    if hand is not None:
        yield f"   Hand: {', '.join(map(card_name, hand)) or 'empty'}"

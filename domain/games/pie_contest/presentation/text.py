"""The table as text (rules, section 13), and the words that text and picture share."""

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

# -- words for text and picture -------------------------------------------------------------------------------------


def status(view: View) -> str:
    """Whom the table waits for, or how it ended."""
    if not view.turn:
        return "The table is not set yet"
    if view.result:
        return describe_winner(view.result.scores, view.result.winners)
    if view.phase == "choice":
        who = join_and(map(baker_name, view.to_move)) if len(view.to_move) < 4 else f"{len(view.to_move)} bakers"
        return f"{who} to choose {QUESTION_TEXTS[view.choices[0].kind]}"
    if view.phase == "trim":
        return f"{baker_name(view.active)} to trash {pluralize(view.to_trim, 'card')}"
    if view.stage == "acted":
        return f"{baker_name(view.active)} may play {view.plays_left} more"
    return f"{baker_name(view.active)} to play"


def asking_card(view: View) -> str:
    """The card that asks, while a choice is open."""
    by_card = view.phase == "choice" and view.agenda and view.choices[0].kind != "order_achievement"
    return f"{card_name(view.agenda[0].src)} asks" if by_card else ""


def end_forecast(view: View) -> str:
    """How the contest will end, or why it did."""
    if view.result:
        return END_SENTENCES[view.result.why]
    return ", ".join(filter(None, (still_to_bake(view), closing_note(view))))


def visible_hand(seen: SeenBaker) -> Cards | None:
    """The hand, if the view shows it."""
    return None if isinstance(seen.hand, UnsetType) else seen.hand


def seat_summary(seen: SeenBaker) -> str:
    """What a seat has, in words."""
    if seen.out:
        return "resigned"
    parts = [f"{pluralize(seen.hand_count, 'card')} in hand", f"Kitchen worth {format_number(seen.worth)}"]
    if seen.if_baked is not None:
        parts.append(f"as a Pie {format_number(seen.if_baked)}")
    return ", ".join(parts)


def achievement_progress(view: View, slot: int) -> Iterator[tuple[Seat, int, int]]:
    """How near each live seat is to an Achievement: (seat, has, needs)."""
    for seat, seen in enumerate(view.seats):
        found = None if seen.out else progress(view, seat, slot)
        if found:
            yield seat, min(found), found[1]


def display_order(view: View, viewer: Seat | None) -> list[Seat]:
    """The seats from the viewer's to the right, so that the next player always follows."""
    count = len(view.seats)
    return [((viewer or 0) + n) % count for n in range(count)]


TRASH_SHOWN = 12


# -- text -----------------------------------------------------------------------------------------------------------


def text(view: View, seat: Seat | None) -> str:
    """The table in letters."""
    newest = ", ".join(map(card_name, reversed(view.trash[-TRASH_SHOWN:]))) or "empty"
    lines = [
        f"Turn {view.turn}, round {round_number(view)}. {status(view)}.",
        *(f"{line}." for line in (asking_card(view), end_forecast(view).rstrip(".")) if line),
        "",
        f"Pantry {view.pantry_count}, Achievement pile {view.pile_count}, Trash {len(view.trash)}, newest: {newest}",
        *(text_slot(view, slot) for slot in range(ROW_SIZE)),
        "",
        *(line for n in display_order(view, seat) for line in text_seat(view, n)),
    ]
    if aside := visible_cards(view.aside):
        lines.append(f"Looked at: {card_names(aside)}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def text_slot(view: View, slot: int) -> str:
    """An Achievement in one line, with how near everybody is."""
    card = view.row[slot].card
    if card is None:
        return f"  {slot + 1}. empty"
    found = ", ".join(f"{baker_name(seat)} {has}/{needs}" for seat, has, needs in achievement_progress(view, slot))
    locked = " (completed this turn)" if card in view.locked else ""
    nearest = f"  [{found}]" if found else ""
    return f"  {slot + 1}. {card_name(card)}: {condition_text(card)} > {reward_text(card)}{locked}{nearest}"


def text_seat(view: View, seat: Seat) -> Iterator[str]:
    """A seat: what it has, Kitchen, Pies, and the hand where it is the reader's to see."""
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
        yield f"   hand: {', '.join(map(card_name, hand)) or 'empty'}"

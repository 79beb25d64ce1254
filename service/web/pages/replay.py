"""The replay: every ply of a match with its board, history and dice, and a check of the whole match."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from flask import render_template, request, url_for
from markupsafe import Markup
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response

from domain.kernel.event_codec import read_event, read_header
from domain.kernel.events import AnyEvent, Started
from domain.kernel.game import Seat
from domain.kernel.table import Table
from domain.match.state import AnyMatch
from replays.draw_report import DrawReport, report_draws
from replays.file import SUFFIX, encode_replay
from replays.redaction import EVERYTHING, Reader, is_hidden_again, redact_event, state_for_redaction
from replays.replay import Replay
from replays.report import Report
from service.app_context import services
from service.matches.exports import replay_file as encode_file
from service.matches.repository import match_without_game
from service.verification.uploads import verify_in_thread
from service.web.blueprint import web
from service.web.forms import parse_number
from service.web.frames import Camera
from service.web.game_files import find_table
from service.web.match_history import HistoryEntry, event_lines
from service.web.pages.verify import STANDALONE_NAME, standalone_script
from service.web.score_history import scores_of
from service.web.seating import SeatInfo, describe_turn, join_words, seat_infos
from service.web.sparkline import legend_key as plot_key
from service.web.sparkline import score_plot
from service.web.table_board import table_players
from service.web.visitor import current_player_id

NAMED_READERS: dict[str, Reader] = {"spectator": None, "everything": EVERYTHING}
DIE_FACES = range(1, 7)


class DiceRoll(msgspec.Struct, frozen=True):
    """A dice roll of the current ply."""

    label: str
    faces: tuple[int, ...]


class Chapter(msgspec.Struct, frozen=True):
    """A chapter of a replay and the ply in which it begins."""

    ply: int
    title: str


class ReaderChoice(msgspec.Struct, frozen=True):
    """One point of view for the replay, and whether it is the current one."""

    value: str
    title: str
    is_current: bool


@web.get("/matches/<match>/replay")
def replay(match: str) -> str:
    """Show the replay at a ply."""
    return replay_page(match, None)


@web.post("/matches/<match>/replay")
def verify_match(match: str) -> str:
    """Show the replay with a verification report, layer by layer."""
    notary = services().disputes.signing_keys
    file = b"".join(encode_replay(all_events(services().matches.repository.load(match)), notary.current_signer()))
    return replay_page(match, verify_in_thread(file, notary.trust(required=True)))


@web.get("/matches/<match>/replay/file")
def replay_file(match: str) -> Response:
    """Send the replay file. For a match in progress it has only the public part."""
    lines = services().matches.repository.log_lines(match)
    name = f"{read_header(lines[0]).game}-{match}{SUFFIX}"
    return Response(
        encode_file(lines, services().disputes.signing_keys.current_signer()),
        mimetype="application/x-ndjson",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@web.get("/matches/<match>/replay/bundle")
def replay_bundle(match: str) -> Response:
    """Send a zip with the replay file, the script that verifies it and the public keys."""
    lines, notary = services().matches.repository.log_lines(match), services().disputes.signing_keys
    head = match_without_game(lines)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in (
            (f"{head.game}-{head.id}{SUFFIX}", encode_file(lines, notary.current_signer())),
            (STANDALONE_NAME, standalone_script()),
            ("crumbtrail-key.json", msgspec.json.encode(notary.public_keys())),
        ):
            bundle.writestr(zipfile.ZipInfo(name, head.last_event_at.timetuple()[:6]), content)
    headers = {"Content-Disposition": f'attachment; filename="{head.game}-{head.id}.zip"'}
    return Response(packed.getvalue(), mimetype="application/zip", headers=headers)


def all_events(head: AnyMatch) -> list[AnyEvent]:
    """Return the unredacted events of the match. They must not leave the server before the match is over."""
    return [read_event(line, head.rules) for line in services().matches.repository.log_lines(head.id)[: head.ply]]


# -- the page -----------------------------------------------------------------------------------------------------


def replay_page(match: str, report: Report | None) -> str:
    """Return the replay page at the requested ply and from the requested point of view."""
    head = services().matches.repository.load(match)
    reader = requested_reader(head)
    viewer = current_player_id()
    table = seat_infos(head, viewer)
    whole = Replay(tuple(all_events(head)))
    ply = requested_ply(head, whole)
    fact = requested_fact(whole, ply)
    seen = visible_events(whole, reader)
    entries = list(ledger_entries(whole, seen, table))
    drawn = draws_at(head, whole, ply)
    then = whole.at(ply, fact)
    event = event_for_reader(whole, whole.event(ply), then, reader)
    how = find_table(head.game)
    players = table_players(head, seat_of(reader), viewer, how)
    return render_template(
        "templates/replay.html",
        luck=drawn,
        plotted=score_plot_svg(head, whole, ply),
        match=head,
        game=head.rules,
        table=table,
        result=describe_turn(head, table, how.prompt),
        ply=ply,
        fact=fact,
        facts=len(whole.event(ply).facts),
        event=event,
        entry=entries[ply - 1],
        ledger=entries,
        how=how,
        players=players,
        chapters=list(chapters(seen, how)),
        board=board_at(whole, ply, fact, reader, Camera(head, reader, how, players), seen),
        laid=bool(then.draw_count),
        dice=list(dice_rolls(whole, ply, fact, reader, table)),
        looks=reader_choices(head, reader),
        look=reader_name(reader),
        report=report,
    )


def requested_ply(head: AnyMatch, whole: Replay) -> int:
    """Return the requested ply, by default the one with which play begins. Raises NotFound."""
    asked = request.args.get("ply") or request.form.get("ply")
    ply = parse_number(asked) if asked else opening_ply(whole)
    if ply is None or not 1 <= ply <= head.ply:
        raise NotFound(f"There is no such move. This match has moves 1 to {head.ply}.")
    return ply


def opening_ply(whole: Replay) -> int:
    """Return the ply after which the first move is made, or the last ply of a match that has not started."""
    return next((event.ply for event in whole.events if isinstance(event, Started)), len(whole.events))


def requested_fact(whole: Replay, ply: int) -> int | None:
    """Return how many facts of the ply to apply, or None for all. Raises NotFound."""
    asked = request.args.get("fact")
    if not asked:
        return None
    fact, last = parse_number(asked), len(whole.event(ply).facts)
    if fact is None or fact > last:
        raise NotFound(f"There is no such step. Choose a step from 0 to {last}.")
    return fact


def requested_reader(head: AnyMatch) -> Reader:
    """Return the requested point of view. Raises NotFound, and BadRequest for another seat before the match is over."""
    own = head.seats_of(current_player_id())
    asked = request.args.get("as") or request.form.get("as")
    if not asked:
        return EVERYTHING if head.status == "over" else own[0] if own else None
    reader = NAMED_READERS[asked] if asked in NAMED_READERS else requested_seat(head, asked)
    if head.status != "over" and reader is not None and reader not in own:
        raise BadRequest("Until the match is over, you can view it only as yourself or as a spectator.")
    return reader


def requested_seat(head: AnyMatch, asked: str) -> Seat:
    """Return the requested seat. Raises NotFound."""
    seat = parse_number(asked)
    if seat is None or seat >= len(head.seats):
        raise NotFound("This match has no such seat.")
    return seat


def reader_name(reader: Reader) -> str:
    """Return the point of view as written in the URL."""
    return "spectator" if reader is None else str(reader)


def reader_choices(head: AnyMatch, reader: Reader) -> list[ReaderChoice]:
    """Return the points of view that are allowed now."""
    names = head.rules.seat_names(len(head.seats))
    over = head.status == "over"
    seats = range(len(head.seats)) if over else head.seats_of(current_player_id())
    offered = [("everything", "Everything")] if over else []
    offered += [(str(seat), f"As seen by {names[seat]}") for seat in seats]
    offered.append(("spectator", "As seen by a spectator"))
    return [ReaderChoice(value, title, value == reader_name(reader)) for value, title in offered]


def event_for_reader(whole: Replay, event: AnyEvent, then: AnyMatch, reader: Reader) -> AnyEvent:
    """Return the event as the reader saw it then or, before the match is over, as the reader may see it now.

    The difference matters in memory games, where the replay must not reveal what has been hidden again.
    """
    if reader == EVERYTHING:
        return event
    now = then if whole.last.status == "over" else state_for_redaction(event, whole.last, whole.at)
    return redact_event(event, now, reader)


def visible_events(whole: Replay, reader: Reader) -> list[AnyEvent]:
    """Return all events as the reader may see them."""
    return [
        event_for_reader(whole, event, then, reader) for event, then in zip(whole.events, whole.matches(), strict=True)
    ]


def ledger_entries(whole: Replay, seen: Sequence[AnyEvent], table: Sequence[SeatInfo]) -> Iterator[HistoryEntry]:
    """Yield a history entry for every ply."""
    for event in seen:
        who = None if event.seat is None else table[event.seat].name
        yield HistoryEntry(event.ply, event.at, who, tuple(event_lines(whole.last, event, table, whole.event)))


def chapters(seen: Sequence[AnyEvent], how: Table) -> Iterator[Chapter]:
    """Yield the chapters of a replay: the plies in which one begins, each with the title of the last that does."""
    for event in seen:
        titles = list(filter(None, map(how.chapter, event.facts))) if how.chapter else []
        if titles:
            yield Chapter(event.ply, titles[-1])


def events_up_to(whole: Replay, ply: int, fact: int | None) -> list[AnyEvent]:
    """Return the events that lead to the position shown."""
    last = whole.event(ply) if fact is None else whole.partial_event(ply, fact)
    return [*whole.events[: ply - 1], last]


def board_at(
    whole: Replay, ply: int, fact: int | None, reader: Reader, camera: Camera, seen: Sequence[AnyEvent]
) -> Markup | None:
    """Return the board at a ply. For `everything` it is the spectator's view.

    None before the game is set up, and in a match in progress where the board would reveal what has been hidden again.
    """
    then, events = whole.at(ply, fact), events_up_to(whole, ply, fact)
    if is_hidden_again(events, then, whole.last, seat_of(reader)):
        return None
    latest = seen[ply - 1] if fact is None else event_for_reader(whole, events[-1], then, reader)
    drawn = camera.board(then, [*seen[: ply - 1], latest])
    return None if drawn is None else Markup(drawn)  # noqa: S704 -- rendered by our templates


def seat_of(reader: Reader) -> Seat | None:
    """Return the seat whose view a reader has; `everything` has the spectator's."""
    return None if reader == EVERYTHING else reader


def dice_rolls(
    whole: Replay, ply: int, fact: int | None, reader: Reader, table: Sequence[SeatInfo]
) -> Iterator[DiceRoll]:
    """Yield the dice rolls of the ply, up to the fact shown."""
    event = whole.event(ply) if fact is None else whole.partial_event(ply, fact)
    for rolled in event_for_reader(whole, event, whole.at(ply, fact), reader).facts:
        faces: Any = getattr(rolled, "dice", None)
        if isinstance(faces, tuple) and faces and all(face in DIE_FACES for face in faces):
            yield DiceRoll(roll_label(rolled, table), faces)


def roll_label(rolled: Any, table: Sequence[SeatInfo]) -> str:
    """Return a label with the seat and column of a roll."""
    seat, column = (getattr(rolled, name, None) for name in ("seat", "column"))
    named = table[seat].name if isinstance(seat, int) else seat
    return ", ".join(str(part) for part in (named, column) if part)


def draws_at(head: AnyMatch, whole: Replay, ply: int) -> DrawReport | None:
    """Return the draws of the ply, or None before the seed is revealed or if they can't be reproduced."""
    if head.seed is None:
        return None
    try:
        return report_draws(whole, ply)
    except Exception:  # a tampered log can crash the rules; the audit reports it
        return None


def score_plot_svg(head: AnyMatch, whole: Replay, ply: int) -> Markup | None:
    """Return a chart of the score over time for a finished match, or None."""
    if head.status != "over" or not head.draw_count:
        return None
    return Markup(score_plot(scores_of(head, whole), head.rules.seat_names(len(head.seats)), ply))  # noqa: S704 -- ours


def replay_address(match: str, ply: int, look: str, fact: int | None = None) -> str:
    """Return the URL of a place in a replay."""
    query: dict[str, Any] = {"ply": ply, "fact": fact, "as": look}
    return url_for("web.replay", match=match, **query)


@web.app_context_processor
def replay_helpers() -> dict[str, object]:
    """Return the additional helpers for the replay template."""
    return {"replay_address": replay_address, "listed": join_words, "plot_key": plot_key}


@web.app_template_filter("large")
def format_large(number: int) -> str:
    """Return a whole number with thousands separators, or as a power of ten if it is very large."""
    return f"{number:,}" if number < 10**9 else f"10^{len(str(number)) - 1}"

"""The replay: every ply of a match, the board behind it, what was told and rolled, and whether all of it is true."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from cachetools import LRUCache
from flask import render_template, request, url_for
from markupsafe import Markup
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response

from domain.kernel.events import AnyEvent, read_event
from domain.kernel.game import Seat
from domain.match.match import AnyMatch
from replays.draw_report import Luck, luck_of
from replays.file import SUFFIX, write
from replays.redaction import EVERYTHING, Reader, forgotten, perspective, told_at
from replays.replay import Replay
from replays.report import Report
from service.verification.uploads import verify_aside
from service.web.blueprint import services, web
from service.web.forms import number
from service.web.game_files import find_table
from service.web.match_history import Entry, lines
from service.web.pages.verify import STANDALONE, standalone_script
from service.web.seating import Sitting, listed, sittings, whose_turn
from service.web.sparkline import Scores, plot
from service.web.sparkline import key as plot_key
from service.web.visitor import known_id

READERS: dict[str, Reader] = {"spectator": None, "everything": EVERYTHING}
FACES = range(1, 7)
SCORES: LRUCache[tuple[str, int], tuple[Scores, ...]] = LRUCache(256)
"""Scores over time by match and ply; they never change."""


class Dice(msgspec.Struct, frozen=True):
    """A roll of the ply at hand."""

    label: str
    faces: tuple[int, ...]


class Look(msgspec.Struct, frozen=True):
    """One way to read the replay, and whether it is the present one."""

    value: str
    title: str
    present: bool


@web.get("/matches/<match>/replay")
def replay(match: str) -> str:
    """The replay at a ply."""
    return replay_page(match, None)


@web.post("/matches/<match>/replay")
def verify_match(match: str) -> str:
    """The same, with the match checked layer by layer."""
    notary = services().notary
    file = b"".join(write(all_events(services().matches.load(match)), notary.signer()))
    return replay_page(match, verify_aside(file, notary.trust(required=True)))


@web.get("/matches/<match>/replay/file")
def replay_file(match: str) -> Response:
    """The replay file; of a match that runs its public part."""
    head = services().matches.load(match)
    name = f"{head.game}-{head.id}{SUFFIX}"
    return Response(
        b"".join(write(all_events(head), services().notary.signer())),
        mimetype="application/x-ndjson",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@web.get("/matches/<match>/replay/bundle")
def replay_bundle(match: str) -> Response:
    """The replay file, the script that checks it, and the keys that sign: all that one needs, in a zip."""
    head, notary = services().matches.load(match), services().notary
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in (
            (f"{head.game}-{head.id}{SUFFIX}", b"".join(write(all_events(head), notary.signer()))),
            (STANDALONE, standalone_script()),
            ("crumbtrail-key.json", msgspec.json.encode(notary.published())),
        ):
            bundle.writestr(zipfile.ZipInfo(name, head.at.timetuple()[:6]), content)
    headers = {"Content-Disposition": f'attachment; filename="{head.game}-{head.id}.zip"'}
    return Response(packed.getvalue(), mimetype="application/zip", headers=headers)


def all_events(head: AnyMatch) -> list[AnyEvent]:
    """The events of the match as the log holds them. They must not leave the server before the match is over."""
    return [read_event(line, head.rules) for line in services().matches.lines(head.id)[: head.ply]]


# -- the page -----------------------------------------------------------------------------------------------------


def replay_page(match: str, report: Report | None) -> str:
    """The page at the ply and with the eyes that the request asks for."""
    head = services().matches.load(match)
    reader = asked_reader(head)
    table = sittings(head, known_id())
    whole = Replay(tuple(all_events(head)))
    ply = asked_ply(head)
    fact = asked_fact(whole, ply)
    entries = list(ledger(whole, reader, table))
    drawn = drawn_at(head, whole, ply)
    then = whole.at(ply, fact)
    return render_template(
        "templates/replay.html",
        luck=drawn,
        plotted=plotted(head, whole, ply),
        match=head,
        game=head.rules,
        table=table,
        result=whose_turn(head, table, find_table(head.game).call),
        ply=ply,
        fact=fact,
        facts=len(whole.event(ply).facts),
        event=seen(whole, whole.event(ply), then, reader),
        entry=entries[ply - 1],
        ledger=entries,
        board=board(whole, up_to(whole, ply, fact), then, reader),
        laid=bool(then.draws),
        dice=list(dice(whole, ply, fact, reader, table)),
        looks=looks(head, reader),
        look=reader_name(reader),
        report=report,
    )


def asked_ply(head: AnyMatch) -> int:
    """The ply that the request names, the last one if it names none. Raises NotFound."""
    asked = request.args.get("ply") or request.form.get("ply")
    ply = number(asked) if asked else head.ply
    if ply is None or not 1 <= ply <= head.ply:
        raise NotFound(f"This match has the plies 1 to {head.ply}.")
    return ply


def asked_fact(whole: Replay, ply: int) -> int | None:
    """After how many facts of the ply the board is shown; None for the whole ply. Raises NotFound."""
    asked = request.args.get("fact")
    if not asked:
        return None
    fact, last = number(asked), len(whole.event(ply).facts)
    if fact is None or fact > last:
        raise NotFound(f"This ply has {last} steps.")
    return fact


def asked_reader(head: AnyMatch) -> Reader:
    """With whose eyes the request wants to see. While the match runs only with one's own. Raises NotFound."""
    own = head.seats_of(known_id())
    asked = request.args.get("as") or request.form.get("as")
    if not asked:
        return EVERYTHING if head.status == "over" else own[0] if own else None
    reader = READERS[asked] if asked in READERS else asked_seat(head, asked)
    if head.status != "over" and reader is not None and reader not in own:
        raise BadRequest("While the match runs you may look at it as yourself and as a spectator.")
    return reader


def asked_seat(head: AnyMatch, asked: str) -> Seat:
    """The seat that the request names. Raises NotFound."""
    seat = number(asked)
    if seat is None or seat >= len(head.seats):
        raise NotFound("Nobody sees this match like that.")
    return seat


def reader_name(reader: Reader) -> str:
    """The reader as the address of the page names it."""
    return "spectator" if reader is None else str(reader)


def looks(head: AnyMatch, reader: Reader) -> list[Look]:
    """The ways in which this match can be read now."""
    names = head.rules.seat_names(len(head.seats))
    over = head.status == "over"
    seats = range(len(head.seats)) if over else head.seats_of(known_id())
    offered = [("everything", "Everything")] if over else []
    offered += [(str(seat), f"What {names[seat]} saw") for seat in seats]
    offered.append(("spectator", "What a spectator saw"))
    return [Look(value, title, value == reader_name(reader)) for value, title in offered]


def seen(whole: Replay, event: AnyEvent, then: AnyMatch, reader: Reader) -> AnyEvent:
    """The event as its reader saw it then; while the match runs, as its reader may see it now.

    The difference matters in games of memory: what has been hidden again must not come back by way of the replay.
    """
    if reader == EVERYTHING:
        return event
    now = then if whole.last.status == "over" else told_at(event, whole.last, whole.at)
    return perspective(event, now, reader)


def ledger(whole: Replay, reader: Reader, table: Sequence[Sitting]) -> Iterator[Entry]:
    """Every ply in words."""
    for event, then in zip(whole.events, whole.matches(), strict=True):
        who = None if event.seat is None else table[event.seat].name
        yield Entry(event.ply, event.at, who, tuple(lines(whole.last, seen(whole, event, then, reader), table)))


def up_to(whole: Replay, ply: int, fact: int | None) -> list[AnyEvent]:
    """The events behind the position that is shown."""
    last = whole.event(ply) if fact is None else whole.part(ply, fact)
    return [*whole.events[: ply - 1], last]


def board(whole: Replay, events: Sequence[AnyEvent], then: AnyMatch, reader: Reader) -> Markup | None:
    """The board behind these events; `everything` looks at it like a spectator.

    None before the game was set up, and where it would give back what is hidden again from a reader of a running match.
    """
    if not then.draws:
        return None
    seat = None if reader == EVERYTHING else reader
    if forgotten(events, then, whole.last, seat):
        return None
    return Markup(whole.game.svg(whole.game.view(then.state, seat), seat))  # noqa: S704 -- drawn by us


def dice(whole: Replay, ply: int, fact: int | None, reader: Reader, table: Sequence[Sitting]) -> Iterator[Dice]:
    """The dice of the ply, as far as it is shown."""
    event = whole.event(ply) if fact is None else whole.part(ply, fact)
    for rolled in seen(whole, event, whole.at(ply, fact), reader).facts:
        faces: Any = getattr(rolled, "dice", None)
        if isinstance(faces, tuple) and faces and all(face in FACES for face in faces):
            yield Dice(label(rolled, table), faces)


def label(rolled: Any, table: Sequence[Sitting]) -> str:
    """Whose roll it is, and where."""
    seat, column = (getattr(rolled, name, None) for name in ("seat", "column"))
    named = table[seat].name if isinstance(seat, int) else seat
    return ", ".join(str(part) for part in (named, column) if part)


def drawn_at(head: AnyMatch, whole: Replay, ply: int) -> Luck | None:
    """The draws of the ply, once the seed is revealed; None before that, or where they cannot be made again."""
    if head.seed is None:
        return None
    try:
        return luck_of(whole, ply)
    except Exception:  # a log that was tampered with may make the rules fall over; the audit says so
        return None


def plotted(head: AnyMatch, whole: Replay, ply: int) -> Markup | None:
    """The score over time, once nothing is hidden any more."""
    if head.status != "over" or not head.draws:
        return None
    if (head.id, head.ply) not in SCORES:
        SCORES[head.id, head.ply] = tuple(scores(whole))
    return Markup(plot(SCORES[head.id, head.ply], head.rules.seat_names(len(head.seats)), ply))  # noqa: S704 -- ours


def scores(whole: Replay) -> Iterator[Scores]:
    """The score of each seat behind every ply, as if the match were counted there."""
    for match in whole.matches():
        try:
            yield whole.game.score(match.state).totals if match.draws and match.status != "open" else None
        except Exception:  # a game need not be able to count in the middle
            yield None


def address(match: str, ply: int, look: str, fact: int | None = None) -> str:
    """The address of a place in a replay."""
    query: dict[str, Any] = {"ply": ply, "fact": fact, "as": look}
    return url_for("web.replay", match=match, **query)


@web.app_context_processor
def places() -> dict[str, object]:
    """What the template of a replay uses besides."""
    return {"replay_address": address, "listed": listed, "plot_key": plot_key}


@web.app_template_filter("large")
def large(number: int) -> str:
    """A whole number as people read it: with spaces, or as a power of ten when it is very large."""
    return f"{number:,}".replace(",", " ") if number < 10**9 else f"10^{len(str(number)) - 1}"

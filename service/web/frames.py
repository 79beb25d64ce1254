"""Frames of a playback: the board after each beat of a match, as one reader may see it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import msgspec
from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Moved
from domain.kernel.game import Seat
from domain.kernel.table import Table, TableContext
from domain.match.state import AnyMatch
from replays.playback import Beat, Group, playback
from replays.redaction import EVERYTHING, Reader
from replays.replay import Replay
from service.web.table_board import TablePlayer, render_board

MAX_FRAMES = 40
"""Most frames in one answer, and in one move. Beats of a longer move are merged."""
EVENTS_SHOWN = 20
"""How many of the latest events a board may use."""


class Frame(msgspec.Struct, frozen=True, omit_defaults=True):
    """The board after a beat (HTML). None: nothing visible has changed, or it would show what is hidden again.

    `facts` are those that happened since the frame before, as this reader may see them. `caption` says what happened,
    `chapter` is the title of the chapter that begins here. `bot` says that a bot made the move.
    """

    ply: int
    fact_types: tuple[str, ...]
    facts: tuple[Any, ...]
    caption: tuple[str, ...]
    board: str | None = None
    chapter: str | None = None
    bot: bool = False


class Playback(msgspec.Struct, frozen=True):
    """The frames of the plies from `first` to `last`, of a match whose newest ply is `head`.

    `last` is earlier than requested if there would be too many frames. `before` is the board before the first frame,
    or None if there is none. The frames of one ply play in at most `longest` milliseconds at normal speed.
    """

    first: int
    last: int
    head: int
    longest: int
    before: str | None
    frames: tuple[Frame, ...]


Tell = Callable[[AnyEvent], Sequence[str]]
"""Returns an event as lines of text."""


class Camera:
    """Takes the pictures of one playback: for one reader, with one game's table."""

    def __init__(self, now: AnyMatch, reader: Reader, how: Table, players: Sequence[TablePlayer]) -> None:
        self._seat: Seat | None = None if reader == EVERYTHING else reader
        self._now = now
        self._how = how
        self._players = players

    def board(self, match: AnyMatch, events: Sequence[AnyEvent]) -> str | None:
        """Return the board in a position after these visible events, or None before the game has been set up."""
        if not match.draw_count or match.status in ("open", "opening"):
            return None
        context = TableContext(
            match=match,
            seat=self._seat,
            view=match.rules.view(match.state, self._seat),
            events=tuple(events[-EVENTS_SHOWN:]),
            form={},
            history=partial(tuple, events),
            names=tuple(player.name for player in self._players),
        )
        seated = [replace(player, is_to_move=player.seat in match.to_move) for player in self._players]
        return str(render_board(context, self._how, seated))

    def film(self, beats: Iterable[Beat], first: int, tell: Tell) -> Playback:
        """Return the frames of these beats, from the ply `first`."""
        seen: list[AnyEvent] = []
        shown = before = None
        frames: list[Frame] = []
        last = first - 1
        for ply, group in groupby(beats, key=lambda beat: beat.event.ply):
            of_ply = list(group)
            if ply < first:
                seen.append(of_ply[-1].event)
                shown = before = (
                    self.board(of_ply[-1].match, seen) if ply == first - 1 and of_ply[-1].is_shown else None
                )
                continue
            taken = list(self._frames(of_ply, seen, shown, tell))
            if frames and len(frames) + len(taken) > MAX_FRAMES:
                break
            frames += taken
            seen.append(of_ply[-1].event)
            shown = next((frame.board for frame in reversed(taken) if frame.board is not None), shown)
            last = ply
        return Playback(first, last, self._now.ply, self._how.longest, before, tuple(frames))

    def _frames(
        self, beats: Sequence[Beat], seen: Sequence[AnyEvent], shown: str | None, tell: Tell
    ) -> Iterator[Frame]:
        """Yield the frames of one ply. Beats that change nothing visible join the next one."""
        facts: list[Any] = []
        told: Sequence[str] = ()
        for number, beat in enumerate(beats, 1):
            facts += beat.facts
            drawn = self.board(beat.match, [*seen, beat.event]) if beat.is_shown else None
            if drawn == shown:
                drawn = None
            if drawn is None and number < len(beats):
                continue
            lines = tell(beat.event)
            yield Frame(
                ply=beat.event.ply,
                fact_types=tuple(msgspec.to_builtins(fact)["type"] for fact in facts),
                facts=tuple(facts),
                caption=tuple(new_lines(told, lines)),
                board=drawn,
                chapter=next(filter(None, map(self._how.chapter, facts)), None) if self._how.chapter else None,
                bot=is_bot_move(beat),
            )
            facts, told = [], lines
            shown = drawn or shown


def is_bot_move(beat: Beat) -> bool:
    """Return whether a bot made the move of this beat."""
    return isinstance(beat.event, Moved) and beat.match.seats[beat.event.seat].kind == "bot"


def new_lines(told: Sequence[str], lines: Sequence[str]) -> list[str]:
    """Return the lines that have been added or changed since these were shown."""
    return [line for n, line in enumerate(lines) if n >= len(told) or told[n] != line]


def one_by_one(facts: Sequence[Any]) -> list[list[Any]]:
    """Return each fact as a group of its own."""
    return [[fact] for fact in facts]


def take_frames(
    now: AnyMatch,
    events: Sequence[AnyEvent],
    span: tuple[int, int],
    reader: Reader,
    how: Table,
    players: Sequence[TablePlayer],
    tell: Tell,
) -> Playback:
    """Return the frames of the plies in `span`, first and last, of a match in the state `now` with these events."""
    first, last = span
    group: Group = how.beats or one_by_one
    most = MAX_FRAMES if how.board_template else 1  # a picture is replaced as a whole, so it is drawn once for a move
    beats = playback(Replay(tuple(events)), now, first, last, reader, group, most)
    return Camera(now, reader, how, players).film(beats, first, tell)

"""The positions between the facts of a match, as one reader may see them, to be played back like a film.

A playback shows every move in beats. A beat is a group of facts that play together, and the position after them.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Any

from msgspec import to_builtins
from msgspec.structs import replace

from domain.kernel.events import AnyEvent, Moved
from domain.match.guards import MatchLookup
from domain.match.state import AnyMatch
from replays.redaction import EVERYTHING, Reader, loses_information, redact_event, state_for_redaction
from replays.replay import Replay

Group = Callable[[Sequence[Any]], Sequence[Sequence[Any]]]
"""Returns the facts of one event in groups that play together. Every fact is in exactly one group."""


@dataclass(frozen=True)
class Beat:
    """Facts that play together, and the match after them.

    `event` is the event as the reader may see it, with its visible facts up to this beat in the order of the log.
    `is_shown` is false if the position would reveal what has been hidden again.
    """

    event: AnyEvent
    facts: tuple[Any, ...]
    match: AnyMatch
    is_shown: bool


@dataclass
class Memory:
    """Facts that the reader may not see in full now, although an earlier view may have shown them.

    `last` is the newest state of the match, and `past` looks up an earlier one.
    """

    last: AnyMatch
    past: MatchLookup
    reader: Reader
    facts: list[tuple[Any, int, list[Any]]] = field(default_factory=list)
    """The full fact, its number, and what the reader may see of it now."""

    def add(self, event: AnyEvent, numbers: Iterable[int]) -> None:
        """Remember these facts of the event, unless the reader may see all of them."""
        if self.reader == EVERYTHING or self.last.status == "over":
            return
        for n in numbers:
            fact, number = event.facts[n], event.first_fact + n
            states = (self.last, state_for_redaction(event, self.last, self.past))
            seen = [match.rules.redact(match.state, fact, number, self.reader) for match in states]
            if any(each != fact for each in seen):
                self.facts.append((fact, number, seen))

    def shows_hidden(self, match: AnyMatch) -> bool:
        """Return whether a view in this position would show something that is hidden now."""
        if self.reader == EVERYTHING:
            return False
        redact, state, seat = match.rules.redact, match.state, self.reader
        return any(
            then != now and loses_information(to_builtins(then), to_builtins(now))
            for fact, number, seen in self.facts
            for then in (redact(state, fact, number, seat),)
            for now in seen
        )

    def state_to_redact(self, event: AnyEvent, after: AnyMatch) -> AnyMatch:
        """Return the state that decides what the reader sees of an event.

        After the end of the match, a seat sees what it knew when the ply was played, as in the rest of a replay.
        """
        return after if self.last.status == "over" else state_for_redaction(event, self.last, self.past)


def playback(
    whole: Replay, now: AnyMatch, first: int, last: int, reader: Reader, group: Group, most: int
) -> Iterator[Beat]:
    """Yield the beats of the plies up to `last`; `now` is the match at its head.

    The plies from `first` have up to `most` beats each. The earlier ones are one beat each, because boards show some of
    the past; only the last of them can be shown. Raises ValueError if `group` loses or repeats a fact.
    """
    memory = Memory(now, whole.at, reader)
    before: AnyMatch | None = None
    for event, after in zip(whole.events[:last], whole.matches(), strict=False):
        if event.ply < first:
            yield whole_beat(event, after, memory, may_show=event.ply == first - 1)
        else:
            yield from event_beats(event, before, after, memory, group, most)
        before = after


def event_beats(
    event: AnyEvent, before: AnyMatch | None, after: AnyMatch, memory: Memory, group: Group, most: int
) -> Iterator[Beat]:
    """Yield the beats of one event. An event that isn't a move is one beat."""
    seen = visible_facts(event, after, memory)
    if before is None or not isinstance(event, Moved) or len(seen) - seen.count(None) < 2:
        yield whole_beat(event, after, memory)
        return
    public = visible_event(event, after, memory)
    groups = merge_groups(grouped_numbers(seen, group), most)
    state, told = before.state, set[int]()
    for position, numbers in enumerate(groups):
        is_last = position == len(groups) - 1
        applied = with_hidden(numbers, seen, told, is_last=is_last)
        for n in applied:
            state = after.rules.evolve(state, event.facts[n])
        told.update(applied)
        memory.add(event, applied)
        match = after if is_last else replace(before, state=state)
        heard = tuple(fact for n, fact in enumerate(seen) if n in told and fact is not None)
        facts = tuple(seen[n] for n in numbers)
        yield Beat(replace(public, facts=heard), facts, match, not memory.shows_hidden(match))


def whole_beat(event: AnyEvent, after: AnyMatch, memory: Memory, *, may_show: bool = True) -> Beat:
    """Return an event as one beat."""
    facts = tuple(fact for fact in visible_facts(event, after, memory) if fact is not None)
    memory.add(event, range(len(event.facts)))
    is_shown = may_show and not memory.shows_hidden(after)
    return Beat(replace(visible_event(event, after, memory), facts=facts), facts, after, is_shown)


def visible_facts(event: AnyEvent, after: AnyMatch, memory: Memory) -> list[Any | None]:
    """Return each fact as the reader may see it, or None."""
    now = memory.state_to_redact(event, after)
    if memory.reader == EVERYTHING or now.status == "over":
        return list(event.facts)
    redact = now.rules.redact
    return [redact(now.state, fact, n, memory.reader) for n, fact in enumerate(event.facts, event.first_fact)]


def visible_event(event: AnyEvent, after: AnyMatch, memory: Memory) -> AnyEvent:
    """Return the event without its facts, as the reader may see it."""
    alone = replace(event, facts=())
    now = memory.state_to_redact(event, after)
    return alone if memory.reader == EVERYTHING else redact_event(alone, now, memory.reader)


def grouped_numbers(seen: Sequence[Any | None], group: Group) -> list[list[int]]:
    """Return the numbers of the visible facts in groups. Raises ValueError if a fact is lost or repeated."""
    numbers = defaultdict[int, deque[int]](deque)
    for n, fact in enumerate(seen):
        if fact is not None:
            numbers[id(fact)].append(n)
    try:
        beats = group([fact for fact in seen if fact is not None])
        groups = [[numbers[id(fact)].popleft() for fact in beat] for beat in beats if beat]
    except IndexError:
        raise ValueError("a playback shows a fact twice") from None
    if any(numbers.values()):
        raise ValueError("a playback leaves out a fact")
    return groups


def merge_groups(groups: list[list[int]], most: int) -> list[list[int]]:
    """Return at most this many groups. Neighbours are merged evenly."""
    if len(groups) <= most:
        return groups
    bounds = [round(n * len(groups) / most) for n in range(most + 1)]
    return [list(chain.from_iterable(groups[start:end])) for start, end in pairwise(bounds)]


def with_hidden(numbers: Sequence[int], seen: Sequence[Any | None], told: set[int], *, is_last: bool) -> list[int]:
    """Return the facts to fold for a beat: each with the facts before it that the reader doesn't see."""
    found: list[int] = []
    for n in numbers:
        hidden, earlier = [], n - 1
        while earlier >= 0 and seen[earlier] is None and earlier not in told:
            hidden.append(earlier)
            earlier -= 1
        found += [*reversed(hidden), n]
    left = (n for n, fact in enumerate(seen) if fact is None and n not in told and n not in found) if is_last else ()
    return [*found, *left]

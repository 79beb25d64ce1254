"""Compare two replays of a match, or one match under two rules versions."""

from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.chance import Luck
from domain.kernel.events import AnyEvent, SeedRevealed
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import BadOptions, Refused
from domain.kernel.registry import find_game
from domain.match.evolve import evolve, from_created
from domain.match.history import History
from domain.match.luck import load_secrets, revealed_secrets
from domain.match.state import AnyMatch
from replays.difference import first_difference
from replays.file import kind_of
from replays.re_execution import re_execute
from replays.replay import Replay
from replays.report import shorten

IGNORED_FIELDS = ("at", "salt", "prev", "hash")
"""Fields that a comparison ignores: the time, and the hashes and salts."""


class ReplayDifference(msgspec.Struct, frozen=True, kw_only=True):
    """The first ply at which two sides differ, the part of the event that differs, and both values.

    `rule` is the game's rule if one side forbids the move, otherwise `facts` or `event`. `positions` are both tables
    after the ply as text, as a spectator sees them. A side without a table has an empty text.
    """

    ply: int
    rule: str
    path: str
    one: str
    other: str
    sentence: str
    positions: tuple[str, str]

    def as_text(self) -> str:
        """Return the difference as a line of text, without the positions."""
        return f"ply {self.ply}: {self.sentence} `{self.path}`: {self.one} versus {self.other}. [rule {self.rule}]"


def compare_replays(one: Replay, other: Replay) -> ReplayDifference | None:
    """Return the first difference between two replays, or None. Times, salts and hashes are ignored."""
    if one.created.match != other.created.match:
        return different_matches(one, other)
    for ply in range(1, max(len(one.events), len(other.events)) + 1):
        sides = [comparable_event(replay, ply) for replay in (one, other)]
        difference = first_difference(sides[0], sides[1], "event")
        if difference is None:
            continue
        rule = "facts" if difference.path.startswith("event.facts") else "event"
        return ReplayDifference(
            ply=ply,
            rule=rule,
            path=difference.path.removeprefix("event."),
            one=shorten(difference.expected),
            other=shorten(difference.found),
            sentence="The two replays differ here.",
            positions=(table_text(one, ply), table_text(other, ply)),
        )
    return None


def different_matches(one: Replay, other: Replay) -> ReplayDifference:
    """Return the difference between replays of two different matches."""
    return ReplayDifference(
        ply=1,
        rule="event",
        path="match",
        one=one.created.match,
        other=other.created.match,
        sentence="These are replays of two different matches.",
        positions=("", ""),
    )


def comparable_event(replay: Replay, ply: int) -> Any:
    """Return the compared fields of an event as plain data, or None after the last event."""
    if ply > len(replay.events):
        return None
    event: dict[str, Any] = msgspec.to_builtins(replay.event(ply))
    return {name: value for name, value in event.items() if name not in IGNORED_FIELDS}


def table_text(replay: Replay, ply: int) -> str:
    """Return the table after a ply as a spectator sees it; empty if there is none."""
    if replay.is_redacted or ply > len(replay.events):
        return ""
    return spectator_text(replay.at(ply))


def spectator_text(match: AnyMatch) -> str:
    """Return the table as a spectator sees it; empty before the game is set up."""
    return match.rules.text(match.rules.view(match.state, None), None) if match.draw_count else ""


class CannotReExecute(ValueError):
    """Raised for a match that cannot be re-executed: its seed is unknown, or it is a fork."""


def compare_under_rules(replay: Replay, rules_version: int, seed: bytes | None = None) -> ReplayDifference | None:
    """Return the first difference when every move is re-executed under another rules version, or None.

    Moves and draws are those of the match. `seed`, the stored secrets, is needed for a match that has not revealed
    them. Raises UnknownGame, CannotReExecute.
    """
    game = find_game(replay.created.game, rules_version)
    match, then = from_created(replay.created), create_under_rules(replay, rules_version)
    luck = revealed_luck(replay) if seed is None else load_secrets(match, seed)
    if isinstance(then, ReplayDifference):
        return then
    tried: list[AnyEvent] = [replace(replay.created, rules_version=rules_version)]
    was, is_now = History(replay.events), History(tried, replay.events)
    for event in replay.events[1:]:
        again: AnyEvent = event
        if event.draw is not None:
            try:
                again = replace(event, facts=re_execute(then, event, luck).facts)
            except Refused as refused:
                shown = canonical_json(event.move if event.move is not None else replay.created.options).decode()
                return difference_at(event, refused.rule, "move", shown, "refused", refused.message, match, then)
        tried.append(again)
        match, then = evolve(match, event, was.at), evolve(then, again, is_now.at)
        if canonical_json(event.facts) != canonical_json(again.facts):
            difference = first_difference(event.facts, again.facts, "facts")
            path, before, after = difference or ("facts", event.facts, again.facts)
            sentence = f"Rules version {rules_version} of {game.title} gives a different result."
            return difference_at(event, "facts", path, before, after, sentence, match, then)
    return None


def create_under_rules(replay: Replay, rules_version: int) -> AnyMatch | ReplayDifference:
    """Return the new match under the other rules version, or the difference if that version rejects its options."""
    game = find_game(replay.created.game, rules_version)
    try:
        game.read_options(replay.created.options)
    except BadOptions as error:
        found = canonical_json(replay.created.options).decode()
        first = from_created(replay.created)
        return difference_at(replay.created, error.rule, "options", found, "refused", error.message, first, first)
    if replay.created.fork is not UNSET:
        raise CannotReExecute("a fork takes its first facts from another match; try that match instead")
    return from_created(replace(replay.created, rules_version=rules_version))


def revealed_luck(replay: Replay) -> Luck:
    """Return the secrets that the match revealed. Raises CannotReExecute."""
    revealed = next((event for event in replay.events if isinstance(event, SeedRevealed)), None)
    if revealed is None:
        raise CannotReExecute("the match has not revealed its seed yet")
    return revealed_secrets(replay.at(1), revealed)


def difference_at(
    event: AnyEvent, rule: str, path: str, one: Any, other: Any, sentence: str, mine: AnyMatch, theirs: AnyMatch
) -> ReplayDifference:
    """Return the difference at an event."""
    return ReplayDifference(
        ply=event.ply,
        rule=rule,
        path=path if path else kind_of(event),
        one=shorten(one),
        other=shorten(other),
        sentence=sentence,
        positions=(spectator_text(mine), spectator_text(theirs)),
    )

"""A replay file checked, layer by layer, against nothing but itself, the rules and the seed it reveals.

`file`        the form of the file, every line canonical, header and closing line fitting the events
`chain`       plies 1 to n without a gap, each event linked to the one before, every hash computed again
`signature`   the closing line is signed, by whom, and whether the signature is right
`lifecycle`   created, seats taken, started when full, moves, ended, seed revealed; nothing else and nothing behind
`seed`        the seed is the one committed to, salts and client seeds are what they must be
`components`  the component data is that of the rules version
`draws`       every outcome of chance is what the seed gives
`moves`       every move, decided again under its rules version, has the same facts to the byte
`fold`        draws and facts are counted right, the published outcome is the folded one
`score`       the independent scorer, from the facts alone, agrees with the engine line by line
`clocks`      time never goes back, what the match adds by itself has the time of what caused it, deadlines are kept
`authorship`  each event comes from the seat that may cause it, held by a player or a bot at that time

Draws and moves are checked in one pass: where facts part, the one draw that explains it is looked for.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from domain.kernel.chance import SEED_BYTES, Seed
from domain.kernel.events import (
    GENESIS,
    Answered,
    AnyEvent,
    Audited,
    Cancelled,
    Created,
    Disputed,
    Ended,
    Expired,
    Extended,
    HandedOver,
    Moved,
    OfferWithdrawn,
    Paused,
    Proposed,
    Resolved,
    Resumed,
    SeatLeft,
    SeatOffered,
    SeatTaken,
    SeedRevealed,
    Started,
    TakenBack,
    VacationTaken,
    canonical,
    digest,
    returns_to,
    standing,
)
from domain.kernel.game import AnyGame, BadOptions, MatchRefused, Refused, ScoreSheet
from domain.kernel.registry import find_game
from domain.match.clock import PATIENCE, expired, require_plan
from domain.match.disputes import (
    RaiseDispute,
    RecordVerdict,
    Resolve,
    raise_dispute,
    record_verdict,
    require_played,
    require_resolvable,
    ruled_outcome,
)
from domain.match.handover import HandOver, KeepSeat, OfferSeat, TakeOver, hand_over, keep_seat, offer_seat, take_over
from domain.match.information import lone_move, nothing_learned
from domain.match.match import NO_CLIENT_SEED, AnyMatch, History, Past, born, evolve, require_move_behind, seat_order
from domain.match.proposals import (
    Answer,
    Propose,
    Resume,
    answer,
    find_proposal,
    granted,
    missing,
    proposal_of,
    require_proposable,
    resume,
    taken_back,
)
from replays.difference import Difference, first_difference
from replays.file import ReplayFile, check_frame, kind_of, parse, parse_own
from replays.re_execution import TracedLuck, other_draw, redecide, set_by_chance
from replays.redaction import perspectives
from replays.report import Diverged, Layer, Report, diverged, sum_up
from replays.signature import KEY_DIGITS, VALUE_DIGITS, Trust, is_hex, message

LAYERS = (
    "file", "chain", "signature", "lifecycle", "seed", "components", "draws", "moves", "fold", "score", "clocks",
    "authorship",
)  # fmt: skip
SEALED = "the rest is sealed until the match is over"
FALLS_OVER: tuple[type[Exception], ...] = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, Refused, RuntimeError, StopIteration,
    TypeError, ValueError, msgspec.MsgspecError,
)  # fmt: skip
"""How rules and scorers fall over what is not of their making. All else (no time or memory left, a file that cannot be
opened, an interrupt) is the machine's trouble: it says nothing about a match, and goes to whoever asked."""


@dataclass
class Case:
    """A file under examination. `place` is the event being looked at, for what goes wrong inside the rules."""

    file: ReplayFile
    trust: Trust | None = None
    known: bytes | None = None
    """The seed of a match that still runs, for the server's own audits: then the events are those of the log."""
    owed: dict[int, frozenset[int]] = field(default_factory=dict)
    """Which seats owed a move at each `moved` (by ply), as the fold found it."""
    place: AnyEvent = field(init=False)
    failed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.place = self.file.events[0]

    @property
    def complete(self) -> bool:
        """Whether everything is shown."""
        return self.file.header.complete or self.known is not None

    @cached_property
    def past(self) -> Past:
        """The match behind an earlier ply."""
        return History(self.events).at

    @cached_property
    def bare_past(self) -> Past:
        """The same by the lifecycle alone, without the game."""
        return History([bare(event) for event in self.events]).at

    @property
    def events(self) -> tuple[AnyEvent, ...]:
        """The events in the order of the file."""
        return self.file.events

    @cached_property
    def created(self) -> Created[Any, Any]:
        """The first event."""
        first = self.events[0]
        assert isinstance(first, Created), "reading sees to it"
        return first

    @cached_property
    def game(self) -> AnyGame:
        """The game at its rules version."""
        return find_game(self.file.header.game, self.file.header.rules_version)

    @cached_property
    def seed(self) -> Seed | None:
        """The seed that was committed to, if the file reveals it."""
        raw = self.known or next((seed_bytes(e.seed) for e in self.events if isinstance(e, SeedRevealed)), None)
        if raw is None or hashlib.sha256(raw).hexdigest() != self.created.commitment:
            return None
        return Seed(raw, given=self.created.given)

    def walk(self) -> Iterator[AnyEvent]:
        """The events, noting which one is being looked at."""
        for event in self.events:
            self.place = event
            yield event

    def line(self, event: AnyEvent) -> int:
        """The line of an event."""
        # Plies may be wrong in a damaged file, so it is the place that counts.
        return next(n for n, other in enumerate(self.events, 2) if other is event)

    def parts(self, event: AnyEvent, rule: str, expected: Any, found: Any, sentence: str) -> Diverged:
        """The exception for a divergence at an event."""
        line = self.line(event)
        return diverged(line, rule, expected, found, sentence, ply=line - 1)

    def require(self, event: AnyEvent, rule: str, expected: Any, found: Any, sentence: str) -> None:
        """Raise Diverged unless what is found is what is expected."""
        if expected != found:
            raise self.parts(event, rule, expected, found, sentence)


def bare(event: AnyEvent) -> AnyEvent:
    """An event without what it did to the game; a match without its clock, since nobody knows then whose turn it is."""
    if isinstance(event, Created):
        return replace(event, facts=(), clock=UNSET)
    return replace(event, facts=())


def verify(raw: bytes | Iterable[bytes], trust: Trust | None = None) -> Report:
    """The report on a replay file, given whole or in pieces. Whatever the bytes are, they raise nothing.

    `trust` says how signatures are checked and whose count; without it they are not.
    """
    try:
        file = parse(raw)
    except Diverged as error:
        return unreadable(error)
    return examine(Case(file, trust))


def examine(case: Case) -> Report:
    """The report on a file that could be read."""
    layers: list[Layer] = []
    for names, check in CHECKS:
        layers += run(case, names, check)
        case.failed |= {layer.name for layer in layers if layer.status == "failed"}
    header = case.file.header
    return sum_up(
        layers, match=header.match, game=header.game, rules_version=header.rules_version, events=len(case.events)
    )


def audit(raw: bytes, seed: bytes | None = None) -> Report:
    """The report on a match from the log's own lines in a frame, whose length no limit of files ends.

    A match that still runs has its `seed` beside it. For the server alone, which knows both; of what it says then, only
    layer, ply and rule may be told before the end.
    """
    try:
        return examine(Case(parse_own(raw), known=seed))
    except Diverged as error:
        return unreadable(error)


def unreadable(error: Diverged) -> Report:
    """The report on what could not be read."""
    broken = Layer("file", "failed", "The file cannot be read.", error.divergence)
    rest = [Layer(name, "not_checked", "The file cannot be read.") for name in LAYERS[1:]]
    return sum_up([broken, *rest], match=None, game=None, rules_version=None, events=0)


def run(case: Case, names: tuple[str, ...], check: Callable[[Case], list[Layer]]) -> list[Layer]:
    """The layers of one check. A check that falls over the file fails its last layer."""
    *others, last = names
    try:
        return check(case)
    except Diverged as error:
        divergence = error.divergence
    except FALLS_OVER:  # the facts of a forged file may be such that rules or scorer cannot make sense of them
        divergence = case.parts(
            case.place,
            last,
            "an event that the rules can read",
            f"`{kind_of(case.place)}`, which they cannot",
            "The rules cannot make sense of this event.",
        ).divergence
    failed = Layer(last, "failed", divergence.sentence, divergence)
    return [*(Layer(name, "not_checked", f"The layer `{last}` failed.") for name in others), failed]


# -- file, chain --------------------------------------------------------------------------------------------------


def check_file(case: Case) -> list[Layer]:
    """Header and closing line against the events; every line is canonical already."""
    check_frame(case.file, public=not case.complete)
    what = "whole" if case.complete else "the public part of a match that is not over"
    return [Layer("file", "ok", f"{len(case.events)} events in canonical form; {what}.")]


def check_chain(case: Case) -> list[Layer]:
    """Plies, links and hashes."""
    prev = GENESIS
    for ply, event in enumerate(case.walk(), 1):
        case.require(event, "chain.ply", ply, event.ply, "An event is missing, doubled or out of its place.")
        case.require(event, "chain.prev", prev, event.prev, "The event does not follow the one before it.")
        if case.complete:
            sealed = digest(event, prev)
            case.require(event, "chain.hash", sealed, event.hash, "The event was changed after it was sealed.")
        prev = str(event.hash)
    if not case.complete:
        return [Layer("chain", "partly", f"{number(len(case.events), 'link')} hold; {SEALED}.")]
    return [Layer("chain", "ok", f"{len(case.events)} hashes computed again; the last is {prev[:16]}...")]


# -- signature ----------------------------------------------------------------------------------------------------


def check_signature(case: Case) -> list[Layer]:
    """The signature of the closing line."""
    closing, trust = case.file.closing, case.trust
    line = len(case.events) + 2
    found = closing.signature
    if found is UNSET:
        if trust is not None and trust.required:
            wanted = "a signature by a trusted key"
            raise diverged(line, "signature.missing", wanted, "none", "The file is not signed.")
        sentence = "The file is not signed: it proves itself, but not where it comes from."
        return [Layer("signature", "not_checked", sentence)]
    for name, digits in (("key", KEY_DIGITS), ("value", VALUE_DIGITS)):
        text = getattr(found, name)
        if not is_hex(text, digits):
            wanted = f"{digits} lower-case hexadecimal digits"
            raise diverged(line, "signature.form", wanted, text, f"The signature's `{name}` is not well-formed.")
    if trust is None:
        return [
            Layer("signature", "not_checked", f"Signed by key {found.key[:16]}...; nothing here checks signatures.")
        ]
    signed = message(case.file.header, replace(closing, signature=UNSET))
    if not trust.check(bytes.fromhex(found.key), signed, bytes.fromhex(found.value)):
        wanted, sentence = f"a signature by key {found.key}", "The signature is not one of this key over this file."
        raise diverged(line, "signature.value", wanted, found.value, sentence)
    if found.key in trust.keys:
        return [Layer("signature", "ok", f"Signed by key {found.key[:16]}..., which is known here.")]
    if trust.required:
        wanted = " or ".join(sorted(trust.keys)) or "a trusted key"
        raise diverged(line, "signature.key", wanted, found.key, "The file is signed by a key that is not trusted.")
    sentence = f"Signed by key {found.key}; whose key that is was not checked: its server publishes its keys."
    return [Layer("signature", "partly", sentence)]


# -- lifecycle ----------------------------------------------------------------------------------------------------


def check_lifecycle(case: Case) -> list[Layer]:
    """Every event where it may stand, with nothing in it that its kind does not have."""
    match, last = bare_born(case), case.events[0]
    check_created(case, case.created)
    for event in case.walk():
        if event is not case.created:
            kinds = allowed(match, last)
            names = " or ".join(tag_of(kind) for kind in kinds) or "the closing line"
            if not isinstance(event, kinds):
                raise case.parts(event, "lifecycle.order", names, kind_of(event), "This event may not stand here.")
            check_seat(case, match, event)
            check_court(case, match, event)
            check_consent(case, match, last, event)
            check_seating(case, event)
            match, last = evolve(match, bare(event), case.bare_past), event
        check_shape(case, event)
    if len(due := allowed(match, last)) == 1:
        raise case.parts(
            last, "lifecycle.order", f"{tag_of(due[0])} next", "the closing line", "The event that follows is missing."
        )
    return [Layer("lifecycle", "ok", f"{len(match.seats)} seats, {len(case.events)} events in order.")]


def bare_born(case: Case) -> AnyMatch:
    """The match that the first event makes, by the lifecycle alone."""
    return born(replace(case.created, facts=(), clock=UNSET))


def allowed(match: AnyMatch, last: AnyEvent) -> tuple[type[AnyEvent], ...]:
    """The kinds of event that may follow; a single one must follow, in the same append."""
    if match.seed is not None:
        return COURT
    if match.status == "over":
        return (SeedRevealed,)
    if isinstance(last, Expired) and last.consequence == "resigns":
        return (Moved,)
    if any(not missing(match, proposal) for proposal in match.proposals):
        return (Paused, Extended, TakenBack, SeatOffered, HandedOver)
    if match.status == "playing":
        return (Moved, Ended, Expired, Proposed, Answered, Resumed, TakenBack, VacationTaken, *HANDING_OVER, *COURT)
    return (SeatTaken, SeatLeft, Cancelled) if match.open_seats else (Started,)


OF_A_SEAT = (
    SeatTaken, SeatLeft, Moved, Expired, Proposed, Answered, Paused, Resumed, Extended, TakenBack, VacationTaken,
    SeatOffered, OfferWithdrawn, HandedOver,
)  # fmt: skip
"""What a seat does, or what happens to one."""
HANDING_OVER = (SeatOffered, OfferWithdrawn, HandedOver)
COURT = (Disputed, Audited, Resolved)
"""What may stand behind the end, and between the moves."""


def check_court(case: Case, match: AnyMatch, event: AnyEvent) -> None:
    """Disputes, verdicts and rulings as the match allowed them at that time."""
    try:
        match_court(case, match, event)
    except MatchRefused as refused:
        raise case.parts(event, "lifecycle.court", "what the match allows", kind_of(event), refused.message) from None


def match_court(case: Case, match: AnyMatch, event: AnyEvent) -> None:
    """Do again what the event has done. Raises MatchRefused."""
    match event:
        case Disputed():
            claim = RaiseDispute(event.seat, event.target, event.ground, event.claim, event.arbiter)
            raise_dispute(match, claim, event.at)
        case Audited():
            record_verdict(match, RecordVerdict(event.dispute, event.holds), event.at)
        case Resolved():
            require_resolvable(match, Resolve(event.dispute, event.ruling, event.arbiter, event.to_ply))
            if event.to_ply is not None:
                require_played(case.bare_past(event.to_ply))


def check_consent(case: Case, match: AnyMatch, last: AnyEvent, event: AnyEvent) -> None:
    """What was asked for, answered, granted and handed over, as the match allowed it at that time."""
    try:
        wanted = consented(case, match, last, event)
    except MatchRefused as refused:
        found = kind_of(event)
        raise case.parts(event, "lifecycle.consent", "what the match allows", found, refused.message) from None
    if wanted is not None:
        shown = replace(event, salt=None, prev=UNSET, hash=UNSET, first_fact=wanted.first_fact)
        case.require(event, "lifecycle.consent", wanted, shown, "This is not what was asked for and agreed to.")


def consented(case: Case, match: AnyMatch, last: AnyEvent, event: AnyEvent) -> AnyEvent | None:
    """The event as it must be, if it is about consent and more than a question. Raises MatchRefused."""
    clocked = replace(match, clock=None if case.created.clock is UNSET else case.created.clock)
    match event:
        case Proposed():
            asked = proposal_of(event)
            wish = Propose(
                seat=asked.seat,
                what=asked.what,
                seconds=asked.seconds,
                to_ply=asked.to_ply,
                of=asked.of,
                level=asked.level,
            )
            require_proposable(clocked, wish)
            require_move_behind(match, event.to_ply, case.bare_past)
        case Answered():
            return answer(match, Answer(event.seat or 0, event.proposal, event.agrees), event.at)[0]
        case Resumed():
            return resume(match, Resume(event.seat or 0), event.at)[0]
        case TakenBack(proposal=None):
            require_proposable(clocked, Propose(seat=event.seat or 0, what="takeback", to_ply=event.to_ply))
            require_move_behind(match, event.to_ply, case.bare_past)
            return taken_back(match, event.ply, event.seat or 0, event.to_ply, None, event.at)
        case SeatOffered(proposal=None) | OfferWithdrawn() | HandedOver(proposal=None):
            return handed_over(match, event)
        case Paused() | Extended() | TakenBack() | SeatOffered() | HandedOver():
            proposal = find_proposal(match, event.proposal or 0)
            if missing(match, proposal):
                raise MatchRefused("not_agreed", "Not everybody has agreed.")
            return granted(match, proposal, event.ply, last.at)[0]
    return None


def handed_over(match: AnyMatch, event: AnyEvent) -> AnyEvent:
    """The event as it must be, by which a seat's owner offers it, keeps it or gives it away. Raises MatchRefused."""
    seat = event.seat or 0
    match event:
        case OfferWithdrawn():
            return keep_seat(match, KeepSeat(seat, event.offer), event.at)
        case HandedOver(offer=int(number)):
            return take_over(match, TakeOver(seat, event.player or "", number), event.at)
        case HandedOver():
            return hand_over(match, HandOver(seat, event.level or ""), event.at)
        case _:
            return offer_seat(match, OfferSeat(seat), event.at)


def tag_of(kind: type[AnyEvent]) -> str:
    """The `kind` of events of this type."""
    return str(kind.__struct_config__.tag)


def check_created(case: Case, created: Created[Any, Any]) -> None:
    """A number of seats and options that the game has, and a clock that there is."""
    if created.clock is not UNSET:
        try:
            require_plan(created.clock)
        except MatchRefused as refused:
            found = canonical(created.clock).decode()
            raise case.parts(created, "lifecycle.clock", "a clock that there is", found, refused.message) from None
    counts = case.game.seat_counts
    if len(created.seats) not in counts:
        wanted = " or ".join(map(str, counts))
        raise case.parts(created, "lifecycle.seats", wanted, len(created.seats), "The game is not played by so many.")
    try:
        options = case.game.read_options(created.options)
    except BadOptions as error:
        raise case.parts(
            created, error.rule, "options of the game", created.options, "The game has no such options."
        ) from None
    case.require(
        created, "lifecycle.options", canonical(options).decode(), canonical(created.options).decode(),
        "The options are not written out as the game reads them.",
    )  # fmt: skip


def check_seat(case: Case, match: AnyMatch, event: AnyEvent) -> None:
    """A seat that exists, free for who sits down and taken by who gets up."""
    if not isinstance(event, OF_A_SEAT) and event.seat is None:
        return
    if event.seat not in range(len(match.seats)):
        raise case.parts(
            event, "lifecycle.seats", f"a seat from 0 to {len(match.seats) - 1}", event.seat, "There is no such seat."
        )
    if isinstance(event, VacationTaken) and match.seats[event.seat or 0].kind != "human":
        raise case.parts(event, "lifecycle.seats", "a seat that a person holds", event.seat, "Bots have no vacation.")
    is_open = event.seat in match.open_seats
    if isinstance(event, SeatLeft) and is_open:
        raise case.parts(event, "lifecycle.seats", "a seat that is taken", event.seat, "Nobody sits there.")
    if isinstance(event, SeatTaken) and not is_open:
        raise case.parts(event, "lifecycle.seats", "an open seat", event.seat, "Somebody sits there already.")


def check_seating(case: Case, event: AnyEvent) -> None:
    """A start has an order of seats where chance decides who sits where, each seat once, and nowhere else."""
    if not isinstance(event, Started):
        return
    drawn = case.created.seating is not UNSET
    order = None if event.order is UNSET else list(event.order)
    if drawn is (order is not None) and (order is None or sorted(order) == [*range(len(case.created.seats))]):
        return
    wanted = "each seat once" if drawn else "no order"
    raise case.parts(event, "lifecycle.seating", wanted, order, "This is no way in which the players can sit.")


def check_shape(case: Case, event: AnyEvent) -> None:
    """Seat, move, facts and draw only where the kind of event has them."""
    forked = case.created.fork is not UNSET
    plays = isinstance(event, Moved) or (isinstance(event, Started) and not forked)
    sits = isinstance(event, OF_A_SEAT) or (isinstance(event, Disputed) and event.arbiter is None)
    moves = isinstance(event, Moved)
    for name, wanted, has in (
        ("seat", sits, event.seat is not None),
        ("move", moves, event.move is not None),
        ("draw", plays, event.draw is not None),
    ):
        # In the public part of a running match the moves of others are hidden.
        if wanted != has and not (name == "move" and wanted and not case.complete):
            raise case.parts(
                event,
                "lifecycle.shape",
                f"{'a' if wanted else 'no'} {name}",
                getattr(event, name),
                f"`{kind_of(event)}` is of the wrong shape.",
            )
    if event.facts and not (plays or (forked and event is case.created)):
        raise case.parts(
            event, "lifecycle.shape", "no facts", event.facts, f"`{kind_of(event)}` changes nothing in the game."
        )


# -- seed, components ---------------------------------------------------------------------------------------------


def check_seed(case: Case) -> list[Layer]:
    """Commitment, salts and client seeds."""
    check_client_seeds(case)
    if not case.complete:
        return [Layer("seed", "not_checked", "The seed is revealed when the match is over.")]
    last: AnyEvent = next((event for event in case.events if isinstance(event, SeedRevealed)), case.events[-1])
    if not isinstance(last, SeedRevealed) and case.known is None:
        raise case.parts(last, "seed.revealed", "seed_revealed", kind_of(last), "The seed is not revealed.")
    raw = case.known if case.known is not None else seed_bytes(getattr(last, "seed", ""))
    if raw is None:
        wanted = f"1 to {2 * SEED_BYTES} bytes in lower-case hex"
        raise case.parts(last, "seed.revealed", wanted, getattr(last, "seed", ""), "This is not a seed.")
    found = hashlib.sha256(raw).hexdigest()
    case.require(
        last, "seed.commitment", case.created.commitment, found, "The seed is not the one that was committed to."
    )
    seed = Seed(raw, given=case.created.given)
    check_seat_order(case, seed)
    for ply, event in enumerate(case.walk(), 1):
        case.require(event, "seed.salt", seed.salt(ply), event.salt, "The salt does not come from the seed.")
    given = " The seed was given openly." if case.created.given else ""
    return [Layer("seed", "ok", f"The seed is the one committed to, and so are {len(case.events)} salts.{given}")]


def shares_taken(case: Case) -> list[str]:
    """The players' shares of the luck, seat by seat as they sat down."""
    given: dict[int | None, str] = dict.fromkeys(range(len(case.created.seats)), NO_CLIENT_SEED)
    given |= {event.seat: event.client_seed for event in case.events if isinstance(event, SeatTaken)}
    return list(given.values())


def check_seat_order(case: Case, seed: Seed) -> None:
    """Who sits where by chance sits where the seed says."""
    for event in case.walk():
        if isinstance(event, Started) and event.order is not UNSET:
            drawn = seat_order(seed, case.created.match, shares_taken(case))
            case.require(event, "seed.seats", list(drawn), list(event.order), "The seed seats the players otherwise.")


def check_client_seeds(case: Case) -> None:
    """The start lists what the players gave as they sat down, in the order in which they sit now."""
    for event in case.walk():
        if isinstance(event, Started):
            taken = shares_taken(case)
            order = range(len(taken)) if event.order is UNSET else event.order
            shares = [taken[seat] for seat in order if seat in range(len(taken))]
            case.require(
                event, "seed.clients", shares, list(event.client_seeds), "These are not the players' shares of luck."
            )


def seed_bytes(text: str) -> bytes | None:
    """A revealed seed's bytes; None for what cannot be a seed."""
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        return None
    return raw if raw.hex() == text and 1 <= len(raw) <= 2 * SEED_BYTES else None


def check_components(case: Case) -> list[Layer]:
    """The digest that the match pinned is that of the component data at hand."""
    case.require(
        case.created,
        "components",
        case.game.components_digest,
        case.created.components,
        "The match was played with other components (cards, boards) than this rules version has.",
    )
    what = f"{case.game.title}, rules version {case.game.rules_version}: the components are the same."
    return [Layer("components", "ok", what)]


# -- draws and moves ----------------------------------------------------------------------------------------------


def check_moves(case: Case) -> list[Layer]:
    """Set-up and every move decided again, with the draws of the seed."""
    if reason := unready(case):
        return [Layer(name, "not_checked", reason) for name in ("draws", "moves")]
    assert case.seed is not None, "unready sees to it"
    match, draws, decided = born(case.created), 0, 0
    for event in case.walk():
        if event.draw is not None:
            luck = TracedLuck(case.seed)
            try:
                again = redecide(match, event, luck)
            except Refused as refused:
                return refused_move(case, event, refused)
            if canonical(again.facts) != canonical(event.facts):
                return parted_facts(case, match, event, again, luck)
            draws, decided = draws + len(luck.traced), decided + 1
        if event is not case.created:
            match = evolve(match, event, case.past)
    if not decided and case.created.fork is UNSET:
        never = "The match was cancelled before anything was drawn or moved."
        return [Layer(name, "ok", never) for name in ("draws", "moves")]
    return [
        Layer("draws", "ok", f"{number(draws, 'draw')} made again from the seed."),
        Layer("moves", "ok", f"{decided_words(case, decided)} decided again: the same facts, to the byte."),
    ]


def decided_words(case: Case, decided: int) -> str:
    """What was decided again. A fork has its first facts from another match, whose own file proves them."""
    fork = case.created.fork
    if fork is UNSET:
        return f"Set-up and {number(decided - 1, 'move')}"
    parent = f"Forked from ply {fork.ply} of match {fork.match}, whose own file proves what was before"
    return f"{parent}; {number(decided, 'move')}"


def unready(case: Case) -> str | None:
    """Why draws and moves cannot be checked."""
    if "lifecycle" in case.failed:
        return "The layer `lifecycle` failed."
    if not case.complete:
        return f"This is what a spectator may see; {SEALED}."
    return "The seed that was committed to is not known." if case.seed is None else None


def refused_move(case: Case, event: AnyEvent, refused: Refused) -> list[Layer]:
    """The layers for a move that is against the rules."""
    found = canonical(event.move).decode()
    parted = case.parts(event, refused.rule, "a move that the rules allow", found, refused.message)
    return [unchecked_draws(parted), Layer("moves", "failed", refused.message, parted.divergence)]


def parted_facts(case: Case, match: AnyMatch, event: AnyEvent, again: AnyEvent, luck: TracedLuck) -> list[Layer]:
    """The layers for facts that are not what the move does: either a draw is another, or the facts are."""
    assert case.seed is not None, "unready sees to it"
    difference = first_difference(again.facts, event.facts, "facts")
    assert difference is not None, "the facts differ in their bytes"
    path, expected, found = difference
    other = other_draw(match, event, case.seed, luck.traced, difference)
    if other is not None:
        number, draw, shown = other
        by_seed = f"Draw {number} of game event {event.draw} is {draw.value} (of 0 to {draw.below - 1}) by the seed"
        return parted_draw(case, event, difference, f"{by_seed}; `{path}` shows it as {shown}.")
    if set_by_chance(match, event, case.seed, difference):
        return parted_draw(case, event, difference, f"`{path}` is a matter of draws, and not what the seed gives.")
    sentence = f"The move does not do this: `{path}` differs, and no draw explains it."
    parted = case.parts(event, "facts", expected, found, sentence)
    return [unchecked_draws(parted), Layer("moves", "failed", sentence, parted.divergence)]


def parted_draw(case: Case, event: AnyEvent, difference: Difference, sentence: str) -> list[Layer]:
    """The layers for an outcome of chance that the seed does not give."""
    parted = case.parts(event, "draw", difference.expected, difference.found, sentence)
    reason = f"A draw on line {parted.divergence.line} is not the seed's; up to there the moves have the same facts."
    return [Layer("draws", "failed", sentence, parted.divergence), Layer("moves", "not_checked", reason)]


def unchecked_draws(parted: Diverged) -> Layer:
    """The layer of draws behind a failed move."""
    return Layer("draws", "not_checked", f"The draws before line {parted.divergence.line} are right.")


# -- fold, score --------------------------------------------------------------------------------------------------


def check_fold(case: Case) -> list[Layer]:
    """Counters of draws and facts, and the outcome."""
    if "lifecycle" in case.failed:
        return [Layer("fold", "not_checked", "The layer `lifecycle` failed.")]
    if not case.complete:
        return [check_counters(case)]
    match = born(case.created)
    draws, facts = match.draws, 0
    for event in case.walk():
        counted = 0 if event is case.created else match.facts
        case.require(event, "fold.facts", counted, event.first_fact, "The facts before this event are counted wrong.")
        draws = count_draw(case, event, draws)
        facts += len(event.facts)
        check_ruled(case, event)
        check_free(case, event)
        check_forced(case, match, event)
        if isinstance(event, Moved):
            case.owed[event.ply] = match.to_move
        if isinstance(event, Ended):
            folded = case.game.outcome(match.state)
            case.require(event, "fold.outcome", folded, event.outcome, "The game did not end like this.")
        if event is not case.created:
            match = evolve(match, event, case.past)
    if not case.file.header.complete:
        return [Layer("fold", "partly", f"{number(facts, 'fact')} fold; the match is not over.")]
    return [Layer("fold", "ok", f"{number(facts, 'fact')} fold to the published {end_words(match)}.")]


def check_ruled(case: Case, event: AnyEvent) -> None:
    """A ruling that a result is that of a ply gives the score as it stood there, and no other ruling gives one."""
    if not isinstance(event, Resolved):
        return
    wanted = None
    if event.ruling == "result_of" and event.to_ply is not None:
        try:
            wanted = ruled_outcome(case.past(event.to_ply))
        except MatchRefused as refused:
            raise case.parts(event, "fold.ruling", "a ply whose score counts", event.to_ply, refused.message) from None
    case.require(event, "fold.ruling", wanted, event.outcome, "The score at that ply is not this one.")


def check_free(case: Case, event: AnyEvent) -> None:
    """A move taken back without asking is one from which nobody had learned anything."""
    if not isinstance(event, TakenBack) or event.proposal is not None or event.seat is None:
        return
    then, since = case.past(event.to_ply), case.events[event.to_ply : event.ply - 1]
    shown = perspectives(case.events[: event.to_ply], then, event.seat, case.past)
    known = [fact for each in standing(shown) for fact in each.facts]
    sentence = "Somebody had learned something from the move: it could not be taken back without asking."
    moved = lone_move(since, event.seat)
    free = moved is not None and nothing_learned(then, moved, known)
    case.require(event, "fold.takeback", "a move that told nobody anything", FREE[free], sentence)


def check_forced(case: Case, then: AnyMatch, event: AnyEvent) -> None:
    """A move that was made because it was forced was the seat's only one.

    That everybody could tell so is a matter of what the server gave away, not of whether the match is right; and it is
    judged by sampled worlds, which a later version of the game may sample better.
    """
    if not isinstance(event, Moved) or event.cause is UNSET or event.cause.kind != "forced" or event.seat is None:
        return
    legal = list(islice(case.game.legal_moves(then.state, event.seat), 2))
    if legal != [event.move]:
        sentence = "The seat had other moves: this one was not forced."
        found = canonical(event.move).decode()
        raise case.parts(event, "fold.forced", "the only legal move", found, sentence)


FREE = {True: "a move that told nobody anything", False: "a move that told somebody something"}


def check_counters(case: Case) -> Layer:
    """Counters as far as the public part shows them: no fewer facts than are seen."""
    draws, facts = bare_born(case).draws, 0
    behind: list[int] = []
    for event in case.walk():
        draws = count_draw(case, event, draws)
        if event.first_fact < facts:
            sentence = "More facts are shown before this event than it counts."
            raise case.parts(event, "fold.facts", f"at least {facts}", event.first_fact, sentence)
        facts = event.first_fact + len(event.facts)
        if back_to := returns_to(event):
            facts = behind[back_to - 1]
        behind.append(facts)
    return Layer("fold", "partly", f"{number(draws, 'game event')} counted right; {SEALED}.")


def count_draw(case: Case, event: AnyEvent, draws: int) -> int:
    """The number of game events after this one."""
    if event.draw is None:
        return draws
    case.require(event, "fold.draws", draws, event.draw, "The game events before this one are counted wrong.")
    return draws + 1


def number(count: int, what: str) -> str:
    """So many of something."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def end_words(match: AnyMatch) -> str:
    """An outcome in brief."""
    if match.outcome is None:
        return f"end: {'annulled' if match.annulled else 'cancelled'}, no result"
    return f"result: {match.outcome.reason}, {list(match.outcome.scores)}"


def check_score(case: Case) -> list[Layer]:
    """The scorer's count against the engine's, and both against the published result."""
    if "lifecycle" in case.failed:
        return [Layer("score", "not_checked", "The layer `lifecycle` failed.")]
    if not case.file.header.complete:
        return [Layer("score", "not_checked", "The match is not over.")]
    ended = next((event for event in case.events if isinstance(event, Ended)), None)
    if ended is None:
        return [Layer("score", "ok", "The match was cancelled; there is no score.")]
    case.place = ended
    facts = [fact for event in standing(case.events) for fact in event.facts]
    counted, scored = case.game.audit(facts), case.game.score(case.game.fold(facts))
    if found := scored.differences(counted):
        raise case.parts(
            ended, "score.lines", "one score sheet", found[0], "The engine's score and the scorer's count differ."
        )
    check_result(case, ended, counted)
    return [Layer("score", "ok", f"{number(len(counted.lines), 'line')} counted again: {list(counted.totals)}.")]


def check_result(case: Case, ended: Ended[Any, Any], counted: ScoreSheet) -> None:
    """The published scores and winners are the counted ones."""
    for name, expected, found in (
        ("scores", counted.totals, ended.outcome.scores),
        ("winners", counted.winners, ended.outcome.winners),
    ):
        case.require(ended, "score.result", expected, found, f"The published {name} are not what the facts add up to.")


# -- clocks, authorship -------------------------------------------------------------------------------------------


def check_clocks(case: Case) -> list[Layer]:
    """Time never goes back; what the match does by itself happens at the time of what caused it.

    In a match with a clock, nothing happens behind a deadline but its expiry, and none before it.
    """
    before: AnyEvent = case.created
    for event in case.walk():
        if event.at < before.at:
            wanted = f"{before.at} or later"
            raise case.parts(event, "clocks.order", wanted, str(event.at), "The event goes back in time.")
        if isinstance(event, Started | Ended | SeedRevealed) or (
            isinstance(before, Expired) and before.consequence == "resigns"
        ):
            wanted, sentence = str(before.at), f"`{kind_of(event)}` belongs to the event before it, at the same time."
            case.require(event, "clocks.append", wanted, str(event.at), sentence)
        if isinstance(event, Cancelled) and event.reason is not UNSET and event.at < before.at + PATIENCE:
            wanted = f"{before.at + PATIENCE} or later"
            raise case.parts(event, "clocks.lobby", wanted, str(event.at), "The match was closed before its time.")
        before = event
    check_vacations(case)
    lasted = case.events[-1].at - case.created.at
    if case.created.clock is not UNSET:
        return [check_deadlines(case)]
    return [Layer("clocks", "ok", f"{len(case.events)} times in order, over {lasted}.")]


def check_vacations(case: Case) -> None:
    """Nobody has taken more days off than the clock gives: to count them takes no knowledge of the game."""
    plan = case.created.clock
    given = 0 if plan is UNSET or plan.vacation is UNSET else plan.vacation
    left = dict.fromkeys(range(len(case.created.seats)), given)
    for event in case.walk():
        if not isinstance(event, VacationTaken):
            continue
        seat = event.seat or 0
        if not 1 <= event.days <= left.get(seat, 0):
            wanted, sentence = f"1 to {left.get(seat, 0)} days", "The seat had no such vacation left."
            raise case.parts(event, "clocks.vacation", wanted, event.days, sentence)
        left[seat] -= event.days
        case.require(event, "clocks.vacation", left[seat], event.left, "The seat has another number of days left.")


def check_deadlines(case: Case) -> Layer:
    """Every expiry at its time and as the match chose it, and nothing else behind a deadline."""
    if "lifecycle" in case.failed:
        return Layer("clocks", "not_checked", "The layer `lifecycle` failed.")
    if not case.complete:
        return Layer("clocks", "partly", f"The times are in order; whose clock ran when is told later: {SEALED}.")
    match, expiries, last = born(case.created), 0, case.events[0]
    for event in case.walk():
        if isinstance(event, Expired):
            expiries += 1
            check_expiry(case, match, event)
        elif match.deadline is not None and match.deadline <= event.at and not follows(last, event):
            wanted, found = f"the expiry of {match.deadline}", f"{kind_of(event)} at {event.at}"
            raise case.parts(event, "clocks.deadline", wanted, found, "A deadline had passed before this event.")
        if event is not case.created:
            match = evolve(match, event, case.past)
        last = event
    lasted = case.events[-1].at - case.created.at
    return Layer(
        "clocks", "ok", f"{len(case.events)} times in order, over {lasted}; deadlines that passed: {expiries}."
    )


def check_expiry(case: Case, match: AnyMatch, event: Expired[Any, Any]) -> None:
    """The expiry is the one that was due."""
    try:
        wanted = expired(match, event.seat or 0, event.at)
    except MatchRefused as refused:
        raise case.parts(event, "clocks.expiry", "no expiry", str(event.deadline), refused.message) from None
    found = replace(event, salt=None, prev=UNSET, hash=UNSET)
    case.require(event, "clocks.expiry", wanted, found, "This is not what the match chose for when time is up.")


def follows(last: AnyEvent, event: AnyEvent) -> bool:
    """Whether an event belongs to the append of the one before it."""
    by_expiry = isinstance(last, Expired) and last.consequence == "resigns"
    return by_expiry or isinstance(event, Ended | SeedRevealed)


def check_authorship(case: Case) -> list[Layer]:
    """Who sits down is said, bots sit where they were planned, and who moves owes a move."""
    if "lifecycle" in case.failed:
        return [Layer("authorship", "not_checked", "The layer `lifecycle` failed.")]
    match = bare_born(case)
    authors: dict[str, int] = {}
    carried_out: set[str] = set()
    for event in case.walk():
        if isinstance(event, SeatTaken):
            check_sitter(case, event)
        if isinstance(event, Moved):
            check_turn(case, event)
            check_order(case, match, event, carried_out)
            name = author_of(match, event)
            authors[name] = authors.get(name, 0) + 1
        if event is not case.created:
            match = evolve(match, bare(event), case.bare_past)
    told = ", ".join(f"{name} ({number(count, 'move')})" for name, count in authors.items()) or "nobody moved"
    if not case.complete:
        return [Layer("authorship", "partly", f"Moves so far: {told}; {SEALED}.")]
    return [Layer("authorship", "ok", f"Everybody acted from a seat of their own: {told}.")]


def check_sitter(case: Case, event: SeatTaken[Any, Any]) -> None:
    """A player, or a bot where one was planned."""
    if (event.player is None) == (event.level is None):
        found = {"player": event.player, "level": event.level}
        raise case.parts(event, "authorship.seat", "a player or a bot's level", found, "It is not said who sits down.")
    planned = case.created.seats[event.seat or 0].kind
    if event.level is not None and planned != "bot":
        raise case.parts(
            event, "authorship.seat", f"a player ({planned} seat)", event.level, "A bot sits where none was planned."
        )


def check_turn(case: Case, event: Moved[Any, Any]) -> None:
    """Who moves owes a move, but anybody may resign at any time. Hidden facts do not tell whose turn it is."""
    owed = case.owed.get(event.ply)
    if owed is None or event.seat in owed:
        return
    move: Any = msgspec.to_builtins(event.move)
    if isinstance(move, dict) and move.get("type") == "resign":
        return
    due = " or ".join(f"seat {seat}" for seat in sorted(owed)) or "nobody"
    raise case.parts(event, "authorship.turn", f"a move by {due}", event.seat, "This seat owed no move.")


def check_order(case: Case, match: AnyMatch, event: Moved[Any, Any], carried_out: set[str]) -> None:
    """A standing order is a person's, well named, and one for a move is carried out once."""
    if event.cause is UNSET:
        return
    if match.seats[event.seat or 0].plays is not None:
        raise case.parts(event, "authorship.order", "a move of its own", "an order", "Bots give no standing orders.")
    order = event.cause.order
    if not ORDER.fullmatch(order):
        wanted, sentence = "12 lower-case hexadecimal digits", "This is no name of a standing order."
        raise case.parts(event, "authorship.order", wanted, order, sentence)
    if event.cause.kind == "move" and order in carried_out:
        raise case.parts(event, "authorship.order", "another order", order, "This order was carried out before.")
    carried_out.add(order)


ORDER = re.compile(r"[0-9a-f]{12}", re.ASCII)
"""The id of a standing order."""


def author_of(match: AnyMatch, event: AnyEvent) -> str:
    """Who made a move: the player's id or the bot's level."""
    sitter = match.seats[event.seat or 0]
    return f"the {sitter.plays} bot" if sitter.plays else str(sitter.player)


CHECKS: tuple[tuple[tuple[str, ...], Callable[[Case], list[Layer]]], ...] = (
    (("file",), check_file),
    (("chain",), check_chain),
    (("signature",), check_signature),
    (("lifecycle",), check_lifecycle),
    (("seed",), check_seed),
    (("components",), check_components),
    (("draws", "moves"), check_moves),
    (("fold",), check_fold),
    (("score",), check_score),
    (("clocks",), check_clocks),
    (("authorship",), check_authorship),
)

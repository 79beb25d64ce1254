"""Replay files with luck protocol 2, built from the specification alone (docs/luck-protocol.md).

    table = Table(MICE, level="sealed")
    table.sit(0, share(0)); table.sit(1, share(1))      # seals at this level, shares at the level `open`
    table.open(0); table.open(1); table.start()
    table.play_on(6); table.resign(0)
    raw = table.file()

Seals, shares, salts and the chain are computed here with `hashlib`. The facts come from the games' rules and the
streams of `domain.kernel.luck`, which the test vectors check.
"""

import hashlib
import hmac
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import msgspec

from domain.kernel.chance import Fast
from domain.kernel.game import AnyGame
from domain.kernel.luck import Streams
from domain.kernel.registry import find_game
from tests.replays.forge import Entries, Entry, canonical, dump, header_of, rechain

EPOCH = datetime(2026, 3, 1, 12, tzinfo=UTC)
PACE = timedelta(seconds=30)
SEED, SALTS = bytes(range(32)), bytes(range(96, 128))
OPENING_SECONDS = 259_200


def mice() -> AnyGame:
    """Return a game with dice and a shuffle."""
    return find_game("mice_cake")


def share(number: int) -> str:
    """Return the share of a player."""
    return hashlib.sha256(f"share {number}".encode()).hexdigest()


def sha256(text: str) -> str:
    """Return the SHA-256 of text in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def hmac_hex(key: bytes, text: str) -> str:
    """Return the HMAC-SHA256 of text in hex."""
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def as_text(values: list[str | None]) -> str:
    """Return shares or seals as hashed text."""
    return ",".join(value or "-" for value in values)


def salted(events: Entries, salts: str) -> Entries:
    """Return the events with their salts and a new chain."""
    for ply, event in enumerate(events, 1):
        event["salt"] = hmac_hex(bytes.fromhex(salts), f"salt/2|{ply}")
    return rechain(events)


class Table:
    """A match with luck protocol 2 in the making: its events, and the state of its game."""

    def __init__(
        self,
        game: AnyGame,
        *,
        level: str = "open",
        seats: int = 2,
        rated: bool = False,
        by_chance: bool = False,
        clock: Entry | None = None,
        match: str = "m2built",
        bots: tuple[int, ...] = (),
        fork: Entry | None = None,
        facts: tuple[Any, ...] = (),
    ) -> None:
        self.game, self.level, self.match, self.fork = game, level, match, fork or {}
        self.seat_count, self.by_chance, self.bots = seats, by_chance, bots
        self.now = EPOCH
        self.events: Entries = []
        self.seats: list[str | None] = [None] * seats
        self.shares: list[str | None] = [None] * seats
        self.opened: list[str | None] = [None] * seats
        self.facts = 0
        self.draws = 1 if fork else 0
        self.uses: dict[str, int] = dict(self.fork.get("uses", {}))
        self.state: Any = None
        self.kept: dict[int, tuple[Any, int]] = {}
        origin = self.fork.get("origin", match)
        self.commitment = sha256(f"crumbtrail/seed/2|{origin}|{SEED.hex()}")
        per_move = clock is not None and clock["kind"] == "per_move"
        created: Entry = {
            "match": match,
            "game": game.slug,
            "rules_version": game.rules_version,
            "components": game.components_digest,
            "options": msgspec.to_builtins(game.read_options({})),
            "position": None,
            "seats": [{"kind": "bot" if n in bots else "open", "private": False} for n in range(seats)],
            "creator": "p0",
            "commitment": self.commitment,
            "given": level == "given",
            "luck": {
                "protocol": 2,
                "level": level,
                "opening_seconds": (clock or {}).get("seconds") if per_move else OPENING_SECONDS,
            },
        }
        if level != "sealed":
            created["luck"]["opening_seconds"] = None
        chosen = {"rated": rated, "clock": clock, "fork": fork, "seating": "chance" if by_chance else None}
        self.add("created", facts=list(facts), **created, **{name: value for name, value in chosen.items() if value})
        if fork:
            self.state = game.fold(facts)
            self.kept[1] = self.state, self.facts

    def add(self, kind: str, seat: int | None = None, **fields: Any) -> Entry:
        """Add an event."""
        event: Entry = {
            **{"kind": kind, "ply": len(self.events) + 1, "seat": seat, "at": self.now.strftime("%Y-%m-%dT%H:%M:%SZ")},
            **{"move": None, "facts": [], "draw": None, "first_fact": self.facts},
            **fields,
        }
        event["facts"] = msgspec.to_builtins(event["facts"])
        self.facts += len(event["facts"])
        self.events.append(event)
        return event

    # -- before the start

    def sit(self, seat: int, secret: str | None = None) -> None:
        """Seat a player with this share, or without one."""
        self.now += PACE
        fields: Entry = {"player": f"p{seat}", "level": None, "share": None, "seal": None}
        if secret is not None and self.level == "sealed":
            fields["seal"] = sha256(f"crumbtrail/share/2|{self.match}|{seat}|{self.commitment}|{secret}")
        elif secret is not None:
            fields["share"] = self.opened[seat] = secret
        self.seats[seat], self.shares[seat] = fields["seal"], secret
        self.add("seat_taken", seat, **fields)

    def sit_bot(self, seat: int) -> None:
        """Seat a house bot."""
        self.add("seat_taken", seat, player=None, level="greedy", share=None, seal=None, bot="greedy/1")

    def leave(self, seat: int, **fields: Any) -> None:
        """Let a player leave, or be removed."""
        self.now += PACE
        self.seats[seat] = self.shares[seat] = self.opened[seat] = None
        self.add("seat_left", seat, **fields)

    @property
    def table(self) -> str:
        """The hash of the full table."""
        return sha256(f"crumbtrail/table/2|{self.match}|{self.commitment}|{as_text(self.seats)}")

    def open(self, seat: int) -> None:
        """Open a share."""
        self.now += PACE
        self.opened[seat] = self.shares[seat]
        self.add("share_opened", seat, share=self.shares[seat], table=self.table)

    def cancel(self, reason: str | None = None, seats: list[int] | None = None, *, after: int = 30) -> None:
        """Cancel the match after some seconds, and reveal its secrets."""
        self.now += timedelta(seconds=after)
        fields = {"reason": reason, "seats": seats}
        self.add("cancelled", **{name: value for name, value in fields.items() if value is not None})
        self.reveal()

    def end_early(self, seat: int, reason: str, seats: list[int] | None = None, *, after: int = 30) -> None:
        """End the match at the request of a seat, after it has started."""
        self.now += timedelta(seconds=after)
        self.add("cancelled", seat, reason=reason, **({} if seats is None else {"seats": seats}))
        self.reveal()

    def claim_loss(self, seat: int, of: int, *, seconds: int) -> None:
        """Claim the loss of a seat at the end of its time for a first move."""
        self.now += timedelta(seconds=seconds)
        deadline = self.now.strftime("%Y-%m-%dT%H:%M:%SZ")
        self.add("expired", of, deadline=deadline, consequence="resigns", level=None, by=seat)
        self.now -= PACE
        self.resign(of)

    def reveal(self) -> None:
        """Reveal the secrets."""
        self.add("seed_revealed", seed=SEED.hex(), salts=SALTS.hex())

    # -- the game

    @property
    def key(self) -> bytes:
        """The key of all draws."""
        match, shares = self.fork.get("origin", self.match), self.fork.get("shares", self.opened)
        text = "given" if self.level == "given" else f"{match}|{as_text(shares)}"
        return bytes.fromhex(hmac_hex(SEED, f"crumbtrail/key/2|{text}"))

    def start(self) -> None:
        """Start the match."""
        if self.fork:
            self.add("started", shares=self.opened, draws={})
            return
        streams = Streams(self.key, self.uses)
        order = {}
        if self.by_chance:
            order = {"order": streams.use("seats").shuffle(range(self.seat_count))}
        facts = self.game.start(self.seat_count, {}, streams)
        self.state = self.game.decision(facts).state
        self.decided("started", None, streams, facts, shares=self.opened, **order)

    def decided(self, kind: str, seat: int | None, streams: Streams, facts: Any, **fields: Any) -> None:
        """Add an event that draws."""
        self.uses |= {name: self.uses.get(name, 0) + used for name, used in streams.used.items()}
        self.add(kind, seat, facts=list(facts), draw=self.draws, draws=dict(streams.used), **fields)
        self.draws += 1
        self.kept[len(self.events)] = self.state, self.facts

    def move(self, seat: int, move: Any, **fields: Any) -> None:
        """Make a move, which may end the game."""
        self.now += PACE
        streams = Streams(self.key, self.uses)
        facts = self.game.decide(self.state, seat, move, streams)
        self.state = self.game.decision(facts, self.state).state
        self.decided("moved", seat, streams, facts, move=msgspec.to_builtins(move), **fields)
        outcome = self.game.outcome(self.state)
        if outcome is not None:
            self.add("ended", outcome=msgspec.to_builtins(outcome))
            self.reveal()

    def resign(self, seat: int) -> None:
        """Let a seat resign."""
        self.move(seat, self.game.read_move({"type": "resign"}))

    def play_on(self, moves: int = 10_000, choices: str = "moves") -> None:
        """Make up to this many moves, as the greedy player would."""
        chance = Fast(choices)
        for _ in range(moves):
            if self.game.outcome(self.state) is not None:
                return
            seat = min(self.game.to_move(self.state))
            legal = islice(self.game.legal_moves(self.state, seat), 300)
            seen = {"seen": len(self.events)} if seat in self.bots else {}
            self.move(seat, self.game.greedy(self.game.view(self.state, seat), seat, legal, chance), **seen)

    def take_back(self, to_ply: int) -> None:
        """Take moves back with the other seat's agreement."""
        self.now += PACE
        asked = self.add("proposed", 0, what="takeback", seconds=None, to_ply=to_ply)
        self.now += PACE
        self.add("answered", 1, proposal=asked["ply"], agrees=True)
        self.add("taken_back", 0, to_ply=to_ply, proposal=asked["ply"], rated=True)
        self.state, self.facts = self.kept[to_ply]

    def fork_at_end(self, luck: str) -> Entry:
        """Return the field `fork` of a fork from the last ply."""
        head = salted([dict(event) for event in self.events], SALTS.hex())[-1]["hash"]
        fork: Entry = {"match": self.match, "ply": len(self.events), "head": head, "luck": luck}
        if luck == "same":
            shares = self.fork.get("shares", self.opened)
            origin = self.fork.get("origin", self.match)
            fork |= {"origin": origin, "commitment": self.commitment, "shares": shares, "uses": self.uses}
        return fork

    # -- the file

    def file(self) -> bytes:
        """Return the replay file of the match."""
        return as_file([dict(event) for event in self.events])


def as_file(events: Entries) -> bytes:
    """Return the replay file of finished events, with salts and a new chain."""
    return as_sealed(salted(events, events_salts(events)))


def events_salts(events: Entries) -> str:
    """Return the secret for salts that the events reveal, or the usual one."""
    found = next((event["salts"] for event in events if event["kind"] == "seed_revealed" and "salts" in event), "")
    is_valid = isinstance(found, str) and len(found) == 64 and not set(found) - set("0123456789abcdef")
    return found if is_valid else SALTS.hex()


def as_sealed(events: Entries) -> bytes:
    """Return the replay file of chained events."""
    kinds = {event["kind"] for event in events}
    outcome = next((event["outcome"] for event in events if event["kind"] == "ended"), None)
    ends = {"ended": "finished", "cancelled": "cancelled", "started": "playing"}
    end = next((end for kind, end in ends.items() if kind in kinds), "open")
    return dump(header_of(events), events, {"end": end, "head": events[-1]["hash"], "result": outcome})


def running(table: Table) -> bytes:
    """Return the file of a running match, as a spectator may see it. The games here have no hidden facts."""
    events = salted([dict(event) for event in table.events], SALTS.hex())
    for event in events:
        event |= {"salt": None, "move": None}
        if "draws" in event:
            event["draws"] = None
    return as_sealed(events)


def one_move(table: Table) -> Table:
    """Start the match, make some moves and resign."""
    table.start()
    table.play_on(4)
    table.resign(0)
    return table


# -- matches of every kind ------------------------------------------------------------------------------------------


def open_level() -> Table:
    """Two players with shares. One left and sat down again with a different share."""
    table = Table(mice())
    table.sit(1, share(9))
    table.leave(1)
    table.sit(0, share(0))
    table.sit(1, share(1))
    return one_move(table)


def sealed_level() -> Table:
    """A rated match with two shares opened in reverse order."""
    table = Table(mice(), level="sealed", rated=True, clock={**CLOCK})
    table.sit(0, share(0))
    table.sit(1, share(1))
    table.open(1)
    table.open(0)
    return one_move(table)


CLOCK: Entry = {"kind": "per_move", "seconds": 86_400, "increment": 0, "expiry": "resigns", "level": "greedy"}


def half_sealed() -> Table:
    """Only one player added a share."""
    table = Table(mice(), level="sealed")
    table.sit(0)
    table.sit(1, share(1))
    table.open(1)
    return one_move(table)


def without_seals() -> Table:
    """A sealed match in which nobody added a share."""
    table = Table(mice(), level="sealed")
    table.sit(0)
    table.sit(1)
    return one_move(table)


def given_level() -> Table:
    """A match with a given seed."""
    table = Table(mice(), level="given")
    table.sit(0)
    table.sit(1)
    return one_move(table)


def against_a_bot() -> Table:
    """A person against a house bot."""
    table = Table(mice(), bots=(1,))
    table.sit_bot(1)
    table.sit(0, share(0))
    return one_move(table)


def seats_by_chance() -> Table:
    """A match whose seats were drawn."""
    table = Table(mice(), level="sealed", by_chance=True)
    table.sit(0, share(0))
    table.sit(1, share(1))
    table.open(0)
    table.open(1)
    return one_move(table)


def with_takeback() -> Table:
    """A match in which moves were taken back and made again, with different dice."""
    table = Table(mice())
    table.sit(0, share(0))
    table.sit(1, share(1))
    table.start()
    table.play_on(6)
    table.take_back(len(table.events) - 3)
    table.play_on(4, "again")
    table.resign(1)
    return table


def cancelled_early() -> Table:
    """A match that its creator cancelled."""
    table = Table(mice(), level="sealed")
    table.sit(0, share(0))
    table.cancel()
    return table


def cancelled_lost() -> Table:
    """A match that was cancelled because a share was lost."""
    table = Table(mice(), level="sealed")
    table.sit(0, share(0))
    table.sit(1, share(1))
    table.open(0)
    table.cancel("lost", [1])
    return table


def cancelled_not_opened() -> Table:
    """A match that was cancelled because two of three players did not open in time."""
    table = Table(find_game("bakers_brawl"), level="sealed", seats=3)
    for seat in range(3):
        table.sit(seat, share(seat))
    full = table.now
    table.open(1)
    table.now = full
    table.cancel("not_opened", [0, 2], after=OPENING_SECONDS)
    return table


def removed_player() -> Table:
    """A match from which the creator removed a player, to sit there themselves."""
    table = Table(mice())
    table.sit(1, share(9))
    table.leave(1, removed=True, kept=True)
    table.sit(0, share(0))
    table.sit(1, share(1))
    return one_move(table)


def aborted_early() -> Table:
    """A sealed match that a player aborted before their first move."""
    table = started_with_seals(mice(), rated=False)
    table.end_early(1, "aborted")
    return table


def ended_absent() -> Table:
    """A match without a clock that a player ended because the other one made no first move in three days."""
    table = Table(mice())
    table.sit(0, share(0))
    table.sit(1, share(1))
    table.start()
    table.end_early(1, "absent", [0], after=OPENING_SECONDS)
    return table


def claimed_loss() -> Table:
    """A rated match with a long time bank in which a player claimed the loss of one who made no first move."""
    table = started_with_seals(mice(), rated=True)
    table.claim_loss(1, 0, seconds=OPENING_SECONDS)
    return table


def started_with_seals(game: AnyGame, *, rated: bool) -> Table:
    """Return a sealed match with a time bank that has just started."""
    table = Table(game, level="sealed", rated=rated, clock={**CLOCK, "kind": "bank", "seconds": 864_000})
    for seat in (0, 1):
        table.sit(seat, share(seat))
    for seat in (0, 1):
        table.open(seat)
    table.start()
    return table


def fork_with_same_luck() -> Table:
    """A fork that continues the draws of a finished match after a takeback."""
    return one_move(forked(with_takeback(), "same"))


def fork_with_new_luck() -> Table:
    """A fork with its own seed and shares."""
    return one_move(forked(with_takeback(), "new"))


def forked(parent: Table, luck: str) -> Table:
    """Return a fork of a match, before its last moves, with all seats taken."""
    cut = next(n for n, event in enumerate(parent.events) if event["kind"] == "ended") - 1
    parent.events = parent.events[:cut]
    facts = facts_that_count(parent.events)
    spent: dict[str, int] = {}
    for event in parent.events:
        for name, used in event.get("draws", {}).items():
            spent[name] = spent.get(name, 0) + used
    parent.uses = spent
    table = Table(
        parent.game,
        match="m2fork",
        fork=parent.fork_at_end(luck),
        facts=tuple(parent.game.read_facts(canonical(facts))),
    )
    table.sit(0, None if luck == "same" else share(5))
    table.sit(1, None if luck == "same" else share(6))
    return table


def facts_that_count(events: Entries) -> list[Entry]:
    """Return the facts of events that were not taken back."""
    kept: Entries = []
    for event in events:
        if event["kind"] == "taken_back":
            kept = [each for each in kept if each["ply"] <= event["to_ply"]]
        kept.append(event)
    return [fact for event in kept for fact in event["facts"]]


def whole_match(game: AnyGame) -> Table:
    """Return a match of a game that greedy players finish."""
    table = Table(game, seats=max(game.seat_counts), match=f"m2whole{game.rules_version}")
    for seat in range(table.seat_count):
        table.sit(seat, share(seat))
    table.start()
    table.play_on()
    return table


MATCHES = {
    build.__name__: build
    for build in (
        open_level, sealed_level, half_sealed, without_seals, given_level, against_a_bot, seats_by_chance,
        with_takeback, cancelled_early, cancelled_lost, cancelled_not_opened, fork_with_same_luck, fork_with_new_luck,
        removed_player, aborted_early, ended_absent, claimed_loss,
    )
}  # fmt: skip
"""A match of every kind by its name."""

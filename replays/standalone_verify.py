#!/usr/bin/env python3
"""Check Crumbtrail replay files without Crumbtrail: one file, for Python 3.8 or newer, with no other packages.

    python3 standalone_verify.py FILE...        exit code 0: no errors; 1: errors found; 2: a file cannot be read

What it checks:

    file    every line is JSON in canonical form (RFC 8785); header and closing line match the events
    chain   plies run from 1 to n, each event links to the one before, every hash is recomputed
    seed    the revealed seed matches the commitment made before the start; the players' shares, seals and salts fit
    draws   every die, shuffle, deal, card and pick in the facts is what the seed and the shares give

It does not know the rules of any game, so it cannot tell whether a move was legal, a score is correct, a deadline was
kept, or a player could end the match early. It checks only the form of the signature. `crumbtrail verify` checks all of
these. The format is specified in docs/replay-format.md,
the luck in docs/luck-protocol.md and docs/verify-a-roll.md. This script shares no code with the service.

Read it from top to bottom. The checks of file, chain, seed and signature come first. Then come the draws: how the seed
gives numbers, and the interpreter of the tables that list the random values in the facts of a game. The tables are data
and come last. There are two luck protocols; for seed and numbers, each has its own section.
"""

import datetime
import hashlib
import hmac
import json
import re
import sys

MAX_FILE = 16 * 2**20
MAX_LINE = 2**20
MAX_EVENTS = 100000
MAX_NUMBER = 2**53 - 1


class VerificationError(Exception):
    """An error on this line of the file. `rule` is the id of the broken rule in docs/replay-format.md."""

    def __init__(self, line, rule, sentence):
        super().__init__(sentence)
        self.line, self.rule, self.layer = line, rule, "file"

    def as_text(self):
        """Return line, sentence and rule."""
        return "line %d: %s [rule %s]" % (self.line, self, self.rule)


class File:
    """A file that could be read. `seed` is set once it was checked."""

    def __init__(self, header, events, closing):
        self.header, self.events, self.closing = header, events, closing
        self.complete = header.get("complete") is True
        self.seed = None


def verify(raw):
    """Check the bytes of a file. Return (layer, status, sentence) for each layer, and the first error or None."""
    try:
        file = parse(raw)
    except VerificationError as wrong:
        return [("file", "failed", wrong.as_text())], wrong
    layers, found = [], []
    checks = (("file", check_file), ("chain", check_chain), ("seed", check_revealed_seed), ("draws", check_draws))
    for name, check in checks:
        wrong = None
        try:
            status, sentence = check(file)
        except VerificationError as error:
            wrong = error
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration, ArithmeticError):
            wrong = VerificationError(2, "file.json", "the events do not have the specified form")
        if wrong is not None:
            wrong.layer = name
            found.append(wrong)
            status, sentence = "failed", wrong.as_text()
        layers.append((name, status, sentence))
        if name == "file" and wrong is not None and not are_well_formed(file.events):
            break
    return layers, min(found, key=lambda wrong: wrong.line, default=None)


# -- file: reading ----------------------------------------------------------------------------------------------------


def canonical(value):
    """Return a value in canonical form: RFC 8785, for the whole numbers and ASCII keys that files contain."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def same_json(one, other):
    """Return whether two values are equal in JSON, where 1 and true differ (in Python they are equal)."""
    return canonical(one) == canonical(other)


def refuse_number(text):
    """Raise ValueError for a number that is not whole."""
    raise ValueError("a number that is not whole: " + text[:40])


def read_number(text):
    """Return a whole number. Raises ValueError for one that some JSON readers would round."""
    if len(text) > 17 or abs(int(text)) > MAX_NUMBER:
        raise ValueError("a number beyond 2^53 - 1: " + text[:40])
    return int(text)


def read_line(number, line):
    """Return the object on a line, which must be in canonical form."""
    numbers = {"parse_int": read_number, "parse_float": refuse_number, "parse_constant": refuse_number}
    try:
        value = json.loads(line.decode(), **numbers)
        exact = canonical(value)
    except UnicodeError:
        raise VerificationError(number, "file.utf8", "the line is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise VerificationError(
            number, "file.json", "the line is not valid JSON for a replay: " + str(error)[:120]
        ) from None
    if exact != line:
        raise VerificationError(number, "file.canonical", "the line is not in canonical form")
    if not isinstance(value, dict):
        raise VerificationError(number, "file.json", "the line is not an object")
    return value


def parse(raw):
    """Return the File in these bytes: a header, events and a closing line, each on its own line."""
    if len(raw) > MAX_FILE:
        raise VerificationError(raw.count(b"\n", 0, MAX_FILE) + 1, "file.limit", "the file is larger than 16 MiB")
    if raw.count(b"\n") > MAX_EVENTS + 2:
        raise VerificationError(MAX_EVENTS + 3, "file.limit", "the file has more than 100000 events")
    lines = raw.split(b"\n")
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            raise VerificationError(number, "file.limit", "the line is longer than 1 MiB")
    if lines.pop():
        raise VerificationError(len(lines) + 1, "file.closing", "the file breaks off in the middle of a line")
    if len(lines) < 3:
        raise VerificationError(len(lines) + 1, "file.closing", "a file must have a header, events and a closing line")
    ends = {}
    for number, line in enumerate(lines, 1):
        value = read_line(number, line)
        if number in (1, len(lines)):
            ends[number] = value
    return File(ends[1], Events(lines[1:-1]), ends[len(lines)])


class Events:
    """The events of a file. Each is parsed when it is needed: all of them at once could use too much memory."""

    def __init__(self, lines):
        self.lines = lines

    def __len__(self):
        return len(self.lines)

    def __getitem__(self, n):
        return json.loads(self.lines[n])

    def __iter__(self):
        return map(json.loads, self.lines)


# -- file: header and closing line match the events -------------------------------------------------------------------

HEADER = {"replay/v1": {"crumbtrail", "match", "game", "rules_version", "events", "complete"}}
HEADER["replay/v2"] = HEADER["replay/v1"] | {"options", "components", "seats", "commitment", "seed"}
HEADER["replay/v3"] = HEADER["replay/v2"]
EVENT = {"kind", "ply", "seat", "at", "move", "facts", "draw", "first_fact", "salt", "prev", "hash"}
WHO = {"player", "level"}

# The fields that all events of a kind must have for the checks below, with their types.
FIELDS = {
    "created": {
        **{"match": str, "game": str, "rules_version": int, "options": dict, "seats": list},
        **{"commitment": str, "given": bool},
    },
    "seat_taken": {"seat": int},
    "seat_left": {"seat": int},
    "share_opened": {"seat": int, "share": str, "table": str},
    "seed_revealed": {"seed": str},
}
FORK = {"luck": str}
CLOCK = {"kind": str, "seconds": int}

# The forms of fields that may be missing, by kind of event. Which of them an event must have is checked with the seed.
FORMS = {
    "text": lambda value: type(value) is str,
    "text or null": lambda value: value is None or type(value) is str,
    "number": lambda value: type(value) is int,
    "number or null": lambda value: value is None or type(value) is int,
    "flag": lambda value: type(value) is bool,
    "object": lambda value: type(value) is dict,
    "objects": lambda value: type(value) is list and all(type(item) is dict for item in value),
    "numbers": lambda value: type(value) is list and all(type(item) is int for item in value),
    "texts": lambda value: type(value) is list and all(type(item) is str for item in value),
    "texts or nulls": lambda value: type(value) is list and all(item is None or type(item) is str for item in value),
    "counts": lambda value: type(value) is dict and all(type(count) is int for count in value.values()),
    "counts or null": lambda value: value is None or FORMS["counts"](value),
    "terms": lambda value: type(value) is dict and are_terms(value),
    "seating": lambda value: value == "chance",
    "reason": lambda value: value in ("abandoned", "not_opened", "lost", "aborted", "absent"),
    "cause": lambda value: value == "no_ruling",
    "clock": lambda value: value in ("per_move", "bank"),
    "fork": lambda value: value in ("same", "new"),
}
MORE_FIELDS = {
    "created": {
        **{"seats": "objects", "fork": "object", "clock": "object", "luck": "terms"},
        **{"rated": "flag", "seating": "seating"},
    },
    "seat_taken": {
        **{"player": "text or null", "level": "text or null", "client_seed": "text"},
        **{"share": "text or null", "seal": "text or null", "bot": "text"},
    },
    "seat_left": {"removed": "flag", "kept": "flag"},
    "started": {"client_seeds": "texts", "shares": "texts or nulls", "draws": "counts or null", "order": "numbers"},
    "moved": {"draws": "counts or null", "seen": "number", "fallback": "flag"},
    "cancelled": {"reason": "reason", "seats": "numbers"},
    "seed_revealed": {"salts": "text"},
    "expired": {"bot": "text", "by": "number"},
    "handed_over": {"bot": "text"},
    "taken_back": {"to_ply": "number"},
    "resolved": {"to_ply": "number or null", "arbiter": "text or null", "cause": "cause"},
}
MORE_OF_FORK = {
    **{"luck": "fork", "draws": "number", "origin": "text", "client_seeds": "texts"},
    **{"commitment": "text", "shares": "texts or nulls", "uses": "counts"},
}
KINDS = {
    *("created", "seat_taken", "seat_left", "share_opened", "started", "moved", "ended", "cancelled", "seed_revealed"),
    *("disputed", "audited", "resolved", "expired", "proposed", "answered", "paused", "resumed", "extended"),
    *("taken_back", "vacation_taken", "seat_offered", "offer_withdrawn", "handed_over"),
}
TERMS = {"protocol", "level", "opening_seconds"}
LEVELS = ("open", "sealed", "given")

TIME = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.(?!000000)[0-9]{6})?Z\Z")
SEATING = ("seat_taken", "seat_left", "handed_over")


def check_file(file):
    """Check each event's fields, then the header and the closing line against the events."""
    header, events, closing, last = file.header, file.events, file.closing, len(file.events) + 2
    version = header.get("crumbtrail")
    if isinstance(version, str) and version not in HEADER and re.match(r"replay/v[0-9]{1,4}\Z", version):
        raise VerificationError(
            1, "file.json", f"the file has the format {version}, which is newer than this verifier; use a newer one"
        )
    if not isinstance(version, str) or set(header) != HEADER.get(version):
        raise VerificationError(
            1, "file.json", "the header does not have the fields of replay/v1, replay/v2 or replay/v3"
        )
    if type(header["complete"]) is not bool:
        raise VerificationError(1, "file.json", "the header's `complete` does not have the specified form")
    check_events(events)
    expected = build_header(events, version)
    if not same_json(header, expected):
        names = [name for name in sorted(header) if not same_json(header[name], expected[name])]
        raise VerificationError(1, "file.header", "the header does not match the events: " + ", ".join(names))
    if set(closing) - {"signature"} != {"end", "head", "result"}:
        raise VerificationError(
            last, "file.json", "the closing line must have the fields end, head and result, and may have signature"
        )
    for name, value in closing_of(events).items():
        if not same_json(closing[name], value):
            raise VerificationError(last, "file.closing", "the closing line's `" + name + "` does not match the events")
    if "signature" in closing:
        check_signature_form(last, closing["signature"])
    return "ok", "%d events in canonical form" % len(events)


def are_well_formed(events):
    """Return whether every event has the fields that the later checks use."""
    try:
        check_events(events)
    except VerificationError:
        return False
    return True


def check_events(events):
    """Check that all events have the fields that later checks use, and that each fact has a type."""
    for line, event in enumerate(events, 2):
        check_event(line, event)


def check_event(line, event):
    """Check the fields of an event."""
    lacking = (EVENT | WHO if event.get("kind") == "seat_taken" else EVENT) - set(event)
    if lacking:
        raise VerificationError(line, "file.json", "the event lacks " + ", ".join(sorted(lacking)))
    facts, kind = event["facts"], event["kind"]
    if not isinstance(facts, list) or not all(isinstance(fact, dict) for fact in facts):
        raise VerificationError(line, "file.json", "the event's facts are not a list of facts")
    if not all(isinstance(fact.get("type"), str) for fact in facts):
        raise VerificationError(line, "file.json", "a fact of the event has no type")
    if not is_time(event["at"]):
        raise VerificationError(line, "file.json", "the event's `at` is not a time in UTC")
    if not isinstance(kind, str) or (kind == "created") != (line == 2):
        raise VerificationError(line, "file.created", "the first event, and only the first, must be `created`")
    if kind not in KINDS:
        raise VerificationError(line, "file.json", "there is no such kind of event")
    numbers = {name: int for name in ("seat", "draw") if event[name] is not None}
    check_fields(line, event, {"ply": int, **numbers, "prev": str, "hash": str, **FIELDS.get(kind, {})})
    check_more_fields(line, event, MORE_FIELDS.get(kind, {}))
    if kind == "created" and "fork" in event:
        check_fields(line, event["fork"], FORK)
        check_more_fields(line, event["fork"], MORE_OF_FORK)
    if kind == "created" and "clock" in event:
        check_fields(line, event["clock"], CLOCK)
        check_more_fields(line, event["clock"], {"kind": "clock"})


def check_fields(line, holder, types):
    """Check that fields have these types."""
    for name, wanted in types.items():
        if type(holder.get(name)) is not wanted:  # `type`, because isinstance(True, int) is true
            raise VerificationError(line, "file.json", "the event's `%s` does not have the specified form" % name)


def check_more_fields(line, holder, forms):
    """Check that those fields that are there have these forms."""
    for name, form in forms.items():
        if name in holder and not FORMS[form](holder[name]):
            raise VerificationError(line, "file.json", "the event's `%s` does not have the specified form" % name)


def are_terms(luck):
    """Return whether these are terms of luck protocol 2."""
    if set(luck) != TERMS or not same_json(luck["protocol"], 2) or luck["level"] not in LEVELS:
        return False
    return luck["opening_seconds"] is None or type(luck["opening_seconds"]) is int


def luck_protocol(created):
    """Return the number of the match's luck protocol."""
    return 2 if "luck" in created else 1


def is_time(value):
    """Return whether this is a time in UTC as files write it: whole seconds, or six decimals."""
    parts = TIME.match(value) if isinstance(value, str) else None
    try:
        return parts is not None and bool(datetime.datetime(*map(int, parts.groups())))
    except ValueError:
        return False


def build_header(events, version):
    """Return the header that a file with these events must have."""
    first = events[0]
    seeds = [event.get("seed") for event in events if event["kind"] == "seed_revealed"]
    header = {name: first.get(name) for name in HEADER[version]}
    current = "replay/v3" if luck_protocol(first) == 2 else "replay/v2"
    crumbtrail = version if version == "replay/v1" else current
    header.update(crumbtrail=crumbtrail, events=len(events), complete=bool(seeds))
    if version != "replay/v1":
        header.update(seats=final_occupants(events), seed=seeds[0] if seeds else None)
    return header


def final_occupants(events):
    """Return who holds each seat at the end: a player's id, `bot:` and a level, or None."""
    seats = [None] * len(events[0]["seats"])
    for event in events:
        bot_takes_over = event["kind"] == "expired" and event.get("consequence") == "bot_takes_over"
        if (event["kind"] in SEATING or bot_takes_over) and event["seat"] in range(len(seats)):
            bot = "bot:%s" % event["level"] if event.get("level") is not None else None
            seats[event["seat"]] = bot if event.get("player") is None else event["player"]
        if event["kind"] == "started" and "order" in event:
            before = dict(enumerate(seats))
            seats = [before.get(place) for place, _ in zip(event["order"] + len(seats) * [None], seats)]
    return seats


def closing_of(events):
    """Return the closing line that a file with these events must have. A ruling replaces the game's own result."""
    result, kinds = None, set()
    for event in events:
        kinds.add(event["kind"])
        if event["kind"] == "ended" or (event["kind"] == "resolved" and event.get("ruling") == "result_of"):
            result = event.get("outcome")
        elif event["kind"] == "resolved" and event.get("ruling") == "annulled":
            result = None
    ends = (("ended", "finished"), ("cancelled", "cancelled"), ("started", "playing"))
    end = next((end for kind, end in ends if kind in kinds), "open")
    return {"end": end, "head": events[-1]["hash"], "result": result}


# -- chain: each event has a hash, over its content and the hash before it --------------------------------------------


def check_chain(file):
    """Check plies, links and hashes (these in the file of a finished match). Times go on, under luck protocol 2."""
    prev, last = "0" * 64, (0, 0)
    ordered = luck_protocol(file.events[0]) == 2
    for ply, event in enumerate(file.events, 1):
        line = ply + 1
        if event["ply"] != ply:
            raise VerificationError(line, "chain.ply", "expected ply %d here, found %r" % (ply, event["ply"]))
        if event["prev"] != prev:
            raise VerificationError(line, "chain.prev", "the event does not link to the one before it")
        if file.complete:
            sealed = {name: value for name, value in event.items() if name not in ("prev", "hash")}
            if hashlib.sha256(prev.encode() + canonical(sealed)).hexdigest() != event["hash"]:
                raise VerificationError(line, "chain.hash", "the event was changed after it was sealed")
        elif event["salt"] is not None:
            raise VerificationError(line, "file.sealed", "the file of a running match must not contain salts")
        if ordered and moment(event) < last:
            raise VerificationError(line, "clocks.order", "the event is earlier than the one before it")
        prev, last = event["hash"], moment(event)
    if not file.complete:
        return "partly", "the links are correct; hashes can be checked when the match is over"
    return "ok", "%d hashes recomputed" % len(file.events)


# -- seed: each match, rules version and field belongs to one luck protocol --------------------------------------------

# The fields that belong to one luck protocol, by kind of event: those that every event of the kind has, and others.
REQUIRED = {
    1: {"seat_taken": ("client_seed",), "started": ("client_seeds",)},
    2: {
        "seat_taken": ("share", "seal"),
        "started": ("shares", "draws"),
        "moved": ("draws",),
        "seed_revealed": ("salts",),
    },
}
OPTIONAL = {
    1: {},
    2: {
        "seat_taken": ("bot",),
        "expired": ("bot",),
        "handed_over": ("bot",),
        "moved": ("seen", "fallback"),
        "cancelled": ("seats",),
    },
}
FORK_FIELDS = {1: {"draws", "origin", "client_seeds"}, 2: {"origin", "commitment", "shares", "uses"}}

MATCH_ID = re.compile(r"[a-z0-9]+\Z")
PURPOSE = re.compile(r"[a-z][a-z0-9_]{0,23}(/[0-9]{1,2})?\Z")
SHARE = re.compile(r"[0-9a-f]{64}\Z")
SEED = re.compile(r"([0-9a-f]{2}){1,64}\Z")
MAX_USES = 1000000000


def check_luck_protocol(file):
    """Check that format, rules version and fields are those of the match's luck protocol."""
    created, rule = file.events[0], "luck.protocol"
    protocol = luck_protocol(created)
    if (file.header.get("crumbtrail") == "replay/v3") != (protocol == 2):
        raise VerificationError(1, rule, "matches of luck protocol %d do not have this format" % protocol)
    table = DRAWS.get(created["game"], {}).get(str(created.get("rules_version")))
    if table is not None and table.get("protocol", 1) != protocol:
        raise VerificationError(2, rule, "this rules version does not belong to luck protocol %d" % protocol)
    check_fork_fields(created, protocol)
    if protocol == 2 and not MATCH_ID.match(created["match"]):
        raise VerificationError(2, rule, "the match id must consist of the characters a-z and 0-9")
    for line, event in enumerate(file.events, 2):
        check_protocol_fields(line, event, protocol)
        if protocol == 2 and event["kind"] in ("started", "moved") and (event["draws"] is None) is bool(file.complete):
            wanted = "an object" if file.complete else "null while the match is running"
            raise VerificationError(line, rule, "the event's `draws` must be %s" % wanted)


def check_fork_fields(created, protocol):
    """Check that a fork has the fields of its luck protocol. Under protocol 2, those with new luck have none."""
    if "fork" not in created:
        return
    fork, rule = created["fork"], "luck.protocol"
    same = fork["luck"] == "same"
    wanted = FORK_FIELDS[protocol] if protocol == 1 or same else set()
    if set(fork) & (FORK_FIELDS[1] | FORK_FIELDS[2]) != wanted:
        raise VerificationError(2, rule, "the fork does not have the fields of luck protocol %d" % protocol)
    if protocol == 1 or not same:
        return
    is_valid = MATCH_ID.match(fork["origin"]) and len(fork["shares"]) == len(created["seats"])
    is_valid = is_valid and all(share is None or is_share(share) for share in fork["shares"])
    uses = fork["uses"].items()
    if not is_valid or not all(PURPOSE.match(name) and 1 <= count <= MAX_USES for name, count in uses):
        raise VerificationError(2, rule, "the fork's `origin`, `shares` and `uses` do not have the specified form")


def check_protocol_fields(line, event, protocol):
    """Check that an event has the fields of its luck protocol, and none of the other one."""
    kind, other, rule = event["kind"], 3 - protocol, "luck.protocol"
    needed = REQUIRED[protocol].get(kind, ())
    foreign = {*REQUIRED[other].get(kind, ()), *OPTIONAL[other].get(kind, ())}
    for name in needed:
        if name not in event:
            raise VerificationError(line, rule, "the event lacks `%s`, as luck protocol %d needs it" % (name, protocol))
    for name in sorted(foreign):
        if name in event and (kind, event.get("reason")) != ("cancelled", "absent"):
            raise VerificationError(line, rule, "the event's `%s` belongs to luck protocol %d" % (name, other))
    if protocol == 1 and (kind == "share_opened" or event.get("reason") in ("lost", "not_opened")):
        raise VerificationError(line, rule, "this event belongs to luck protocol 2")


# -- seed: luck protocol 1, where players may add client seeds ---------------------------------------------------------


def check_revealed_seed(file):
    """Check the luck of the match, and keep the revealed seed for the draws."""
    check_luck_protocol(file)
    if luck_protocol(file.events[0]) == 2:
        return check_luck(file)
    if not file.complete:
        return "not checked", "the seed is revealed when the match is over"
    file.seed = check_seed(file.events)
    return "ok", "the seed matches its commitment, and %d salts come from it" % len(file.events)


def check_seed(events):
    """Check the seed against commitment, salts and client seeds, and return its bytes."""
    line, revealed = next((n, event) for n, event in enumerate(events, 2) if event["kind"] == "seed_revealed")
    digits = revealed["seed"]
    if len(digits) % 2 or set(digits) - set("0123456789abcdef"):
        raise VerificationError(line, "seed.revealed", "the seed is not hexadecimal")
    seed = bytes.fromhex(digits)
    if hashlib.sha256(seed).hexdigest() != events[0].get("commitment"):
        raise VerificationError(line, "seed.commitment", "the seed is not the one that was committed to")
    for ply, event in enumerate(events, 1):
        if event["salt"] != hmac_sha256(seed, b"salt/v1|%d" % ply).hex():
            raise VerificationError(ply + 1, "seed.salt", "the salt does not come from the seed")
    sent = {}
    for line, event in enumerate(events, 2):
        if event["kind"] == "seat_taken":
            sent[event["seat"]] = event.get("client_seed")
        if event["kind"] == "started":
            client_seeds = [sent.get(seat) for seat in range(len(events[0].get("seats", [])))]
            check_shares(line, events[0], event, client_seeds, seed)
    return seed


def check_shares(line, created, started, client_seeds, seed):
    """Check the order of seats if it is random, and that the start lists the client seeds in that order."""
    order = list(range(len(client_seeds)))
    if created.get("seating") == "chance":
        key = match_key(seed, dict(created, match=created["match"] + "|seats"), client_seeds)
        order = shuffled(draws(key, 0), order)
        if started.get("order") != order:
            raise VerificationError(
                line, "seed.seats", "the seed seats the players as %s, not as %s" % (order, started.get("order"))
            )
    elif "order" in started:
        raise VerificationError(
            line, "lifecycle.seating", "the players chose their seats, so there must be no random order"
        )
    if [client_seeds[seat] for seat in order] != started.get("client_seeds"):
        raise VerificationError(line, "seed.clients", "the client seeds are not those that the players sent")


# -- seed: luck protocol 2, where players give shares (docs/luck-protocol.md) ------------------------------------------

NO_SHARE = "-"
OPENING_SECONDS = 3 * 86400
MAX_CLOCK_SECONDS = 60 * 86400


def check_luck(file):
    """Check everything about the luck of a match but its draws; one function checks one rule. Keep the seed."""
    created = file.events[0]
    check_luck_level(file.events)
    seed = check_commitment(file)
    table = check_luck_order(file.events)
    check_table_hashes(created, table)
    check_seals(created, table)
    check_standing_shares(table)
    check_opening_deadline(created, table)
    if not file.complete:
        return "partly", "what players have shown so far is consistent; the seed is revealed when the match is over"
    check_seats_by_chance(created, table, seed)
    check_salts(file.events)
    file.seed = seed
    return "ok", "seed and shares match their commitments, and %d salts come from their secret" % len(file.events)


def check_luck_level(events):
    """Check that the level fits the match, and that shares and seals are where the level requires them."""
    created, rule = events[0], "luck.level"
    level, clock = created["luck"]["level"], created.get("clock", {})
    if created.get("rated") and level != "sealed":
        raise VerificationError(2, rule, "a rated match must be sealed")
    if (level == "given") is not created["given"]:
        raise VerificationError(2, rule, "the level does not fit whether the seed was given")
    if clock.get("seconds", 0) > MAX_CLOCK_SECONDS:
        raise VerificationError(2, rule, "the clock has more than %d seconds" % MAX_CLOCK_SECONDS)
    seconds = clock["seconds"] if clock.get("kind") == "per_move" else OPENING_SECONDS
    wanted = seconds if level == "sealed" else None
    if not same_json(created["luck"]["opening_seconds"], wanted):
        raise VerificationError(2, rule, "`opening_seconds` must be %s" % canonical(wanted).decode())
    for line, event in enumerate(events, 2):
        if event["kind"] == "seat_taken":
            gives = event.get("level") is None and level != "given" and not has_same_luck(created)
            check_contribution(line, event, level if gives else None)


def has_same_luck(created):
    """Return whether the match is a fork with the luck of another match."""
    return created.get("fork", {}).get("luck") == "same"


def check_contribution(line, event, level):
    """Check that a seat has a share or seal only if the level requires one, and that it is well-formed."""
    share, seal, rule = event["share"], event["seal"], "luck.level"
    if share is not None and level != "open":
        raise VerificationError(line, rule, "nobody may show a share here")
    if seal is not None and level != "sealed":
        raise VerificationError(line, rule, "nobody may seal a share here")
    if share is not None and not is_share(share):
        raise VerificationError(line, rule, "a share must be 64 hexadecimal digits, not all 0")
    if seal is not None and not SHARE.match(seal):
        raise VerificationError(line, rule, "a seal must be 64 hexadecimal digits")


def is_share(text):
    """Return whether this is a share: 64 hexadecimal digits, not all 0."""
    return SHARE.match(text) is not None and text != 64 * "0"


def check_commitment(file):
    """Check that the seed is the one that was committed to, and return its bytes; None while the match is running."""
    created, rule = file.events[0], "luck.commitment"
    same = has_same_luck(created)
    if not SHARE.match(created["commitment"]):
        raise VerificationError(2, rule, "the commitment must be 64 hexadecimal digits")
    if same and created["fork"]["commitment"] != created["commitment"]:
        raise VerificationError(2, rule, "the fork's commitment differs from that of the match whose luck it has")
    if not file.complete:
        return None
    line, revealed = next((n, event) for n, event in enumerate(file.events, 2) if event["kind"] == "seed_revealed")
    digits = revealed["seed"]
    if not SHARE.match(revealed["salts"]):
        raise VerificationError(line, rule, "the secret for salts must be 32 bytes in hexadecimal")
    if not (SEED if created["given"] else SHARE).match(digits):
        raise VerificationError(line, rule, "the seed must be 32 bytes (a given one 1 to 64) in hexadecimal")
    match = created["fork"]["origin"] if same else created["match"]
    if commitment_of(match, digits) != created["commitment"]:
        raise VerificationError(line, rule, "the seed is not the one that was committed to")
    return bytes.fromhex(digits)


def sha256(text):
    """Return the SHA-256 of ASCII text in hex."""
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def commitment_of(match, seed):
    """Return the commitment to a seed in hex."""
    return sha256("crumbtrail/seed/2|%s|%s" % (match, seed))


def seal_of(match, seat, commitment, share):
    """Return the seal of a share."""
    return sha256("crumbtrail/share/2|%s|%d|%s|%s" % (match, seat, commitment, share))


def table_hash(match, commitment, seals):
    """Return the hash of a full table."""
    return sha256("crumbtrail/table/2|%s|%s|%s" % (match, commitment, joined(seals)))


def joined(values):
    """Return shares or seals as hashed text."""
    return ",".join(value or NO_SHARE for value in values)


class Table:
    """The seats of a match before its start, as the events fill and leave them.

    Its `state` decides which event may come next. All events are kept with their lines: who sat when the last seat was
    taken (`taken`, by seat), `openings`, and `full`, `started` and `cancelled`, each a pair or None.
    """

    def __init__(self, created):
        self.is_sealed = created["luck"]["level"] == "sealed"
        self.is_rated = created.get("rated") is True
        self.taken = [None] * len(created["seats"])
        self.openings = []
        self.full = self.started = self.cancelled = None
        self.state = "open"

    @property
    def seals(self):
        """The seals of all seats; None where there is none."""
        return [pair and pair[1]["seal"] for pair in self.taken]

    @property
    def unopened(self):
        """The seats with a seal whose share is not open."""
        opened = {event["seat"] for _, event in self.openings}
        return [seat for seat, seal in enumerate(self.seals) if seal is not None and seat not in opened]


# The kinds of event that may come next, by state of the table. In other states, all but those of `BEFORE_START` may.
NEXT = {
    "open": ("seat_taken", "seat_left", "cancelled"),
    "opening": ("share_opened", "cancelled"),
    "full": ("started",),
    "cancelled": ("seed_revealed",),
    "ended": ("seed_revealed",),
}
# Why a match may be cancelled, by state of the table, and the reasons that name seats.
REASONS = {"open": (None, "abandoned"), "opening": ("lost", "not_opened"), "playing": ("aborted", "absent")}
REASONS_WITH_SEATS = ("lost", "not_opened", "absent")
BEFORE_START = ("created", "seat_taken", "seat_left", "share_opened", "started", "cancelled", "seed_revealed")


def check_luck_order(events):
    """Check that seats, openings, start and end come in order, and return the table."""
    table, line = Table(events[0]), 2
    for line, event in enumerate(events, 2):
        if line > 2:
            follow_table(table, line, event)
    if table.state in ("full", "cancelled", "ended"):
        raise VerificationError(line, "luck.order", "`%s` must come next" % NEXT[table.state][0])
    return table


def follow_table(table, line, event):
    """Check that an event may come here, and change the table as it says."""
    kind, seat, state = event["kind"], event["seat"], table.state
    ends_early = state == "playing" and kind == "cancelled"
    if kind not in NEXT[state] if state in NEXT else kind in BEFORE_START and not ends_early:
        raise VerificationError(line, "luck.order", "`%s` must not come here" % kind)
    if kind in ("seat_taken", "seat_left"):
        if seat not in range(len(table.taken)) or (table.taken[seat] is None) is not (kind == "seat_taken"):
            raise VerificationError(line, "luck.order", "the seat cannot be taken or left here")
        table.taken[seat] = (line, event) if kind == "seat_taken" else None
        if None not in table.taken:
            table.full = line, event
            table.state = "opening" if table.unopened else "full"
    elif kind == "share_opened":
        table.openings.append((line, event))
        table.state = "opening" if table.unopened else "full"
    elif kind == "started":
        table.started = line, event
        table.state = "playing"
    elif kind == "cancelled":
        check_cancelled(table, line, event)
        table.cancelled = line, event
        table.state = "cancelled"
    elif kind in ("ended", "seed_revealed"):
        table.state = "ended" if kind == "ended" else "over"


def check_cancelled(table, line, event):
    """Check the reason for which a match was cancelled, and whether it names seats."""
    reason, seats = event.get("reason"), event.get("seats")
    rated = table.is_rated and table.state == "playing"
    if reason not in REASONS[table.state] or (seats is not None) is not (reason in REASONS_WITH_SEATS) or rated:
        raise VerificationError(line, "luck.order", "the match cannot be cancelled for this reason here")
    if reason == "absent" and not seats:
        raise VerificationError(line, "luck.order", "`seats` must name the seats that were absent")
    if reason == "lost":
        players = {table.taken[seat][1]["player"] for seat in seats if seat in table.unopened}
        if not seats or len(players) > 1 or [seat for seat in table.unopened if seat in seats] != seats:
            raise VerificationError(line, "luck.order", "`seats` must name the seats of one player who had not opened")


def check_table_hashes(created, table):
    """Check that every player who opened a share saw the seals of this table."""
    expected = table_hash(created["match"], created["commitment"], table.seals)
    for line, event in table.openings:
        if event["table"] != expected:
            raise VerificationError(line, "luck.table", "the share was opened for another table")


def check_seals(created, table):
    """Check that each sealed seat opens once, with the share that its seal was made from."""
    opened = set()
    for line, event in table.openings:
        seat, share = event["seat"], event["share"]
        seal = table.seals[seat] if seat in range(len(table.seals)) else None
        if seal is None or seat in opened:
            raise VerificationError(line, "luck.seal", "the seat has no share left to open")
        if not is_share(share) or seal_of(created["match"], seat, created["commitment"], share) != seal:
            raise VerificationError(line, "luck.seal", "the share does not match the seal of its seat")
        opened.add(seat)


def check_standing_shares(table):
    """Check that the start lists the shares that the players have shown."""
    if table.started is None:
        return
    shares = [event["share"] for _, event in table.taken]
    for _, event in table.openings:
        shares[event["seat"]] = event["share"]
    line, event = table.started
    if event["shares"] != shares:
        raise VerificationError(line, "luck.shares", "the shares are not those that the players have shown")


def check_opening_deadline(created, table):
    """Check that shares were opened in time, and that otherwise the match was cancelled for those who did not."""
    if not table.is_sealed or table.full is None:
        return
    seconds, rest = moment(table.full[1])
    deadline = seconds + created["luck"]["opening_seconds"], rest
    for line, event in table.openings:
        if moment(event) >= deadline:
            raise VerificationError(line, "luck.deadline", "the share was opened too late")
    line, event = table.cancelled or (0, {})
    if event.get("reason") == "lost" and moment(event) >= deadline:
        sentence = "the time for opening was over, so the match could not be cancelled for a lost share"
        raise VerificationError(line, "luck.deadline", sentence)
    if event.get("reason") != "not_opened":
        return
    if moment(event) < deadline:
        raise VerificationError(line, "luck.deadline", "the match was cancelled before the time for opening was over")
    if event["seats"] != table.unopened:
        wanted = canonical(table.unopened).decode()
        raise VerificationError(line, "luck.deadline", "the seats that had not opened are " + wanted)


def moment(event):
    """Return the time of an event in whole seconds and microseconds."""
    year, month, day, *clock = map(int, TIME.match(event["at"]).groups())
    since = datetime.datetime(year, month, day, *clock) - datetime.datetime(1, 1, 1)
    return since.days * 86400 + since.seconds, int((event["at"][20:-1] or "0"))


def check_seats_by_chance(created, table, seed):
    """Check the order of seats."""
    if table.started is None:
        return
    line, event = table.started
    wanted = None
    if created.get("seating") == "chance":
        wanted = draw_seats(Streams(luck_key(seed, created, event["shares"]), uses_before(created)), created)
    if not same_json(event.get("order"), wanted):
        pair = tuple(canonical(each).decode() for each in (wanted, event.get("order")))
        raise VerificationError(line, "luck.seats", "the order of seats must be %s, the file says %s" % pair)


def check_salts(events):
    """Check that every salt comes from the secret for salts."""
    salts = bytes.fromhex(next(event["salts"] for event in events if event["kind"] == "seed_revealed"))
    for ply, event in enumerate(events, 1):
        if event["salt"] != hmac_sha256(salts, b"salt/2|%d" % ply).hex():
            raise VerificationError(ply + 1, "luck.salt", "the salt does not come from the secret for salts")


# -- signature: only its form, since Python's standard library has no Ed25519 -----------------------------------------


def check_signature_form(line, signature):
    """Check that a signature has a key and a value, both in hex."""
    if not isinstance(signature, dict) or set(signature) != {"key", "value"}:
        raise VerificationError(line, "signature.form", "a signature must have exactly `key` and `value`")
    for name, digits in (("key", 64), ("value", 128)):
        text = signature[name]
        if not isinstance(text, str) or len(text) != digits or set(text) - set("0123456789abcdef"):
            raise VerificationError(
                line, "signature.form", "the signature's `%s` is not %d hexadecimal digits" % (name, digits)
            )


# -- draws: from blocks to numbers (docs/verify-a-roll.md) ------------------------------------------------------------

WORD_VALUES = 1 << 32


def hmac_sha256(key, message):
    """Return the HMAC-SHA256 of a message."""
    return hmac.new(key, message, hashlib.sha256).digest()


def numbers_from(block):
    """Return a function `below(k)` that returns the next number from 0 to k - 1.

    `block(b)` returns the 32 bytes of block b.
    """
    state = {"block": 0, "words": []}

    def below(k):
        if type(k) is not int or not 1 <= k <= WORD_VALUES:
            raise ValueError("no numbers below this")
        limit = WORD_VALUES - WORD_VALUES % k
        while True:
            if not state["words"]:
                # A block of 32 bytes gives eight words of 32 bits.
                data = block(state["block"])
                state["words"] = [int.from_bytes(data[i : i + 4], "big") for i in range(0, 32, 4)]
                state["block"] += 1
            word = state["words"].pop(0)
            # Skip words from the limit up: they would make small remainders more likely.
            if word < limit:
                return word % k

    return below


def shuffled(below, items):
    """Return the items shuffled by the draws (Fisher-Yates, from the end)."""
    deck = list(items)
    for i in range(len(deck) - 1, 0, -1):
        j = below(i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck


# -- draws: luck protocol 1, with one stream of numbers for each game event --------------------------------------------


def match_key(seed, created, client_seeds):
    """Return the key of all draws of a match. A fork with the same luck has the key of the match it comes from."""
    if created.get("given"):
        return hmac_sha256(seed, b"key/v1|given")
    match, fork = created["match"], created.get("fork") or {}
    if fork.get("luck") == "same":
        match, client_seeds = fork["origin"], fork["client_seeds"]
    return hmac_sha256(seed, b"key/v1" + match.encode() + hashlib.sha256("\n".join(client_seeds).encode()).digest())


def draws(key, n):
    """Return the draws of game event n: a function `below(k)` that returns the next number from 0 to k - 1."""
    return numbers_from(lambda block: hmac_sha256(key, b"draw/v1|%d|" % n + block.to_bytes(8, "big")))


# -- draws: luck protocol 2, with a stream of numbers for each purpose and use -----------------------------------------


def luck_key(seed, created, shares):
    """Return the key of all draws of a match. A fork with the same luck has the key of the match it comes from."""
    if created["given"]:
        return hmac_sha256(seed, b"crumbtrail/key/2|given")
    match = created["match"]
    if has_same_luck(created):
        match, shares = created["fork"]["origin"], created["fork"]["shares"]
    return hmac_sha256(seed, ("crumbtrail/key/2|%s|%s" % (match, joined(shares))).encode("ascii"))


def uses_before(created):
    """Return how often each purpose was used before the match; only a fork with the same luck has such uses."""
    return created["fork"]["uses"] if has_same_luck(created) else {}


def draw_seats(streams, created):
    """Return the order in which chance seats the players."""
    return shuffled(streams.draws("seats"), range(len(created["seats"])))


class Streams:
    """The draws of a match. `uses` counts the uses of each purpose so far, `used` those of the current event."""

    def __init__(self, key, uses):
        self.key, self.uses, self.used = key, dict(uses), {}

    def draws(self, purpose):
        """Return the draws of the next use of a purpose. The use begins, and counts, with the first number."""
        if not PURPOSE.match(purpose):
            raise ValueError("not a purpose")
        started = []

        def below(k):
            if not started:
                use = self.uses.get(purpose, 0)
                self.uses[purpose], self.used[purpose] = use + 1, self.used.get(purpose, 0) + 1
                started.append(numbers_from(lambda block: stream_block(self.key, purpose, use, block)))
            return started[0](k)

        return below


def stream_block(key, purpose, use, block):
    """Return the 32 bytes of one block of a use."""
    return hmac_sha256(key, ("draw/2|%s|%d|%d" % (purpose, use, block)).encode("ascii"))


# -- draws: following a match (docs/draws.md) -------------------------------------------------------------------------

MAX_CARDS = 2000
"""Limit on the cards in all piles of a match. The known games have less than a quarter of it."""


def check_draws(file):
    """Reproduce every draw and compare it with the facts."""
    if file.seed is None:
        return "not checked", "the seed is not known"
    created = file.events[0]
    table = DRAWS.get(created.get("game"), {}).get(str(created.get("rules_version")))
    if table is None:
        return "not checked", "this verifier does not know this version of the game"
    interpreter = DrawInterpreter(table, created)
    try:
        check_all_draws(file.events, file.seed, interpreter)
    except VerificationError:
        if not interpreter.mismatches:
            raise
    if interpreter.mismatches:
        ply, sentence = interpreter.mismatches[0]
        more = len(interpreter.mismatches) - 1
        raise VerificationError(ply + 1, interpreter.rule, sentence + (" (and %d more)" % more if more else ""))
    return "ok", "%d draws reproduced" % interpreter.draw_count


def check_all_draws(events, seed, interpreter):
    """Run an interpreter over the facts and draws of each event; restore its piles when plies are taken back."""
    created, kept = events[0], {}
    back = set(map(returns_to, events))
    source = DrawSource1(created, seed) if luck_protocol(created) == 1 else DrawSource2(created, seed)
    number, facts = source.first_number, 0
    for ply, event in enumerate(events, 1):
        if source.counts_facts and not same_json(event["first_fact"], facts):
            found = canonical(event["first_fact"]).decode()
            sentence = "ply %d: %d facts come before the event, the file says %s" % (ply, facts, found)
            raise VerificationError(ply + 1, "fold.facts", sentence)
        wanted = number if makes_draws(event, created) else None
        if not same_json(event["draw"], wanted):
            pair = tuple(canonical(each).decode() for each in (wanted, event["draw"]))
            sentence = "ply %d: the number of the game event must be %s, the file says %s" % (ply, *pair)
            raise VerificationError(ply + 1, "fold.draws", sentence)
        if wanted is not None:
            number += 1
        elif event["facts"] and not (ply == 1 and created.get("fork")):
            raise VerificationError(
                ply + 1, "lifecycle.shape", "ply %d: the event decides nothing, but it has facts" % ply
            )
        if event["kind"] == "started":
            source.start(event)
        if wanted is not None and source.key is None:
            raise VerificationError(ply + 1, "lifecycle.order", "ply %d: a move before the start" % ply)
        interpreter.run_event(ply, event["facts"], None if wanted is None else source.begin_event(event))
        interpreter.mismatches += [(ply, "ply %d: %s" % (ply, each)) for each in source.errors_of(event)]
        facts += len(event["facts"])
        if returns_to(event) is not None:
            piles, facts = kept[returns_to(event)]
            interpreter.restore_piles(piles)
        if ply in back:
            kept[ply] = interpreter.save_piles(), facts


class DrawSource1:
    """The draws of a match with luck protocol 1."""

    counts_facts = False

    def __init__(self, created, seed):
        self.created, self.seed, self.key = created, seed, None
        self.first_number = (created.get("fork") or {}).get("draws", 0)

    def start(self, event):
        """Compute the key, as the match starts."""
        self.key = match_key(self.seed, self.created, event["client_seeds"])

    def begin_event(self, event):
        """Return the draws of the event."""
        return draws(self.key, event["draw"])

    def errors_of(self, event):
        """Return what is wrong about the event's own list of draws, which it does not have."""
        return []


class DrawSource2:
    """The draws of a match with luck protocol 2. Nothing gives a use back, not even a takeback."""

    counts_facts = True

    def __init__(self, created, seed):
        self.created, self.seed, self.key, self.streams = created, seed, None, None
        self.first_number = 1 if "fork" in created else 0

    def start(self, event):
        """Compute the key, as the match starts."""
        self.key = luck_key(self.seed, self.created, event["shares"])
        self.streams = Streams(self.key, uses_before(self.created))

    def begin_event(self, event):
        """Return a function from a purpose to the draws of its next use."""
        self.streams.used = {}
        if event["kind"] == "started" and self.created.get("seating") == "chance":
            draw_seats(self.streams, self.created)
        return self.streams.draws

    def errors_of(self, event):
        """Return what is wrong about `draws`: it must count the uses that the event's facts show."""
        if event["kind"] not in ("started", "moved"):
            return []
        wanted = self.streams.used if event["draw"] is not None else {}
        if same_json(event["draws"], wanted):
            return []
        pair = tuple(canonical(each).decode() for each in (wanted, event["draws"]))
        return ["`draws` must be %s, the file says %s" % pair]


def returns_to(event):
    """Return the ply that a takeback or a ruling takes the match back to; None for any other event."""
    back = event["kind"] == "taken_back" or event.get("ruling") == "rolled_back"
    return event.get("to_ply") if back else None


def makes_draws(event, created):
    """Return whether the event decides something in the game: a move, or the start of a match that is not a fork."""
    return event["kind"] == "moved" or (event["kind"] == "started" and not created.get("fork"))


# -- draws: the interpreter of the tables (docs/draws.md) -------------------------------------------------------------

# A table lists, for each type of fact, the steps to take. A step is a verb with its arguments:
#
#     "cake_laid": [["shuffle", "=dominoes", "cake", "cells.*.piece"]]
#
# means: shuffle the table's list `dominoes`. The result must equal what the fact shows at `cells.*.piece` (the `piece`
# of every item of `cells`), and becomes the pile `cake`. Each verb is a method below: `do_` and its name.
#
# Arguments are terms. A term is a path into the fact ("dice"), or starts with a mark: "#deck" is a pile, "=cards" a
# list of the table, "@recipe" an option of the match, "@seats" the number of seats, "'blind" the text itself. `{seat}`
# in a name is replaced by the fact's field `seat`.


DRAWING = ("dice", "below", "pick", "shuffle", "spread")
"""The verbs of steps that draw. In tables of luck protocol 2, the purpose of the draws follows the verb."""


class DrawInterpreter:
    """Follows the facts of a match, keeps its piles of cards, and reproduces every draw that a fact shows.

    If the file shows a different value from the seed's, it records the mismatch and continues with the file's value.
    """

    def __init__(self, table, created):
        self.table = table
        self.has_purposes = table.get("protocol", 1) == 2
        self.rule = "luck.draws" if self.has_purposes else "draw"
        self.options = created["options"]
        self.seats = len(created["seats"])
        self.piles = {}
        self.mismatches = []
        self.draw_count = 0
        self.ply = self.fact_type = self.source = self.streams = None

    def save_piles(self):
        """Return a copy of the piles for `restore_piles`."""
        return {name: list(cards) for name, cards in self.piles.items()}

    def restore_piles(self, piles):
        """Go back to saved piles."""
        self.piles = {name: list(cards) for name, cards in piles.items()}

    def run_event(self, ply, facts, source):
        """Follow the facts of one event.

        `source` is its `below`, under luck protocol 2 a function from a purpose to the `below` of its next use. It is
        None if nothing is drawn for these facts.
        """
        self.ply, self.source, self.streams = ply, source, source
        for fact in facts:
            self.fact_type = fact.get("type")
            steps = self.table["facts"].get(self.fact_type)
            if steps is None and self.fact_type not in self.table["others"]:
                sentence = "ply %d, %s: the game has no such fact" % (ply, str(self.fact_type)[:40])
                raise VerificationError(ply + 1, self.rule, sentence)
            try:
                self.run_steps(steps or (), fact)
            except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError):
                sentence = "ply %d, %s: the fact does not have the specified form" % (ply, self.fact_type)
                raise VerificationError(ply + 1, self.rule, sentence) from None
        if sum(map(len, self.piles.values())) > MAX_CARDS:
            raise VerificationError(ply + 1, self.rule, "ply %d: more cards than any game has" % ply)

    def run_steps(self, steps, fact):
        """Take steps for a fact."""
        for verb, *rest in steps:
            if self.has_purposes and verb in DRAWING:
                purpose = rest.pop(0)
                self.source = self.streams and self.streams(fill_in_seat(purpose, fact))
            getattr(self, "do_" + verb)(fact, *rest)

    # -- terms

    def value(self, term, fact):
        """Return the value of a term. A number is its own value; a list gives the values of its terms."""
        if isinstance(term, (list, tuple)):
            return [self.value(each, fact) for each in term]
        if not isinstance(term, str):
            return term
        mark, name = term[:1], fill_in(term[1:], fact)
        if mark == "'":
            return name
        if mark == "#":
            return self.piles.get(name, [])
        if mark == "=":
            return self.table["lists"][name]
        if mark == "@":
            return self.seats if name == "seats" else self.options[name]
        return value_at_path(fact, term.split("."))

    def flat(self, term, fact):
        """Return the value of a term as one flat list."""
        return flatten(self.value(term, fact))

    def below(self, k):
        """Return the next draw of the step."""
        self.draw_count += 1
        return self.source(k)

    def compare(self, giver, expected, found):
        """Record the first item that differs in the file."""
        if same_json(expected, found):
            return
        length = max(len(expected), len(found))
        n = next(n for n in range(length) if not same_json(expected[n : n + 1], found[n : n + 1]))
        shown = [canonical(items[n]).decode() if n < len(items) else "nothing" for items in (expected, found)]
        which = " %d of %d" % (n + 1, length) if length > 1 else ""
        sentence = "ply %d, %s%s: %s gives %s, the file shows %s" % (self.ply, self.fact_type, which, giver, *shown)
        self.mismatches.append((self.ply, sentence))

    # -- steps that draw: `target` must show what the seed gives

    def do_dice(self, fact, target):
        """Each number at `target` is a die roll."""
        if self.source:
            found = self.flat(target, fact)
            self.compare("the seed", [self.below(6) + 1 for _ in found], found)

    def do_below(self, fact, k, target):
        """Each number at `target` is a draw below k."""
        if self.source:
            found = self.flat(target, fact)
            self.compare("the seed", [self.below(self.value(k, fact)) for _ in found], found)

    def do_pick(self, fact, source, target):
        """One of the items is drawn."""
        if self.source:
            items = self.flat(source, fact)
            expected = [items[self.below(len(items))]] if items else []
            self.compare("the seed", expected, self.flat(target, fact))

    def do_shuffle(self, fact, source, pile, target, shown=None):
        """The items are shuffled, and the first `shown` of them (or all) become a pile."""
        found = self.flat(target, fact)
        if self.source:
            self.compare("the seed", shuffled(self.below, self.flat(source, fact))[:shown], found)
        self.piles[fill_in(pile, fact)] = found

    def do_spread(self, fact, target, names, sections, rotations, tiles, corners):
        """Things are laid out on a board: its sections are shuffled, each thing gets a free tile of the next one."""
        if not self.source:
            return
        shapes = self.value(tiles, fact)
        free = [
            [[top + row, left + column] for row, column in shapes[section][rotation]]
            for section, rotation, (top, left) in zip(
                self.flat(sections, fact), self.flat(rotations, fact), self.value(corners, fact)
            )
        ]
        parts = shuffled(self.below, range(len(free)))
        expected = {}
        for n, name in enumerate(self.flat(names, fact)):
            tiles_left = free[parts[n % len(parts)]]
            expected[name] = tiles_left.pop(self.below(len(tiles_left)))
        found = self.value(target, fact)
        self.compare("the seed", sorted(expected.items()), sorted(found.items()))

    # -- steps that compare with a pile that was shuffled before

    def do_top(self, fact, pile, target):
        """The items at `target` are the first of a pile, and are removed from it."""
        deck, found = self.piles.get(fill_in(pile, fact), []), self.flat(target, fact)
        self.compare("the pile", deck[: len(found)], found)
        del deck[: len(found)]

    def do_at(self, fact, pile, place, target):
        """The item at `target` is at this index of a pile, from 0."""
        place = require_int(self.value(place, fact))
        self.compare("the pile", self.piles.get(fill_in(pile, fact), [])[place : place + 1], self.flat(target, fact))

    # -- steps that change piles

    def do_set(self, fact, pile, term):
        """Replace a pile by these items."""
        self.piles[fill_in(pile, fact)] = list(self.flat(term, fact))

    def do_put(self, fact, pile, term):
        """Add these items to the end of a pile."""
        self.piles.setdefault(fill_in(pile, fact), []).extend(self.flat(term, fact))

    def do_push(self, fact, pile, term):
        """Add a value to the end of a pile as one item."""
        self.piles.setdefault(fill_in(pile, fact), []).append(self.value(term, fact))

    def do_drop(self, fact, pile, term):
        """Remove each of these items from a pile, once."""
        cards = self.piles.get(fill_in(pile, fact), [])
        for card in self.flat(term, fact):
            remove_card(cards, card)

    def do_move(self, fact, pile, term, others=(), elsewhere=""):
        """Move these items from any pile to the end of this one; those in `others` go to `elsewhere`."""
        special = self.flat(others, fact)
        for card in self.flat(term, fact):
            for cards in self.piles.values():
                remove_card(cards, card)
            self.piles.setdefault(fill_in(elsewhere if card in special else pile, fact), []).append(card)

    def do_hold(self, fact, prefix, term):
        """Make each seat's hand a pile, named by the prefix and the seat."""
        for seat, cards in pairs_by_seat(self.value(term, fact)):
            self.piles["%s.%s" % (prefix, seat)] = flatten(cards)

    def do_deal(self, fact, pile, term, first):
        """Replace a pile by these hands in dealing order: round by round, starting with the seat `first`."""
        hands = [flatten(cards) for _, cards in pairs_by_seat(self.value(term, fact))]
        start = require_int(self.flat(first, fact)[0])
        hands = hands[start:] + hands[:start]
        rounds = range(max(map(len, hands), default=0))
        self.piles[fill_in(pile, fact)] = [hand[n] for n in rounds for hand in hands if n < len(hand)]

    def do_sort(self, fact, pile, order):
        """Sort a pile in this order."""
        ranks = self.flat(order, fact)
        self.piles.setdefault(fill_in(pile, fact), []).sort(key=ranks.index)

    # -- steps that contain other steps

    def do_when(self, fact, one, other, steps, otherwise=()):
        """Take some steps if two terms are equal, otherwise others."""
        self.run_steps(steps if same_json(self.flat(one, fact), self.flat(other, fact)) else otherwise, fact)

    def do_each(self, fact, target, steps):
        """Take steps for each part of the fact at `target`."""
        for part in self.value(target, fact):
            self.run_steps(steps, part)


def require_int(value):
    """Return a whole number as it is. Raises TypeError for anything else, also for True and False."""
    if type(value) is not int:
        raise TypeError("not a whole number")
    return value


def fill_in(name, fact):
    """Return a name with the fact's values filled in: `hand.{seat}` is `hand.0` for seat 0."""
    return re.sub(r"\{(\w+)\}", lambda found: str(fact[found.group(1)]), name)


def fill_in_seat(purpose, fact):
    """Return a purpose with the fact's seats filled in: `dice/{seat}` is `dice/0` for seat 0."""
    if any(type(fact[name]) is not int for name in re.findall(r"\{(\w+)\}", purpose)):
        raise TypeError("not a seat")
    return fill_in(purpose, fact)


def remove_card(cards, card):
    """Remove the card from the list if it is there. As in JSON, true is not 1."""
    for n, each in enumerate(cards):
        if each == card and type(each) is type(card):
            del cards[n]
            return


def value_at_path(value, path):
    """Return the value at a path; `*` is every item."""
    for n, name in enumerate(path):
        if name == "*":
            return [value_at_path(item, path[n + 1 :]) for item in value]
        value = value[int(name) if isinstance(value, list) else name]
    return value


def flatten(value):
    """Return the scalars in a value in order, without null; members of an object are sorted by name."""
    if isinstance(value, dict):
        value = [value[name] for name in sorted(value)]
    if isinstance(value, (list, tuple)):
        return [item for part in value for item in flatten(part)]
    return [] if value is None else [value]


def pairs_by_seat(hands):
    """Return pairs of seat and cards from an array or an object of hands; none for null."""
    if isinstance(hands, dict):
        return sorted(hands.items())
    if hands is not None and not isinstance(hands, (list, tuple)):
        raise TypeError("neither an array nor an object")
    return [(str(seat), cards) for seat, cards in enumerate(hands or ())]


# -- the command line -------------------------------------------------------------------------------------------------


NEEDS_RULES = "moves, scores, deadlines and early ends need the rules; use `crumbtrail verify`"


def main(paths):
    """Check the files, print the results and return the exit code."""
    worst = 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                raw = file.read(MAX_FILE + 1)
        except OSError as error:
            print("%s: cannot be read: %s" % (path, error.strerror))
            worst = worst or 2
            continue
        layers, wrong = verify(raw)
        print("%s: %s" % (path, "ERROR" if wrong else "no errors"))
        for name, status, sentence in layers:
            print("  %-6s %-12s %s" % (name, status, sentence))
        print("  %-6s %-12s %s" % ("rules", "not checked", NEEDS_RULES))
        worst = 1 if wrong else worst
    return worst


# -- data: the random values in the facts, by game and rules version --------------------------------------------------

# `python -m tools.draw_tables` generates this from the games; docs/draws.md explains it. tests/replays/test_draws.py
# compares it with the games' tables, and tests/contract/test_draws.py compares those with the draws of the rules.

DRAWS = json.loads("""
{
  "bakers_brawl": {
    "1": {
      "lists": {
        "kinds": ["chocolate", "vanilla", "cinnamon", "nuts", "berries", "apple", "lemon", "cream_cheese"],
        "specials": ["chocolate", "chocolate", "chocolate", "chocolate", "chocolate", "chocolate", "chocolate",
          "chocolate", "vanilla", "vanilla", "vanilla", "vanilla", "vanilla", "vanilla", "vanilla", "cinnamon",
          "cinnamon", "cinnamon", "cinnamon", "cinnamon", "cinnamon", "nuts", "nuts", "nuts", "nuts", "nuts", "nuts",
          "berries", "berries", "berries", "berries", "berries", "berries", "apple", "apple", "apple", "apple",
          "apple", "lemon", "lemon", "lemon", "lemon", "lemon", "cream_cheese", "cream_cheese", "cream_cheese",
          "cream_cheese", "cream_cheese"],
        "orders.2": ["O01", "O02", "O03", "O04", "O05", "O06", "O09", "O10", "O11", "O17", "O18", "O19", "O20", "O21",
          "O22", "O25", "O26", "O27", "O28", "O29", "O30", "O31", "O33", "O34", "O35", "O36", "O37"],
        "orders.3": ["O01", "O02", "O03", "O04", "O05", "O06", "O07", "O08", "O09", "O10", "O11", "O12", "O13", "O14",
          "O15", "O16", "O17", "O18", "O19", "O20", "O21", "O22", "O23", "O24", "O25", "O26", "O27", "O28", "O29",
          "O30", "O31", "O32", "O33", "O34", "O35", "O36", "O37", "O38", "O39", "O40"],
        "orders.4": ["O01", "O02", "O03", "O04", "O05", "O06", "O07", "O08", "O09", "O10", "O11", "O12", "O13", "O14",
          "O15", "O16", "O17", "O18", "O19", "O20", "O21", "O22", "O23", "O24", "O25", "O26", "O27", "O28", "O29",
          "O30", "O31", "O32", "O33", "O34", "O35", "O36", "O37", "O38", "O39", "O40"],
        "agendas.2": ["A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09", "A10", "A11", "A13", "A14"],
        "agendas.3": ["A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09", "A10", "A11", "A12", "A13",
          "A14"],
        "agendas.4": ["A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09", "A10", "A11", "A12", "A13",
          "A14"]
      },
      "facts": {
        "position_set": [["set", "orders", "order_deck"], ["set", "specials", "special_deck"], ["set", "discard",
          "discard"]],
        "game_set_up": [["when", "@start_seat", "'random", [["below", "@seats", "start_seat"]]], ["shuffle",
          "=orders.{players}", "orders", ["order_line", "order_deck"]], ["set", "orders", "order_deck"], ["deal",
          "hands", "hands", "start_seat"], ["shuffle", "=specials", "specials", ["#hands", "special_deck"]], ["set",
          "specials", "special_deck"], ["deal", "agendas", "agendas", "start_seat"], ["shuffle", "=agendas.{players}",
          "removed", ["#agendas", "removed_agendas"]]],
        "special_drawn": [["top", "specials", "card"]],
        "ingredient_placed": [["when", "source", "'blind", [["top", "specials", "ingredient"]]]],
        "order_arrived": [["top", "orders", "order_id"]],
        "pantry_discarded": [["put", "discard", "card"]],
        "special_discarded": [["put", "discard", "card"]],
        "ingredients_cleared": [["put", "discard", "discarded"]],
        "seat_resigned": [["put", "discard", "discarded"]],
        "special_deck_reshuffled": [["sort", "discard", "=kinds"], ["shuffle", "#discard", "specials", "order"],
          ["set", "discard", []]]
      },
      "others": ["agenda_scored", "completion_declined", "completion_opened", "game_ended", "help_bonus_scored",
        "labor_compared", "order_claimed", "order_completed", "order_taken_by_boss", "pantry_stocked", "pantry_taken",
        "points_scored", "result_declared", "round_ended", "special_kept", "turn_passed", "turn_started"]
    },
    "2": {
      "protocol": 2,
      "lists": {
        "kinds": ["chocolate", "vanilla", "cinnamon", "nuts", "berries", "apple", "lemon", "cream_cheese"],
        "specials": ["chocolate", "chocolate", "chocolate", "chocolate", "chocolate", "chocolate", "chocolate",
          "chocolate", "vanilla", "vanilla", "vanilla", "vanilla", "vanilla", "vanilla", "vanilla", "cinnamon",
          "cinnamon", "cinnamon", "cinnamon", "cinnamon", "cinnamon", "nuts", "nuts", "nuts", "nuts", "nuts", "nuts",
          "berries", "berries", "berries", "berries", "berries", "berries", "apple", "apple", "apple", "apple",
          "apple", "lemon", "lemon", "lemon", "lemon", "lemon", "cream_cheese", "cream_cheese", "cream_cheese",
          "cream_cheese", "cream_cheese"],
        "orders.2": ["O01", "O02", "O03", "O04", "O05", "O06", "O09", "O10", "O11", "O17", "O18", "O19", "O20", "O21",
          "O22", "O25", "O26", "O27", "O28", "O29", "O30", "O31", "O33", "O34", "O35", "O36", "O37"],
        "orders.3": ["O01", "O02", "O03", "O04", "O05", "O06", "O07", "O08", "O09", "O10", "O11", "O12", "O13", "O14",
          "O15", "O16", "O17", "O18", "O19", "O20", "O21", "O22", "O23", "O24", "O25", "O26", "O27", "O28", "O29",
          "O30", "O31", "O32", "O33", "O34", "O35", "O36", "O37", "O38", "O39", "O40"],
        "orders.4": ["O01", "O02", "O03", "O04", "O05", "O06", "O07", "O08", "O09", "O10", "O11", "O12", "O13", "O14",
          "O15", "O16", "O17", "O18", "O19", "O20", "O21", "O22", "O23", "O24", "O25", "O26", "O27", "O28", "O29",
          "O30", "O31", "O32", "O33", "O34", "O35", "O36", "O37", "O38", "O39", "O40"],
        "agendas.2": ["A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09", "A10", "A11", "A13", "A14"],
        "agendas.3": ["A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09", "A10", "A11", "A12", "A13",
          "A14"],
        "agendas.4": ["A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09", "A10", "A11", "A12", "A13",
          "A14"]
      },
      "facts": {
        "position_set": [["set", "orders", "order_deck"], ["set", "specials", "special_deck"], ["set", "discard",
          "discard"]],
        "game_set_up": [["when", "@start_seat", "'random", [["below", "start_seat", "@seats", "start_seat"]]],
          ["shuffle", "orders", "=orders.{players}", "orders", ["order_line", "order_deck"]], ["set", "orders",
          "order_deck"], ["deal", "hands", "hands", "start_seat"], ["shuffle", "specials", "=specials", "specials",
          ["#hands", "special_deck"]], ["set", "specials", "special_deck"], ["deal", "agendas", "agendas",
          "start_seat"], ["shuffle", "agendas", "=agendas.{players}", "removed", ["#agendas", "removed_agendas"]]],
        "special_drawn": [["top", "specials", "card"]],
        "ingredient_placed": [["when", "source", "'blind", [["top", "specials", "ingredient"]]]],
        "order_arrived": [["top", "orders", "order_id"]],
        "pantry_discarded": [["put", "discard", "card"]],
        "special_discarded": [["put", "discard", "card"]],
        "ingredients_cleared": [["put", "discard", "discarded"]],
        "seat_resigned": [["put", "discard", "discarded"]],
        "special_deck_reshuffled": [["sort", "discard", "=kinds"], ["shuffle", "specials", "#discard", "specials",
          "order"], ["set", "discard", []]]
      },
      "others": ["agenda_scored", "completion_declined", "completion_opened", "game_ended", "help_bonus_scored",
        "labor_compared", "order_claimed", "order_completed", "order_taken_by_boss", "pantry_stocked", "pantry_taken",
        "points_scored", "result_declared", "round_ended", "special_kept", "turn_passed", "turn_started"]
    }
  },
  "battle_of_the_bakeries": {
    "1": {
      "lists": {
        "chefs": ["chef_2", "chef_3", "chef_4", "chef_5", "chef_6", "hat_2", "hat_3", "hat_4", "hat_5", "hat_6",
          "apron_2", "apron_3", "apron_4", "apron_5", "apron_6", "oven_2", "oven_3", "oven_4", "oven_5", "oven_6",
          "batter_2", "batter_3", "batter_4", "batter_5", "batter_6", "wild_23_a", "wild_23_b", "wild_23_c",
          "wild_45_a", "wild_45_b"],
        "cakes": ["wedding_cake", "wedding_cake", "boston_cream_pie", "boston_cream_pie", "boston_cream_pie",
          "pineapple_upside_down_cake", "pineapple_upside_down_cake", "pineapple_upside_down_cake",
          "pineapple_upside_down_cake", "pineapple_upside_down_cake", "cinnamon_coffee_cake", "cinnamon_coffee_cake",
          "cinnamon_coffee_cake", "cinnamon_coffee_cake", "cinnamon_coffee_cake", "cinnamon_coffee_cake",
          "cinnamon_coffee_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake",
          "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "lemon_cake",
          "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake",
          "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake",
          "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "bundt_cake", "bundt_cake",
          "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake",
          "bundt_cake", "bundt_cake", "bundt_cake", "german_chocolate_cake", "german_chocolate_cake",
          "german_chocolate_cake", "german_chocolate_cake", "german_chocolate_cake", "german_chocolate_cake",
          "german_chocolate_cake", "black_forest_cake", "black_forest_cake", "black_forest_cake", "black_forest_cake",
          "black_forest_cake", "mississippi_mud_cake", "mississippi_mud_cake", "mississippi_mud_cake",
          "birthday_cake", "birthday_cake"],
        "slots": [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
      },
      "facts": {
        "position_set": [["set", "layout", "layout"], ["set", "store", "=cakes"], ["drop", "store", ["cases",
          "drawn"]], ["hold", "sold", "sold"], ["set", "unsold.0", "=slots"], ["drop", "unsold.0", "#sold.0"], ["set",
          "unsold.1", "=slots"], ["drop", "unsold.1", "#sold.1"]],
        "chefs_laid_out": [["shuffle", "=chefs", "layout", "layout"]],
        "order_rolled_off": [["dice", "rolls"]],
        "die_rolled": [["dice", "value"]],
        "card_flipped": [["at", "layout", "position", "card"]],
        "hiring_closed": [["set", "store", "=cakes"]],
        "cake_drawn": [["pick", "#store", "cake"], ["drop", "store", "cake"]],
        "sale_opened": [["set", "unsold.0", "=slots"], ["set", "unsold.1", "=slots"]],
        "dice_rolled": [["dice", "dice"]],
        "cake_sold": [["drop", "unsold.{seat}", "slot"]],
        "catch_up_tried": [["pick", "#unsold.{seat}", "number"], ["dice", "dice"]]
      },
      "others": ["bonus_taken", "cake_placed", "catch_up_opened", "catch_up_stopped", "chef_hired", "game_created",
        "game_ended", "great_chef_awarded", "hire_declared", "hire_failed", "last_chance_denied",
        "last_chance_failed", "last_chance_opened", "round_began", "round_scored", "sale_closed", "seat_resigned",
        "stale_due", "stale_placed", "stale_waived", "turn_began", "turn_ended", "turn_lost", "turn_order_chosen"]
    },
    "2": {
      "protocol": 2,
      "lists": {
        "chefs": ["chef_2", "chef_3", "chef_4", "chef_5", "chef_6", "hat_2", "hat_3", "hat_4", "hat_5", "hat_6",
          "apron_2", "apron_3", "apron_4", "apron_5", "apron_6", "oven_2", "oven_3", "oven_4", "oven_5", "oven_6",
          "batter_2", "batter_3", "batter_4", "batter_5", "batter_6", "wild_23_a", "wild_23_b", "wild_23_c",
          "wild_45_a", "wild_45_b"],
        "cakes": ["wedding_cake", "wedding_cake", "boston_cream_pie", "boston_cream_pie", "boston_cream_pie",
          "pineapple_upside_down_cake", "pineapple_upside_down_cake", "pineapple_upside_down_cake",
          "pineapple_upside_down_cake", "pineapple_upside_down_cake", "cinnamon_coffee_cake", "cinnamon_coffee_cake",
          "cinnamon_coffee_cake", "cinnamon_coffee_cake", "cinnamon_coffee_cake", "cinnamon_coffee_cake",
          "cinnamon_coffee_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake",
          "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "sheet_cake", "lemon_cake",
          "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake",
          "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake",
          "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "lemon_cake", "bundt_cake", "bundt_cake",
          "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake", "bundt_cake",
          "bundt_cake", "bundt_cake", "bundt_cake", "german_chocolate_cake", "german_chocolate_cake",
          "german_chocolate_cake", "german_chocolate_cake", "german_chocolate_cake", "german_chocolate_cake",
          "german_chocolate_cake", "black_forest_cake", "black_forest_cake", "black_forest_cake", "black_forest_cake",
          "black_forest_cake", "mississippi_mud_cake", "mississippi_mud_cake", "mississippi_mud_cake",
          "birthday_cake", "birthday_cake"],
        "slots": [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
      },
      "facts": {
        "position_set": [["set", "layout", "layout"], ["set", "store", "=cakes"], ["drop", "store", ["cases",
          "drawn"]], ["hold", "sold", "sold"], ["set", "unsold.0", "=slots"], ["drop", "unsold.0", "#sold.0"], ["set",
          "unsold.1", "=slots"], ["drop", "unsold.1", "#sold.1"]],
        "chefs_laid_out": [["shuffle", "chefs", "=chefs", "layout", "layout"]],
        "order_rolled_off": [["dice", "roll_off/0", "rolls.*.0"], ["dice", "roll_off/1", "rolls.*.1"]],
        "die_rolled": [["dice", "die/{seat}", "value"]],
        "card_flipped": [["at", "layout", "position", "card"]],
        "hiring_closed": [["set", "store", "=cakes"]],
        "cake_drawn": [["pick", "cake/{seat}", "#store", "cake"], ["drop", "store", "cake"]],
        "sale_opened": [["set", "unsold.0", "=slots"], ["set", "unsold.1", "=slots"]],
        "dice_rolled": [["dice", "dice/{seat}", "dice"]],
        "cake_sold": [["drop", "unsold.{seat}", "slot"]],
        "catch_up_tried": [["pick", "number/{seat}", "#unsold.{seat}", "number"], ["dice", "catch_up/{seat}", "dice"]]
      },
      "others": ["bonus_taken", "cake_placed", "catch_up_opened", "catch_up_stopped", "chef_hired", "game_created",
        "game_ended", "great_chef_awarded", "hire_declared", "hire_failed", "last_chance_denied",
        "last_chance_failed", "last_chance_opened", "round_began", "round_scored", "sale_closed", "seat_resigned",
        "stale_due", "stale_placed", "stale_waived", "turn_began", "turn_ended", "turn_lost", "turn_order_chosen"]
    }
  },
  "mice_cake": {
    "1": {
      "lists": {
        "dominoes": ["0-0", "0-1", "0-2", "0-3", "0-4", "0-5", "0-6", "1-1", "1-2", "1-3", "1-4", "1-5", "1-6", "2-2",
          "2-3", "2-4", "2-5", "2-6", "3-3", "3-4", "3-5", "3-6", "4-4", "4-5", "4-6", "5-5", "5-6", "6-6"]
      },
      "facts": {"cake_laid": [["shuffle", "=dominoes", "cake", "cells.*.piece"]], "dice_rolled": [["dice", "dice"]]},
      "others": ["assignments_revealed", "attempt_decided", "blank_removed", "game_ended", "game_started",
        "mice_assigned", "mice_boosted", "mice_exhausted", "piece_stolen", "piece_taken", "piece_turned_up",
        "position_set", "round_ended", "round_started", "seat_resigned"]
    },
    "2": {
      "protocol": 2,
      "lists": {
        "dominoes": ["0-0", "0-1", "0-2", "0-3", "0-4", "0-5", "0-6", "1-1", "1-2", "1-3", "1-4", "1-5", "1-6", "2-2",
          "2-3", "2-4", "2-5", "2-6", "3-3", "3-4", "3-5", "3-6", "4-4", "4-5", "4-6", "5-5", "5-6", "6-6"]
      },
      "facts": {
        "cake_laid": [["shuffle", "cake", "=dominoes", "cake", "cells.*.piece"]],
        "dice_rolled": [["when", "seat", "'yellow", [["dice", "dice/0", "dice"]]], ["when", "seat", "'blue", [["dice",
          "dice/1", "dice"]]]]
      },
      "others": ["assignments_revealed", "attempt_decided", "blank_removed", "game_ended", "game_started",
        "mice_assigned", "mice_boosted", "mice_exhausted", "piece_stolen", "piece_taken", "piece_turned_up",
        "position_set", "round_ended", "round_started", "seat_resigned"]
    }
  },
  "pie_contest": {
    "1": {
      "lists": {
        "pantry": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
          28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54,
          55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81,
          82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106,
          107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127,
          128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148,
          149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169,
          170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181],
        "achievements": [182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199,
          200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220,
          221],
        "becoming": [184, 189, 201, 202, 208, 210, 213, 214, 218]
      },
      "facts": {
        "position_set": [["set", "pantry", "pantry"], ["set", "trash", "trash"], ["set", "pile", "pile"], ["set",
          "active", "active"], ["hold", "hand", "hands"]],
        "pantry_shuffled": [["shuffle", "=pantry", "pantry", "order"]],
        "achievements_shuffled": [["shuffle", "=achievements", "pile", "order"]],
        "first_seat_chosen": [["when", "@first_seat", "'random", [["below", "@seats", "seat"]]], ["set", "active",
          "seat"]],
        "hands_dealt": [["deal", "dealt", "hands", "#active"], ["top", "pantry", "#dealt"], ["hold", "hand",
          "hands"]],
        "turn_began": [["set", "active", "seat"]],
        "card_drawn": [["top", "pantry", "card"], ["move", "hand.{seat}", "card"]],
        "pantry_restocked": [["shuffle", "#trash", "pantry", "order"], ["set", "trash", []]],
        "ingredient_played": [["move", "table", "card"]],
        "action_played": [["move", "trash", "card", "=achievements", "pile"]],
        "dumpster_dived": [["move", "trash", "trashed", "=achievements", "pile"], ["move", "hand.{seat}", "taken"]],
        "hand_trimmed": [["move", "trash", "cards", "=achievements", "pile"]],
        "pie_baked": [["move", "trash", "cards", "=achievements", "pile"]],
        "ingredient_trashed": [["move", "trash", "card", "=achievements", "pile"]],
        "ingredient_taken_back": [["when", "to", "'pile", [["move", "pile", "card"]], [["move", "hand.{seat}",
          "card"]]]],
        "ingredient_stocked": [["move", "table", "card"]],
        "card_salvaged": [["move", "hand.{seat}", "card"]],
        "card_foraged": [["top", "pantry", "card"], ["when", "to", "'trash", [["move", "trash", "card",
          "=achievements", "pile"]], [["move", "table", "card"]]]],
        "card_looked_at": [["top", "pantry", "card"], ["move", "table", "card"]],
        "search_finished": [["move", "trash", "trashed", "=achievements", "pile"], ["move", "hand.{seat}", "kept"]],
        "card_stolen": [["sort", "hand.{owner}", ["=pantry", "=achievements"]], ["pick", "#hand.{owner}", "card"],
          ["when", "to", "'pile", [["move", "pile", "card"]], [["move", "hand.{seat}", "card"]]]],
        "cards_trashed": [["move", "trash", "cards", "=achievements", "pile"]],
        "hands_passed": [["each", "moves", [["when", "zone", "'pile", [["move", "pile", "card"]], [["move",
          "hand.{to}", "card"]]]]]],
        "achievement_revealed": [["top", "pile", "card"], ["move", "table", "card"]],
        "achievement_completed": [["move", "pile", "card", "=becoming", "turning.{seat}"]],
        "achievement_turned": [["when", "to", "'pile", [["move", "pile", "card"]]], ["when", "to", "'hand", [["move",
          "hand.{seat}", "card"]]], ["when", "to", "'kitchen", [["move", "table", "card"]]]],
        "row_cleared": [["move", "pile", "cards"]],
        "seat_resigned": [["move", "trash", ["hand", "kitchen", "aside"], "=achievements", "pile"], ["set", "falling",
          "#turning.{seat}"], ["when", "seat", "#active", [["set", "falling", ["#turning.0", "#turning.1",
          "#turning.2", "#turning.3", "#turning.4", "#turning.5", "#turning.6", "#turning.7"]]]], ["sort", "falling",
          ["=pantry", "=achievements"]], ["move", "pile", "#falling"]]
      },
      "others": ["bake_declined", "bake_failed", "choice_asked", "choice_made", "draw_missed", "extra_play_granted",
        "game_ended", "game_started", "ingredient_given", "ingredient_stolen", "ingredients_swapped", "pies_changed",
        "pies_staled", "step_fizzled", "step_started", "steps_queued", "trim_due", "turn_ended", "turn_passed"]
    },
    "2": {
      "protocol": 2,
      "lists": {
        "pantry": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
          28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54,
          55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81,
          82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106,
          107, 108, 109, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127,
          128, 129, 130, 131, 132, 133, 134, 135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148,
          149, 150, 151, 152, 153, 154, 155, 156, 157, 158, 159, 160, 161, 162, 163, 164, 165, 166, 167, 168, 169,
          170, 171, 172, 173, 174, 175, 176, 177, 178, 179, 180, 181],
        "achievements": [182, 183, 184, 185, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196, 197, 198, 199,
          200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 213, 214, 215, 216, 217, 218, 219, 220,
          221],
        "becoming": [184, 189, 201, 202, 208, 210, 213, 214, 218]
      },
      "facts": {
        "position_set": [["set", "pantry", "pantry"], ["set", "trash", "trash"], ["set", "pile", "pile"], ["set",
          "active", "active"], ["hold", "hand", "hands"]],
        "pantry_shuffled": [["shuffle", "pantry", "=pantry", "pantry", "order"]],
        "achievements_shuffled": [["shuffle", "achievements", "=achievements", "pile", "order"]],
        "first_seat_chosen": [["when", "@first_seat", "'random", [["below", "first_seat", "@seats", "seat"]]], ["set",
          "active", "seat"]],
        "hands_dealt": [["deal", "dealt", "hands", "#active"], ["top", "pantry", "#dealt"], ["hold", "hand",
          "hands"]],
        "turn_began": [["set", "active", "seat"]],
        "card_drawn": [["top", "pantry", "card"], ["move", "hand.{seat}", "card"]],
        "pantry_restocked": [["shuffle", "pantry", "#trash", "pantry", "order"], ["set", "trash", []]],
        "ingredient_played": [["move", "table", "card"]],
        "action_played": [["move", "trash", "card", "=achievements", "pile"]],
        "dumpster_dived": [["move", "trash", "trashed", "=achievements", "pile"], ["move", "hand.{seat}", "taken"]],
        "hand_trimmed": [["move", "trash", "cards", "=achievements", "pile"]],
        "pie_baked": [["move", "trash", "cards", "=achievements", "pile"]],
        "ingredient_trashed": [["move", "trash", "card", "=achievements", "pile"]],
        "ingredient_taken_back": [["when", "to", "'pile", [["move", "pile", "card"]], [["move", "hand.{seat}",
          "card"]]]],
        "ingredient_stocked": [["move", "table", "card"]],
        "card_salvaged": [["move", "hand.{seat}", "card"]],
        "card_foraged": [["top", "pantry", "card"], ["when", "to", "'trash", [["move", "trash", "card",
          "=achievements", "pile"]], [["move", "table", "card"]]]],
        "card_looked_at": [["top", "pantry", "card"], ["move", "table", "card"]],
        "search_finished": [["move", "trash", "trashed", "=achievements", "pile"], ["move", "hand.{seat}", "kept"]],
        "card_stolen": [["sort", "hand.{owner}", ["=pantry", "=achievements"]], ["pick", "steal/{seat}",
          "#hand.{owner}", "card"], ["when", "to", "'pile", [["move", "pile", "card"]], [["move", "hand.{seat}",
          "card"]]]],
        "cards_trashed": [["move", "trash", "cards", "=achievements", "pile"]],
        "hands_passed": [["each", "moves", [["when", "zone", "'pile", [["move", "pile", "card"]], [["move",
          "hand.{to}", "card"]]]]]],
        "achievement_revealed": [["top", "pile", "card"], ["move", "table", "card"]],
        "achievement_completed": [["move", "pile", "card", "=becoming", "turning.{seat}"]],
        "achievement_turned": [["when", "to", "'pile", [["move", "pile", "card"]]], ["when", "to", "'hand", [["move",
          "hand.{seat}", "card"]]], ["when", "to", "'kitchen", [["move", "table", "card"]]]],
        "row_cleared": [["move", "pile", "cards"]],
        "seat_resigned": [["move", "trash", ["hand", "kitchen", "aside"], "=achievements", "pile"], ["set", "falling",
          "#turning.{seat}"], ["when", "seat", "#active", [["set", "falling", ["#turning.0", "#turning.1",
          "#turning.2", "#turning.3", "#turning.4", "#turning.5", "#turning.6", "#turning.7"]]]], ["sort", "falling",
          ["=pantry", "=achievements"]], ["move", "pile", "#falling"]]
      },
      "others": ["bake_declined", "bake_failed", "choice_asked", "choice_made", "draw_missed", "extra_play_granted",
        "game_ended", "game_started", "ingredient_given", "ingredient_stolen", "ingredients_swapped", "pies_changed",
        "pies_staled", "step_fizzled", "step_started", "steps_queued", "trim_due", "turn_ended", "turn_passed"]
    }
  },
  "take_the_cake": {
    "1": {
      "lists": {
        "sections": ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8"],
        "recipes": ["rec_01", "rec_02", "rec_03", "rec_04", "rec_05", "rec_06", "rec_07", "rec_08", "rec_09",
          "rec_10", "rec_11", "rec_12"],
        "featured": ["feat_01", "feat_02", "feat_03", "feat_04", "feat_05", "feat_06", "feat_07", "feat_08",
          "feat_09", "feat_10", "feat_11", "feat_12", "feat_13", "feat_14", "feat_15", "feat_16", "feat_17",
          "feat_18"],
        "cards": ["fwd_1", "fwd_2", "fwd_3", "fwd_4", "fwd_5", "fwd_6", "fwd_7", "fwd_8", "back_1", "back_2",
          "back_3", "back_4", "left_1", "left_2", "left_3", "left_4", "right_1", "right_2", "right_3", "right_4",
          "around_1", "around_2", "around_3", "around_4", "jump_1", "jump_2", "jump_3", "jump_4", "rep2_1", "rep2_2",
          "rep2_3", "rep2_4", "rep3_1", "rep3_2", "rep3_3", "rep3_4", "if_01", "if_02", "if_03", "if_04", "if_05",
          "if_06", "if_07", "if_08", "if_09", "if_10", "if_11", "if_12", "if_13", "if_14", "if_15", "if_16"],
        "corners": [[0, 0], [0, 5], [5, 5], [5, 0]],
        "tiles": {
          "Q1": [[[1, 2], [2, 0], [4, 3]], [[0, 2], [2, 3], [3, 0]], [[0, 1], [2, 4], [3, 2]], [[1, 4], [2, 1], [4,
            2]]],
          "Q2": [[[0, 3], [2, 2], [4, 1]], [[1, 0], [2, 2], [3, 4]], [[0, 3], [2, 2], [4, 1]], [[1, 0], [2, 2], [3,
            4]]],
          "Q3": [[[1, 1], [2, 4], [3, 2]], [[1, 3], [2, 1], [4, 2]], [[1, 2], [2, 0], [3, 3]], [[0, 2], [2, 3], [3,
            1]]],
          "Q4": [[[0, 2], [2, 4], [3, 0]], [[0, 1], [2, 4], [4, 2]], [[1, 4], [2, 0], [4, 2]], [[0, 2], [2, 0], [4,
            3]]],
          "Q5": [[[0, 2], [2, 4], [3, 1]], [[1, 1], [2, 4], [4, 2]], [[1, 3], [2, 0], [4, 2]], [[0, 2], [2, 0], [3,
            3]]],
          "Q6": [[[1, 1], [2, 2], [4, 3]], [[1, 3], [2, 2], [3, 0]], [[0, 1], [2, 2], [3, 3]], [[1, 4], [2, 2], [3,
            1]]],
          "Q7": [[[0, 1], [2, 2], [4, 3]], [[1, 4], [2, 2], [3, 0]], [[0, 1], [2, 2], [4, 3]], [[1, 4], [2, 2], [3,
            0]]],
          "Q8": [[[1, 2], [3, 0], [4, 3]], [[0, 1], [2, 3], [3, 0]], [[0, 1], [1, 4], [3, 2]], [[1, 4], [2, 1], [4,
            3]]]
        }
      },
      "facts": {
        "position_set": [["set", "deck", "deck"], ["set", "discard", "discard"], ["set", "featured", "featured_deck"],
          ["set", "shown", "featured_discard"]],
        "first_player_chosen": [["when", "@first_player", "'random", [["below", "@seats", "seat"]]]],
        "board_laid": [["shuffle", "=sections", "sections", "layout.*.section", 4], ["below", 4, "layout.*.rotation"],
          ["set", "rotations", "layout.*.rotation"]],
        "recipe_drawn": [["when", "@recipe", "'random", [["pick", "=recipes", "recipe"]]], ["set", "ingredients",
          "ingredients"]],
        "placement_proposed": [["when", "seat", [], [["spread", "tokens", "#ingredients", "#sections", "#rotations",
          "=tiles", "=corners"]]]],
        "tokens_placed": [["when", "how", "'dealt", [["spread", "tokens", "#ingredients", "#sections", "#rotations",
          "=tiles", "=corners"]]]],
        "featured_deck_shuffled": [["shuffle", "=featured", "featured", "order"]],
        "featured_item_drawn": [["top", "featured", "card"], ["put", "shown", "replaced"]],
        "featured_deck_replenished": [["sort", "shown", "=featured"], ["shuffle", "#shown", "featured", "order"],
          ["set", "shown", []]],
        "player_deck_shuffled": [["shuffle", "=cards", "deck", "order"], ["set", "hands", []]],
        "cards_dealt": [["push", "hands", "cards"]],
        "turn_started": [["deal", "dealt", "#hands", 0], ["top", "deck", "#dealt"], ["set", "hands", []]],
        "cards_drawn": [["top", "deck", "cards"]],
        "cards_discarded": [["put", "discard", "cards"]],
        "cards_swapped": [["put", "discard", "cards"]],
        "seat_resigned": [["put", "discard", "cards"]],
        "deck_replenished": [["sort", "discard", "=cards"], ["shuffle", "#discard", "deck", "order"], ["set",
          "discard", []]]
      },
      "others": ["baker_blocked", "baker_moved", "baker_turned", "bakers_placed", "bakery_closed", "game_ended",
        "if_checked", "ingredient_collected", "pastry_baked", "placement_accepted", "placement_rejected",
        "program_laid", "round_ended", "turn_ended"]
    },
    "2": {
      "protocol": 2,
      "lists": {
        "sections": ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8"],
        "recipes": ["rec_01", "rec_02", "rec_03", "rec_04", "rec_05", "rec_06", "rec_07", "rec_08", "rec_09",
          "rec_10", "rec_11", "rec_12"],
        "featured": ["feat_01", "feat_02", "feat_03", "feat_04", "feat_05", "feat_06", "feat_07", "feat_08",
          "feat_09", "feat_10", "feat_11", "feat_12", "feat_13", "feat_14", "feat_15", "feat_16", "feat_17",
          "feat_18"],
        "cards": ["fwd_1", "fwd_2", "fwd_3", "fwd_4", "fwd_5", "fwd_6", "fwd_7", "fwd_8", "back_1", "back_2",
          "back_3", "back_4", "left_1", "left_2", "left_3", "left_4", "right_1", "right_2", "right_3", "right_4",
          "around_1", "around_2", "around_3", "around_4", "jump_1", "jump_2", "jump_3", "jump_4", "rep2_1", "rep2_2",
          "rep2_3", "rep2_4", "rep3_1", "rep3_2", "rep3_3", "rep3_4", "if_01", "if_02", "if_03", "if_04", "if_05",
          "if_06", "if_07", "if_08", "if_09", "if_10", "if_11", "if_12", "if_13", "if_14", "if_15", "if_16"],
        "corners": [[0, 0], [0, 5], [5, 5], [5, 0]],
        "tiles": {
          "Q1": [[[1, 2], [2, 0], [4, 3]], [[0, 2], [2, 3], [3, 0]], [[0, 1], [2, 4], [3, 2]], [[1, 4], [2, 1], [4,
            2]]],
          "Q2": [[[0, 3], [2, 2], [4, 1]], [[1, 0], [2, 2], [3, 4]], [[0, 3], [2, 2], [4, 1]], [[1, 0], [2, 2], [3,
            4]]],
          "Q3": [[[1, 1], [2, 4], [3, 2]], [[1, 3], [2, 1], [4, 2]], [[1, 2], [2, 0], [3, 3]], [[0, 2], [2, 3], [3,
            1]]],
          "Q4": [[[0, 2], [2, 4], [3, 0]], [[0, 1], [2, 4], [4, 2]], [[1, 4], [2, 0], [4, 2]], [[0, 2], [2, 0], [4,
            3]]],
          "Q5": [[[0, 2], [2, 4], [3, 1]], [[1, 1], [2, 4], [4, 2]], [[1, 3], [2, 0], [4, 2]], [[0, 2], [2, 0], [3,
            3]]],
          "Q6": [[[1, 1], [2, 2], [4, 3]], [[1, 3], [2, 2], [3, 0]], [[0, 1], [2, 2], [3, 3]], [[1, 4], [2, 2], [3,
            1]]],
          "Q7": [[[0, 1], [2, 2], [4, 3]], [[1, 4], [2, 2], [3, 0]], [[0, 1], [2, 2], [4, 3]], [[1, 4], [2, 2], [3,
            0]]],
          "Q8": [[[1, 2], [3, 0], [4, 3]], [[0, 1], [2, 3], [3, 0]], [[0, 1], [1, 4], [3, 2]], [[1, 4], [2, 1], [4,
            3]]]
        }
      },
      "facts": {
        "position_set": [["set", "deck", "deck"], ["set", "discard", "discard"], ["set", "featured", "featured_deck"],
          ["set", "shown", "featured_discard"]],
        "first_player_chosen": [["when", "@first_player", "'random", [["below", "first_player", "@seats", "seat"]]]],
        "board_laid": [["shuffle", "sections", "=sections", "sections", "layout.*.section", 4], ["below", "rotations",
          4, "layout.*.rotation"], ["set", "rotations", "layout.*.rotation"]],
        "recipe_drawn": [["when", "@recipe", "'random", [["pick", "recipe", "=recipes", "recipe"]]], ["set",
          "ingredients", "ingredients"]],
        "placement_proposed": [["when", "seat", [], [["spread", "tokens", "tokens", "#ingredients", "#sections",
          "#rotations", "=tiles", "=corners"]]]],
        "tokens_placed": [["when", "how", "'dealt", [["spread", "tokens", "tokens", "#ingredients", "#sections",
          "#rotations", "=tiles", "=corners"]]]],
        "featured_deck_shuffled": [["shuffle", "featured", "=featured", "featured", "order"]],
        "featured_item_drawn": [["top", "featured", "card"], ["put", "shown", "replaced"]],
        "featured_deck_replenished": [["sort", "shown", "=featured"], ["shuffle", "featured", "#shown", "featured",
          "order"], ["set", "shown", []]],
        "player_deck_shuffled": [["shuffle", "deck", "=cards", "deck", "order"], ["set", "hands", []]],
        "cards_dealt": [["push", "hands", "cards"]],
        "turn_started": [["deal", "dealt", "#hands", 0], ["top", "deck", "#dealt"], ["set", "hands", []]],
        "cards_drawn": [["top", "deck", "cards"]],
        "cards_discarded": [["put", "discard", "cards"]],
        "cards_swapped": [["put", "discard", "cards"]],
        "seat_resigned": [["put", "discard", "cards"]],
        "deck_replenished": [["sort", "discard", "=cards"], ["shuffle", "deck", "#discard", "deck", "order"], ["set",
          "discard", []]]
      },
      "others": ["baker_blocked", "baker_moved", "baker_turned", "bakers_placed", "bakery_closed", "game_ended",
        "if_checked", "ingredient_collected", "pastry_baked", "placement_accepted", "placement_rejected",
        "program_laid", "round_ended", "turn_ended"]
    }
  },
  "tic_tac_toe": {
    "1": {
      "lists": {},
      "facts": {},
      "others": ["cell_marked", "game_ended", "game_started", "position_set", "seat_resigned"]
    },
    "2": {
      "protocol": 2,
      "lists": {},
      "facts": {},
      "others": ["cell_marked", "game_ended", "game_started", "position_set", "seat_resigned"]
    }
  }
}
""")

if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__)
        raise SystemExit(2)
    raise SystemExit(main(sys.argv[1:]))

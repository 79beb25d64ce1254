#!/usr/bin/env python3
"""Check Crumbtrail replay files without Crumbtrail: one file, Python 3.8 or newer, nothing but its standard library.

    python3 standalone_verify.py FILE...        exit code 0: nothing is wrong; 1: something is; 2: a file is not there

What it checks, and what it does not:

    file    every line is JSON in canonical form (RFC 8785); header and closing line say what the events say
    chain   plies 1 to n, each event linked to the one before, every hash computed again
    seed    the revealed seed is the one committed to before the start, every salt and client seed fits it
    draws   the dice (and, where a game shows it, the shuffle) are what the seed gives

It does not know the rules of any game, so it cannot say whether a move was legal or a score is right, and it does not
check the signature's own bytes. For all of that: `crumbtrail verify`. The format is specified in docs/replay-format.md,
the dice in docs/verify-a-roll.md. This script shares no code with the service.
"""

import hashlib
import hmac
import json
import sys

MAX_FILE = 16 * 2**20
MAX_LINE = 2**20
HEADER = {"crumbtrail", "match", "game", "rules_version", "events", "complete"}
CLOSING = {"end", "head", "result"}
SIGNATURE = {"key": 64, "value": 128}
EVENT = {"kind", "ply", "seat", "at", "move", "facts", "draw", "first_fact", "salt", "prev", "hash"}
WORDS = 1 << 32

DRAWS = {
    "mice_cake": {
        "cake_laid": ["shuffle", "cells", "piece", "74627fdf476163c3271b5278f9264f42fcc8173a79a6cd67b01f57beefc01106"],
        "dice_rolled": ["dice", "dice"],
    },
    "battle_of_the_bakeries": {
        "chefs_laid_out": ["shuffle", "layout", "", "2812ff972343a3ec1208a5059aab1c6f63be0772618f3d1cba9ed02bb78d2a03"],
        "order_rolled_off": ["dice", "rolls"],
        "die_rolled": ["dice", "value"],
        "dice_rolled": ["dice", "dice"],
        "cake_drawn": ["unseen", "left"],
    },
    "tic_tac_toe": {},
}
"""How draws show in the facts of a game, in the order in which they are made.

`dice`: every number in the field is a die, `below(6) + 1`. `shuffle`: the list in the field (of the items' named field)
is a shuffled one; the SHA-256 is that of the list before the shuffle, as canonical JSON. `unseen`: one draw below the
field + 1 is made, and what it picks cannot be told without the rules.
"""


class Wrong(Exception):
    """Something does not fit, on this line of the file."""

    def __init__(self, line, layer, sentence):
        super().__init__(sentence)
        self.line, self.layer = line, layer


def canonical(value):
    """RFC 8785 for whole numbers and ASCII keys, which is all that files hold."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def same(one, other):
    """Whether two values are the same in JSON, where 1 is not true."""
    return canonical(one) == canonical(other)


def refuse_number(text):
    """A number that is not whole."""
    raise ValueError("a number that is not whole: " + text[:40])


# -- file -------------------------------------------------------------------------------------------------------------


def read_line(number, line):
    """A line as plain data; it must be an object in canonical form."""
    try:
        value = json.loads(line.decode(), parse_float=refuse_number, parse_constant=refuse_number)
        exact = canonical(value)
    except UnicodeError:
        raise Wrong(number, "file", "the line is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise Wrong(number, "file", "the line is not JSON of our kind: " + str(error)[:120]) from None
    if exact != line:
        raise Wrong(number, "file", "the line is not in canonical form")
    if not isinstance(value, dict):
        raise Wrong(number, "file", "the line is not an object")
    return value


def parse(raw):
    """Header, events and closing line."""
    if len(raw) > MAX_FILE:
        raise Wrong(raw.count(b"\n", 0, MAX_FILE) + 1, "file", "the file is larger than 16 MiB")
    lines = raw.split(b"\n")
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LINE:
            raise Wrong(number, "file", "the line is longer than 1 MiB")
    if lines.pop():
        raise Wrong(len(lines) + 1, "file", "the file breaks off in the middle of a line")
    if len(lines) < 3:
        raise Wrong(len(lines) + 1, "file", "a file has a header, events and a closing line")
    parsed = [read_line(number, line) for number, line in enumerate(lines, 1)]
    return parsed[0], parsed[1:-1], parsed[-1]


def check_frame(header, events, closing):
    """Header and closing line against the events between them."""
    last = len(events) + 2
    for number, event in enumerate(events, 2):
        if not EVENT.issubset(event):
            raise Wrong(number, "file", "the event lacks " + ", ".join(sorted(EVENT - set(event))))
        if not isinstance(event["facts"], list) or not all(isinstance(fact, dict) for fact in event["facts"]):
            raise Wrong(number, "file", "the event's facts are not a list of facts")
    first = events[0]
    seeds = [event for event in events if event["kind"] == "seed_revealed"]
    expected = {name: first.get(name) for name in ("match", "game", "rules_version")}
    expected.update(crumbtrail="replay/v1", events=len(events), complete=bool(seeds))
    if canonical(header) != canonical(expected):
        names = sorted(name for name in {**header, **expected} if not same(header.get(name), expected.get(name)))
        raise Wrong(1, "file", "the header is not what the events say: " + ", ".join(names))
    if set(closing) - {"signature"} != CLOSING:
        raise Wrong(last, "file", "the closing line has other fields than end, head, result and signature")
    kinds = {event["kind"] for event in events}
    end = "finished" if "ended" in kinds else "cancelled" if "cancelled" in kinds else None
    end = end or ("playing" if "started" in kinds else "open")
    wanted = {"end": end, "head": events[-1]["hash"], "result": result_of(events)}
    for name, value in wanted.items():
        if not same(closing[name], value):
            raise Wrong(last, "file", "the closing line's `" + name + "` is not what the events say")
    if "signature" in closing:
        check_form(last, closing["signature"])


def result_of(events):
    """The result that stands: the game's own, or an arbiter's ruling on it."""
    result = None
    for event in events:
        if event["kind"] == "ended" or (event["kind"] == "resolved" and event.get("ruling") == "result_of"):
            result = event.get("outcome")
        elif event["kind"] == "resolved" and event.get("ruling") == "annulled":
            result = None
    return result


def check_form(line, signature):
    """A signature has a key and a value, in hex."""
    if not isinstance(signature, dict) or set(signature) != set(SIGNATURE):
        raise Wrong(line, "file", "a signature has `key` and `value`")
    for name, digits in SIGNATURE.items():
        text = signature[name]
        if not isinstance(text, str) or len(text) != digits or set(text) - set("0123456789abcdef"):
            raise Wrong(line, "file", "the signature's `%s` is not %d hexadecimal digits" % (name, digits))


# -- chain ------------------------------------------------------------------------------------------------------------


def check_chain(events, complete):
    """Plies, links and, in the file of a match that is over, hashes."""
    prev = "0" * 64
    for ply, event in enumerate(events, 1):
        if event["ply"] != ply:
            raise Wrong(ply + 1, "chain", "ply %d is expected here, found %r" % (ply, event["ply"]))
        if event["prev"] != prev:
            raise Wrong(ply + 1, "chain", "the event does not follow the one before it")
        if complete:
            bare = {name: value for name, value in event.items() if name not in ("prev", "hash")}
            if hashlib.sha256(prev.encode() + canonical(bare)).hexdigest() != event["hash"]:
                raise Wrong(ply + 1, "chain", "the event was changed after it was sealed")
        elif event["salt"] is not None:
            raise Wrong(ply + 1, "chain", "a running match shows no salt")
        prev = event["hash"]
        if not isinstance(prev, str):
            raise Wrong(ply + 1, "chain", "the hash is not a text")


# -- seed, draws ------------------------------------------------------------------------------------------------------


def mac(key, message):
    """HMAC-SHA256."""
    return hmac.new(key, message, hashlib.sha256).digest()


def check_seed(events):
    """The seed against its commitment, the salts and the client seeds; gives the seed's bytes."""
    line, revealed = next((n, event) for n, event in enumerate(events, 2) if event["kind"] == "seed_revealed")
    try:
        seed = bytes.fromhex(revealed.get("seed"))
    except (TypeError, ValueError):
        raise Wrong(line, "seed", "the seed is not hexadecimal") from None
    if hashlib.sha256(seed).hexdigest() != events[0].get("commitment"):
        raise Wrong(line, "seed", "the seed is not the one that was committed to")
    for ply, event in enumerate(events, 1):
        if event["salt"] != mac(seed, b"salt/v1|%d" % ply).hex():
            raise Wrong(ply + 1, "seed", "the salt does not come from the seed")
    given = {}
    for number, event in enumerate(events, 2):
        if event["kind"] == "seat_taken":
            given[event["seat"]] = event.get("client_seed")
        if event["kind"] == "started":
            shares = [given.get(seat) for seat in range(len(events[0].get("seats", [])))]
            check_shares(number, events[0], event, shares, seed)
    return seed


def check_shares(line, created, started, shares, seed):
    """The client seeds in seat order; where chance decides who sits where, first that order."""
    order = list(range(len(shares)))
    if created.get("seating") == "chance":
        below = draws(match_key(seed, dict(created, match=created["match"] + "|seats"), shares), 0)
        for i in range(len(order) - 1, 0, -1):
            j = below(i + 1)
            order[i], order[j] = order[j], order[i]
        if started.get("order") != order:
            raise Wrong(line, "seed", "the seed seats the players as %s, not as %s" % (order, started.get("order")))
    elif "order" in started:
        raise Wrong(line, "seed", "the players chose their seats, so there is no order of chance")
    if [shares[seat] for seat in order] != started.get("client_seeds"):
        raise Wrong(line, "seed", "the client seeds are not those that the players gave")


def match_key(seed, created, client_seeds):
    """The key of all draws of a match; a fork with the same luck has that of the match it comes from."""
    if created.get("given"):
        return mac(seed, b"key/v1|given")
    match, fork = created["match"], created.get("fork") or {}
    if fork.get("luck") == "same":
        match, client_seeds = fork["origin"], fork["client_seeds"]
    return mac(seed, b"key/v1" + match.encode() + hashlib.sha256("\n".join(client_seeds).encode()).digest())


def draws(key, n):
    """The draws of game event n: a function `below`."""
    state = {"block": 0, "words": []}

    def below(k):
        limit = WORDS - WORDS % k
        while True:
            if not state["words"]:
                block = mac(key, b"draw/v1|%d|" % n + state["block"].to_bytes(8, "big"))
                state["words"] = [int.from_bytes(block[i : i + 4], "big") for i in range(0, 32, 4)]
                state["block"] += 1
            word = state["words"].pop(0)
            if word < limit:
                return word % k

    return below


def numbers(value):
    """All numbers in a value, in order."""
    if isinstance(value, list):
        for item in value:
            yield from numbers(item)
    else:
        yield value


def unshuffled(below, items):
    """The list as it was before the shuffle that gave these items."""
    swaps = [(i, below(i + 1)) for i in range(len(items) - 1, 0, -1)]
    deck = list(items)
    for i, j in reversed(swaps):
        deck[i], deck[j] = deck[j], deck[i]
    return deck


def check_draws(events, seed):
    """The draws that the facts show; gives how many were checked, None for a game that this script does not know."""
    known = DRAWS.get(events[0].get("game"))
    if known is None:
        return None
    key, checked = None, 0
    for number, event in enumerate(events, 2):
        if event["kind"] == "started":
            key = match_key(seed, events[0], event["client_seeds"])
            if events[0].get("fork"):
                continue  # its first facts are copied from another match
        if event["draw"] is None or key is None:
            continue
        below = draws(key, event["draw"])
        for fact in event["facts"]:
            checked += check_fact(number, known.get(fact.get("type")), fact, below)
    return checked


def check_fact(line, how, fact, below):
    """One fact; gives how many draws it shows."""
    if how is None:
        return 0
    kind, field, *more = how
    if kind == "unseen":
        below(fact[field] + 1)
        return 0
    if kind == "dice":
        shown = list(numbers(fact[field]))
        rolled = [below(6) + 1 for _ in shown]
        if shown != rolled:
            raise Wrong(line, "draws", "the seed rolls %s, the file shows %s" % (rolled, shown))
        return len(shown)
    items = [item[more[0]] if more[0] else item for item in fact[field]]
    if hashlib.sha256(canonical(unshuffled(below, items))).hexdigest() != more[1]:
        raise Wrong(line, "draws", "the shuffle is not the one that the seed gives")
    return len(items) - 1


# -- the whole --------------------------------------------------------------------------------------------------------


def verify(raw):
    """What was found, as (layer, status, sentence) in order, and the first Wrong or None."""
    layers = []
    try:
        header, events, closing = parse(raw)
    except Wrong as wrong:
        return [("file", "failed", "line %d: %s" % (wrong.line, wrong))], wrong
    found = []

    def layer(name, check):
        try:
            status, sentence = check()
        except Wrong as wrong:
            found.append(wrong)
            status, sentence = "failed", "line %d: %s" % (wrong.line, wrong)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, StopIteration, OverflowError) as error:
            found.append(Wrong(2, name, "the events are not of the form that is specified"))
            status, sentence = "failed", "the events are not of the form that is specified (%s)" % type(error).__name__
        layers.append((name, status, sentence))

    def frame():
        check_frame(header, events, closing)
        return "ok", "%d events in canonical form" % len(events)

    def chain():
        check_chain(events, header.get("complete"))
        if not header.get("complete"):
            return "partly", "the links hold; hashes can be computed when the match is over"
        return "ok", "%d hashes computed again" % len(events)

    kept = []

    def seed():
        if not header.get("complete"):
            return "not checked", "the seed is revealed when the match is over"
        kept.append(check_seed(events))
        return "ok", "the seed is the one committed to, and so are %d salts" % len(events)

    def rolls():
        if not kept:
            return "not checked", "the seed is not known"
        checked = check_draws(events, kept[0])
        if checked is None:
            return "not checked", "this script does not know how %s shows its draws" % events[0].get("game")
        return "ok", "%d draws made again" % checked

    for name, check in (("file", frame), ("chain", chain), ("seed", seed), ("draws", rolls)):
        layer(name, check)
        if name == "file" and found and not all(isinstance(event.get("facts"), list) for event in events):
            break
    return layers, min(found, key=lambda wrong: wrong.line, default=None)


def main(paths):
    """Check the files; gives the exit code."""
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
        print("%s: %s" % (path, "WRONG" if wrong else "nothing is wrong"))
        for name, status, sentence in layers:
            print("  %-6s %-12s %s" % (name, status, sentence))
        worst = 1 if wrong else worst
    return worst


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__)
        raise SystemExit(2)
    raise SystemExit(main(sys.argv[1:]))

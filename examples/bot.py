"""A complete bot: python bot.py http://127.0.0.1:8000 TOKEN [GAME | INVITE_LINK ...].

With GAME, it starts a match against a house bot. With an invite link, it joins a match. It stores its shares of the
luck in the folder `shares`, one for each match, before it sends anything (docs/luck-protocol.md).
"""

import hashlib
import http.client
import json
import random
import re
import secrets
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

API, TOKEN, PLACES = sys.argv[1].rstrip("/") + "/api/v1", sys.argv[2], sys.argv[3:]
SHARES = Path("shares") / hashlib.sha256(TOKEN.encode()).hexdigest()[:8]


def ask(path, body=None, **headers):
    """Send a GET, or a POST if there is a body, and return the response."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    headers |= {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    raw = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(urllib.request.Request(API + path, raw, headers), timeout=30)


def choose(view, moves, luck):
    """Return a move. Replace this with your own idea.

    Draw random numbers only from `luck`, so that the same position gives the same move and errors can be reproduced.
    """
    return luck.choice(moves)


def play(match):
    """Open my share or make my move in a match, if it waits for one, and decline proposals that wait for my answer."""
    now = json.load(ask(f"/matches/{match}"))
    if now["status"] == "opening":
        open_share(match)
        return
    moves = json.load(ask(f"/matches/{match}/legal-moves"))["moves"]
    if moves:
        key = f"{match} {now['ply']}"
        move = choose(now["view"], moves, random.Random(key))
        ask(f"/matches/{match}/moves", move, Idempotency_Key=key, If_Match=f'"{now["ply"]}"').read()
    for question in [] if moves else now["proposals"]:
        if set(question["awaits"]) & set(now["you"]):
            ask(f"/matches/{match}/commands", {"type": "decline", "proposal": question["number"]}).read()


# -- my shares of the luck: what a client must do so that the server can't choose it --------------------------------


def digest(*parts):
    """Return the SHA-256 of text parts joined by `|`."""
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()


def stored(match, **changes):
    """Return what I have stored about my share of a match, after storing changes; an empty dict if I have no share."""
    path = SHARES / f"{match}.json"
    if changes:
        SHARES.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".new").write_text(json.dumps({**stored(match), **changes}))
        path.with_suffix(".new").replace(path)
    return json.loads(path.read_text()) if path.exists() else {}


def require(truth, sentence):
    """Stop the bot if the server breaks a promise. All shares stay stored."""
    if not truth:
        sys.exit(f"Don't trust this server: {sentence}")


def sit_down(match, seat, invitation=None):
    """Take a seat with my share, which is made once and stored with the commitment before it is sent."""
    luck = json.load(ask(f"/matches/{match}"))["luck"]
    if not stored(match):
        stored(match, commitment=luck["commitment"], level=luck["level"], share=secrets.token_hex(32), seals={})
    mine = stored(match)
    require(mine["commitment"] == luck["commitment"], f"the commitment of match {match} has changed")
    require(mine["level"] == luck["level"], f"the level of luck of match {match} has changed")
    seal = digest("crumbtrail/share/2", match, seat, mine["commitment"], mine["share"])
    stored(match, seals={**mine["seals"], str(seat): seal})
    body = {"commitment": mine["commitment"], **({"invitation": invitation} if invitation else {})}
    body |= {"seal": seal} if mine["level"] == "sealed" else {"share": mine["share"]}
    try:
        ask(f"/matches/{match}/seats/{seat}", body, Idempotency_Key=f"{match} seat {seat}").read()
    except urllib.error.HTTPError as error:
        if error.code in (403, 404, 409, 422):
            stored(match, seals=mine["seals"])  # I don't hold this seat
        raise


def seals_of(events):
    """Return the seal of each seat: None if it has none, "free" if nobody sits there."""
    seals = ["free"] * len(events[0]["seats"])
    for event in events:
        if event["kind"] in ("seat_taken", "seat_left"):
            seals[event["seat"]] = event.get("seal") if event["kind"] == "seat_taken" else "free"
    return seals


def is_seal_or_none(seal):
    """Return whether a taken seat may have this seal. Other text could give two tables the same hash."""
    return seal is None or (isinstance(seal, str) and re.fullmatch("[0-9a-f]{64}", seal) is not None)


def open_share(match):
    """Open my share, for one table only: the one with the commitment and the seals that I see."""
    mine = stored(match)
    if not mine:
        print(f"My share of match {match} is not in {SHARES.resolve()}.", file=sys.stderr)
        return
    events = json.load(ask(f"/matches/{match}/events"))["events"]
    seals, commitment = seals_of(events), mine["commitment"]
    require(events[0]["commitment"] == commitment, f"the commitment of match {match} has changed")
    require("free" not in seals, f"match {match} still has a free seat")
    require(all(is_seal_or_none(seal) for seal in seals), f"match {match} has a seal that isn't 64 hexadecimal digits")
    as_sent = [seals[int(seat)] == seal for seat, seal in mine["seals"].items()]
    require(as_sent and all(as_sent), f"match {match} doesn't have my seal")
    table = digest("crumbtrail/table/2", match, commitment, ",".join(seal or "-" for seal in seals))
    require(mine.get("table", table) == table, f"the seals of match {match} have changed")
    stored(match, table=table)
    ask(f"/matches/{match}/share", {"table": table, "share": mine["share"]}).read()


def check_finished():
    """Check in the replay of every finished match that my share was used and that the seed is the promised one."""
    for path in SHARES.glob("*.json"):
        match, mine = path.stem, json.loads(path.read_text())
        if not mine.get("checked") and json.load(ask(f"/matches/{match}"))["status"] == "over":
            for line in list(ask(f"/matches/{match}/replay"))[1:-1]:
                check_event(match, mine, json.loads(line))
            stored(match, checked=True)


def check_event(match, mine, event):
    """Check one event of a finished match against what I have stored."""
    kind = event["kind"]
    if kind == "created":
        require(event["commitment"] == mine["commitment"], f"the replay of {match} has a different commitment")
    if kind == "share_opened" and event["share"] == mine["share"]:
        require(event["table"] == mine["table"], f"match {match} has a different table from mine")
    if kind == "started":
        require(mine["share"] in event["shares"], f"match {match} started without my share")
    if kind == "seed_revealed":
        promised = digest("crumbtrail/seed/2", match, event["seed"]) == mine["commitment"]
        require(promised, f"match {match} has a different seed from the promised one")
    if kind == "cancelled" and "table" in mine and set(mine["seals"]) & {str(seat) for seat in event.get("seats", [])}:
        print(f"{match}: my share was sent, but the service didn't accept it.", file=sys.stderr)


# -- the main loop --------------------------------------------------------------------------------------------------

START = secrets.token_hex(8)


def start(place):
    """Start a match of this game against a house bot, or join the match of this invite link."""
    if "/join/" in place:
        match, seat, code = place.rsplit("/", 3)[1:]
        sit_down(match, int(seat), code)
        return
    seats = [{"kind": "me"}, {"kind": "bot", "level": "random"}]
    body = {"game": place, "seats": seats, "luck": "open"}
    sit_down(json.load(ask("/matches", body, Idempotency_Key=f"{START} {place}"))["match"]["id"], 0)


while True:  # every new connection first sends all pending turns, so no turn is lost after an error
    try:
        while PLACES:
            start(PLACES[0])
            PLACES.pop(0)
        for line in ask("/me/stream", Accept="application/x-ndjson"):
            if line.strip():
                play(json.loads(line)["id"])
            else:  # an empty line is a heartbeat
                check_finished()
    except (OSError, http.client.HTTPException, ValueError) as error:
        code = error.code if isinstance(error, urllib.error.HTTPError) else None
        if code == 401:
            sys.exit("The token is invalid.")
        if code == 422 or (PLACES and code in (403, 404, 409)):
            print(error.read().decode(), file=sys.stderr)
        if PLACES and code in (403, 404, 409, 422):
            sys.exit(f"I can't play {PLACES[0]}.")
        time.sleep(1)

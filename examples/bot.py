"""A complete bot: python bot.py http://127.0.0.1:8000 TOKEN [GAME]. With GAME it starts a match against a house bot."""

import http.client
import json
import random
import sys
import time
import urllib.error
import urllib.request

API, TOKEN, GAMES = sys.argv[1].rstrip("/") + "/api/v1", sys.argv[2], sys.argv[3:]


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
    """Make the move that I owe in a match, if any, and decline proposals that wait for my answer."""
    legal, now = json.load(ask(f"/matches/{match}/legal-moves")), json.load(ask(f"/matches/{match}"))
    if legal["moves"]:
        key = f"{match} {legal['ply']}"
        move = choose(now["view"], legal["moves"], random.Random(key))
        ask(f"/matches/{match}/moves", move, Idempotency_Key=key, If_Match=f'"{legal["ply"]}"').read()
    for question in [] if legal["moves"] else now["proposals"]:
        if set(question["awaits"]) & set(now["you"]):
            ask(f"/matches/{match}/commands", {"type": "decline", "proposal": question["number"]}).read()


for game in GAMES:
    ask("/matches", {"game": game, "seats": [{"kind": "me"}, {"kind": "bot", "level": "random"}]}).read()
while True:  # every new connection first sends all pending turns, so no turn is lost after an error
    try:
        for line in ask("/me/stream", Accept="application/x-ndjson"):
            if line.strip():  # an empty line is a heartbeat
                play(json.loads(line)["id"])
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, urllib.error.HTTPError) and error.code == 401:
            sys.exit("The token is invalid.")
        if isinstance(error, urllib.error.HTTPError) and error.code == 422:
            print(error.read().decode(), file=sys.stderr)
        time.sleep(1)

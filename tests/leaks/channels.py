"""The register of ways out: for every endpoint of the application, how a reader of a match walks it.

A route that is added later stands here or among `NOT_VISITED`, or the tests of the register fail.
"""

from collections.abc import Callable
from io import BytesIO
from itertools import islice
from typing import Any

import msgspec
import pytest

from domain.kernel.chance import Fast
from domain.kernel.refusals import IllegalMove
from domain.match.state import AnyMatch
from service.api import players, streams
from tests.builders import PACE
from tests.contract.mutants import leaves, mutated_moves
from tests.leaks.stacks import Viewer
from tests.leaks.worlds import PEOPLE

Visit = Callable[[Viewer], Any]
ACCOUNT_ONLY = "it acts on the account alone and leads back to a page that is walked"
NOT_VISITED = {
    "web.erase": ACCOUNT_ONLY,
    "web.confirm_address": ACCOUNT_ONLY,
    "web.remove_address": ACCOUNT_ONLY,
    "web.wish": ACCOUNT_ONLY,
    "web.set_hook": ACCOUNT_ONLY,
    "web.remove_hook": ACCOUNT_ONLY,
    "web.test_hook": ACCOUNT_ONLY,
    "web.new_token": ACCOUNT_ONLY,
    "web.revoke_token": ACCOUNT_ONLY,
    "web.rename": ACCOUNT_ONLY,
    "web.sign_out": ACCOUNT_ONLY,
    "web.unsubscribe": ACCOUNT_ONLY,
    "web.unsubscribed": ACCOUNT_ONLY,
    "web.ask_for_link": ACCOUNT_ONLY,
    "web.follow_link": ACCOUNT_ONLY,
    "web.use_link": ACCOUNT_ONLY,
    "players.register": "it makes a player, and knows of no match",
    "notifications.set_mail": ACCOUNT_ONLY,
    "notifications.set_webhook": ACCOUNT_ONLY,
    "notifications.remove_webhook": ACCOUNT_ONLY,
    "notifications.test_webhook": ACCOUNT_ONLY,
    "web.play_now": "it makes a match of its own with a new seed, which shows nothing of another",
    "web.create_match": "it makes a match of its own with a new seed, which shows nothing of another",
    "web.send_asset": "files that are the same for everybody",
    "health.metrics": "its counters are compared as such: they count over both worlds of a process",
}
"""Endpoints that are not walked, and why they tell nothing of a match."""

SPOILT_PER_MOVE = 6
"""How many wrong moves are tried of each kind."""


def api(*paths: str, method: str = "GET", body: Any = None, **headers: str) -> Visit:
    """Ask the interface, as one may from anywhere."""

    def walk(eyes: Viewer) -> None:
        for path in paths:
            eyes.ask(method, path.format(m=eyes.match, slug=head(eyes).game), body, **headers)

    return walk


def pages(*paths: str) -> Visit:
    """Open pages."""

    def walk(eyes: Viewer) -> None:
        now = head(eyes)
        for path in paths:
            eyes.look(path.format(m=eyes.match, slug=now.game, ply=now.ply))

    return walk


def send(path: str, **fields: str) -> Visit:
    """Send a form."""

    def walk(eyes: Viewer) -> None:
        now = head(eyes)
        filled = {name: text.format(ply=now.ply, seat=acting_seat(eyes)) for name, text in fields.items()}
        eyes.post(path.format(m=eyes.match, slug=now.game), **filled)

    return walk


def head(eyes: Viewer) -> AnyMatch:
    """The match as it stands."""
    return eyes.service.services.matches.repository.load(eyes.match)


def acting_seat(eyes: Viewer) -> int:
    """The seat for which the reader tries to act; a stranger tries somebody else's."""
    return eyes.reader or 0


def for_every_player(path: str) -> Visit:
    """Ask or open the same of every player."""

    def walk(eyes: Viewer) -> None:
        slug = head(eyes).game
        for player in PEOPLE[:3]:
            place = path.format(player=player, slug=slug)
            eyes.look(place) if place.startswith("/players") and "api" not in path else eyes.ask("GET", place[4:])

    return walk


# -- what needs more than an address ------------------------------------------------------------------------------


def show(eyes: Viewer) -> None:
    """The match, with all eyes, at all times, and unchanged."""
    now, path = head(eyes), f"/matches/{eyes.match}"
    eyes.ask("GET", path)
    eyes.ask("HEAD", path)
    eyes.ask("GET", path, If_None_Match=f'"{now.ply}"')
    for seat in range(len(now.seats) + 1):
        eyes.ask("GET", f"{path}?as={seat}")
    eyes.ask("GET", f"{path}?at=3")


def legal_moves(eyes: Viewer) -> None:
    """The legal moves, many and few."""
    for query in ("", "?limit=1", "?limit=7", *(f"?as={seat}&limit=50" for seat in range(len(head(eyes).seats)))):
        eyes.ask("GET", f"/matches/{eyes.match}/legal-moves{query}")


def moves_to_try(eyes: Viewer) -> list[Any]:
    """Moves to try: legal ones of the reader, moves of others, and what is spoilt of each.

    From what the reader sees alone, so that they are the same in both worlds.
    """
    now = head(eyes)
    game, seat = now.rules, acting_seat(eyes)
    legal = [msgspec.to_builtins(move) for move in islice(game.legal_moves(now.state, seat), 200)]
    if not legal or eyes.reader is None:
        start = game.fold(game.start(len(now.seats), {}, Fast("another match")))
        mover = min(game.to_move(start))
        legal = [msgspec.to_builtins(move) for move in islice(game.legal_moves(start, mover), 200)]
    tried = legal[:3] + legal[-2:]
    words = sorted({leaf for one in tried for _, leaf in leaves(one, ()) if isinstance(leaf, str)})
    chance = Fast("documents")
    return [
        *tried,
        *(bad for one in tried for bad in mutated_moves(one, words, chance, SPOILT_PER_MOVE)),
        {"type": "resign"},
    ]


def dry_runs(eyes: Viewer) -> None:
    """Dry runs of good moves and bad ones."""
    for document in moves_to_try(eyes):
        eyes.ask("POST", f"/matches/{eyes.match}/moves?dry_run=1&as={acting_seat(eyes)}", document)
    for document in [*moves_to_try(eyes)[5:12], {"type": "nonsense"}]:
        eyes.post(f"/matches/{eyes.match}/moves", seat=str(acting_seat(eyes)), do="try", **as_form_fields(document))


def as_form_fields(document: Any) -> dict[str, str]:
    """A move as the fields of some form."""
    return {name: str(value) for name, value in document.items()} if isinstance(document, dict) else {}


def commands(eyes: Viewer) -> None:
    """Commands that are refused to a player of a match under play, or to whoever is no player of it."""
    path = f"/matches/{eyes.match}/commands"
    for body in (
        {"type": "leave"},
        {"type": "cancel"},
        {"type": "agree", "proposal": 3},
        {"type": "resume"},
        {"type": "takeback", "to_ply": 1},
        {"type": "keep_seat", "offer": 2},
    ):
        eyes.ask("POST", path, body, Idempotency_Key=f"walk {body}")


def stream(eyes: Viewer) -> None:
    """What a stream tells of the events so far, in both forms, and where it goes on."""
    last = head(eyes).ply
    for form in ("text/event-stream", "application/x-ndjson"):
        for after in (0, last - 1):
            read(eyes, f"/api/v1/matches/{eyes.match}/stream?after={after}", form)
    eyes.ask("GET", f"/matches/{eyes.match}/stream?as=9")


def read(eyes: Viewer, path: str, form: str) -> None:
    """The beginning of a stream, as an answer like any other."""
    headers = {"Accept": form, **({"Authorization": f"Bearer {eyes.token}"} if eyes.token else {})}
    client = eyes.visitor.client if not path.startswith("/api") else eyes.app.test_client()
    answer = client.get(path, headers=headers, buffered=False)
    if answer.status_code == 200:
        pieces = list(islice(answer.response, 2))
        answer.response.close() if hasattr(answer.response, "close") else None
        answer.close()
        answer.response = [part if isinstance(part, bytes) else part.encode() for part in pieces]
    eyes.answers.append(("GET", answer))


def live(eyes: Viewer) -> None:
    """The bell of an open page."""
    read(eyes, f"/matches/{eyes.match}/live?after={head(eyes).ply - 1}", "text/event-stream")


def turn_stream(eyes: Viewer) -> None:
    """The stream of turns that wait; where none does, its first sign of life, which comes sooner here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(players, "TOKEN_CHECK_SECONDS", 0.02)
        patch.setattr(streams, "KEEPALIVE_SECONDS", 0.02)
        read(eyes, "/api/v1/me/stream", "text/event-stream")


def replays(eyes: Viewer) -> None:
    """The replay at many plies, with all eyes that one may ask for."""
    path, last = f"/matches/{eyes.match}/replay", head(eyes).ply
    eyes.look(path)
    for ply in sorted({1, last // 2, last - 2, last - 1, last} - {0, -1}):
        for query in (f"?ply={ply}", f"?ply={ply}&as=spectator", f"?ply={ply}&fact=1", f"?ply={ply}&as=0"):
            eyes.look(path + query)
    eyes.look(f"{path}?as=everything")


def verified(eyes: Viewer) -> None:
    """The public part, given to the verifiers of interface and pages."""
    raw = eyes.ask("GET", f"/matches/{eyes.match}/replay").get_data()
    eyes.ask("POST", "/replays/verify", raw)


def upload(eyes: Viewer) -> None:
    """The same by the form for files."""
    raw = eyes.ask("GET", f"/matches/{eyes.match}/replay").get_data()
    eyes.post("/verify", file=(BytesIO(raw), "match.crumb.ndjson"))


def events(eyes: Viewer) -> None:
    """The events, all and some, and long-polled for in vain."""
    path, last = f"/matches/{eyes.match}/events", head(eyes).ply
    for query in ("", f"?after={last - 1}", f"?after={last - 1}&wait=5", f"?after={last}&limit=1", "?as=0", "?as=1"):
        eyes.ask("GET", path + query)


def house_turn(eyes: Viewer) -> None:
    """The turn of a bot, as its worker is told it; who is no worker is refused."""
    now = head(eyes)
    eyes.ask("GET", "/house")
    eyes.ask("GET", f"/house/turns/{eyes.match}/{now.ply}")


def house_move(eyes: Viewer) -> None:
    """A wrong move of a bot, as a worker makes it."""
    body = {"seat": acting_seat(eyes), "move": {"type": "nonsense"}, "engine": "walk", "version": 1}
    eyes.ask("POST", f"/house/turns/{eyes.match}/{head(eyes).ply}", body)


def house_failure(eyes: Viewer) -> None:
    """A bot's turn that went wrong elsewhere."""
    eyes.ask("POST", f"/house/turns/{eyes.match}/1/failures", {})


def new_matches(eyes: Viewer) -> None:
    """A match of one's own, from a given seed and under a key, so that both worlds make the same."""
    body = {"game": head(eyes).game, "seats": [{"kind": "me"}, {"kind": "open"}], "seed": "c0ffee"}
    eyes.ask("POST", "/matches", body, Idempotency_Key="walk")


def forks(eyes: Viewer) -> None:
    """A fork: refused while others play; of one's own practice it shows what the reader may see of the new match."""
    seats = [{"kind": "me"}, *[{"kind": "bot", "level": "greedy"}] * (len(head(eyes).seats) - 1)]
    for luck in ("same", "new"):
        body = {"ply": head(eyes).ply, "luck": luck, "seats": seats}
        answer = eyes.ask("POST", f"/matches/{eyes.match}/forks", body, Idempotency_Key=f"walk {luck}")
        if answer.status_code == 201 and luck == "new":
            eyes.answers.pop()  # its dice are its own: nobody can foresee them in either world


def orders(eyes: Viewer) -> None:
    """Standing orders: what may be ordered, what is ordered, what is told of it."""
    eyes.look(f"/matches/{eyes.match}?orders=1")
    eyes.ask("GET", f"/matches/{eyes.match}/orders?as={acting_seat(eyes)}")


def no_orders(eyes: Viewer) -> None:
    """Orders that are taken back before anything came of them."""
    eyes.ask("PUT", f"/matches/{eyes.match}/orders?as={acting_seat(eyes)}", {"forced": True, "moves": []})
    eyes.ask("DELETE", f"/matches/{eyes.match}/orders?as={acting_seat(eyes)}")


def followed_orders(eyes: Viewer) -> None:
    """Orders for moves that are no longer or not yet legal, and what the server makes of them."""
    path = f"/matches/{eyes.match}/orders?as={acting_seat(eyes)}"
    wanted = [one for one in moves_to_try(eyes) if isinstance(one, dict) and one.get("type") != "resign"]
    for document in wanted[:8]:
        eyes.ask("PUT", path, {"forced": False, "moves": [document]})
    eyes.ask("PUT", path, {"forced": True, "moves": []})


def proposals(eyes: Viewer) -> None:
    """What changes a match without a move: to take back, to pause, more time, the seat to somebody else."""
    path = f"/matches/{eyes.match}/commands?as={acting_seat(eyes)}"
    for body in ({"type": "pause"}, {"type": "extend", "seconds": 7200}, {"type": "hand_over"}, {"type": "takeback"}):
        eyes.ask("POST", path, body, Idempotency_Key=f"walk {body}")


def dispute(eyes: Viewer) -> None:
    """A dispute that is raised, looked at, and not resolved."""
    body = {"ply": 3, "ground": "other", "claim": "This cannot be."}
    eyes.ask("POST", f"/matches/{eyes.match}/disputes?as={acting_seat(eyes)}", body, Idempotency_Key="walk dispute")


def disputed(eyes: Viewer) -> None:
    """Every dispute of the match, and one that is not there."""
    for number in (*(each.number for each in head(eyes).disputes), 99):
        eyes.ask("GET", f"/matches/{eyes.match}/disputes/{number}")
        eyes.look(f"/matches/{eyes.match}/disputes/{number}")


def bad_moves(eyes: Viewer) -> None:
    """Moves that are refused, for good."""
    seat = acting_seat(eyes)
    for document in moves_to_try(eyes):
        if document != {"type": "resign"} and not is_legal(eyes, document):
            eyes.ask("POST", f"/matches/{eyes.match}/moves?as={seat}", document, Idempotency_Key=f"bad {document}")
            eyes.ask("POST", f"/matches/{eyes.match}/moves?as={seat}", document, If_Match='"2"')


def is_legal(eyes: Viewer, document: Any) -> bool:
    """Whether the rules take it. (That they do so in both worlds or in neither, the dry runs have shown.)"""
    now = head(eyes)
    try:
        now.rules.decide(now.state, acting_seat(eyes), now.rules.read_move(document), Fast("is legal"))
    except IllegalMove:
        return False
    return eyes.reader is not None


READING_VISITS: dict[str, Visit] = {
    "health.alive": api("/healthz"),
    "health.ready": api("/readyz"),
    "health.key": api("/.well-known/crumbtrail-key"),
    "api-docs.openapi_json": api("/openapi.json"),
    "games.list_games": api("/games"),
    "games.show_game": api("/games/{slug}"),
    "ratings.show_leaderboard": api("/games/{slug}/leaderboard"),
    "ratings.show_player": for_every_player("/api/players/{player}"),
    "ratings.list_matches": for_every_player("/api/players/{player}/matches"),
    "ratings.list_ratings": for_every_player("/api/players/{player}/ratings/{slug}"),
    "players.me": api("/me"),
    "players.turns": api("/me/turns"),
    "players.stream_turns": turn_stream,
    "notifications.get_notifications": api("/me/notifications"),
    "matches.search": api("/matches", "/matches?status=playing", "/matches?game={slug}&bots=1", "/matches?limit=1"),
    "matches.show": show,
    "matches.take_seat": api("/matches/{m}/seats/0", "/matches/{m}/seats/1", method="POST", body={}),
    "matches.renew_invitation": api("/matches/{m}/seats/1/invitation", method="POST", body={}),
    "matches.create": new_matches,
    "moves.legal_moves": legal_moves,
    "moves.move": dry_runs,
    "moves.command": commands,
    "events.list_events": events,
    "events.stream_events": stream,
    "orders.show": orders,
    "replays.download": api("/matches/{m}/replay"),
    "replays.audit": api("/audits/{m}"),
    "replays.verify": verified,
    "bots.list_bot_moves": api("/matches/{m}/bots"),
    "disputes.listed": api("/matches/{m}/disputes"),
    "disputes.resolve": api("/matches/{m}/disputes/3/resolution", method="POST", body={"ruling": "upheld"}),
    "house.house": house_turn,
    "house.turn": house_turn,
    "web.lobby": pages("/"),
    "web.account": pages("/account"),
    "web.notifications": pages("/account/notifications"),
    "web.court": pages("/disputes"),
    "web.find": pages("/matches", "/matches?status=playing", "/matches?game={slug}"),
    "web.join": pages("/join/{m}/1/nothing"),
    "web.accept": send("/join/{m}/1/nothing"),
    "web.leaderboards": pages("/leaderboard"),
    "web.leaderboard": pages("/leaderboard/{slug}"),
    "web.match": pages("/matches/{m}", "/matches/{m}?seat=0", "/matches/{m}?seat=1", "/matches/{m}?hint={ply}"),
    "web.live": live,
    "web.move": dry_runs,
    "web.replay": replays,
    "web.verify_match": send("/matches/{m}/replay"),
    "web.replay_file": pages("/matches/{m}/replay/file"),
    "web.replay_bundle": pages("/matches/{m}/replay/bundle"),
    "web.score": pages("/matches/{m}/score"),
    "web.fork": pages("/matches/{m}/fork"),
    "web.disputes": pages("/matches/{m}/disputes"),
    "web.name": pages("/name"),
    "web.new": pages("/new"),
    "web.new_match": pages("/new/{slug}"),
    "web.player_page": for_every_player("/players/{player}"),
    "web.all_rules": pages("/rules"),
    "web.rules": pages("/rules/{slug}"),
    "web.sign_in": pages("/sign-in"),
    "web.verify_page": pages("/verify"),
    "web.standalone": pages("/verify/standalone_verify.py"),
    "web.verify_sent": upload,
}
"""What changes nothing, in the order in which it is walked."""

ACTING_VISITS: dict[str, Visit] = {
    "moves.move": bad_moves,
    "orders.give": followed_orders,
    "orders.cancel": no_orders,
    "web.give_orders": send("/matches/{m}/orders", seat="{seat}", what="forced"),
    "web.leave": send("/matches/{m}/leave", seat="{seat}"),
    "web.cancel": send("/matches/{m}/cancel"),
    "web.take_seat": send("/matches/{m}/seats/1"),
    "web.withdraw": send("/matches/{m}/seats/1/withdraw"),
    "web.rematch": send("/matches/{m}/rematch"),
    "web.make_fork": send("/matches/{m}/fork", ply="{ply}", luck="same", seat0="me", seat1="bot:greedy"),
    "disputes.fork": forks,
    "house.play": house_move,
    "house.failed": house_failure,
    "moves.command": proposals,
    "web.ask": send("/matches/{m}/ask", seat="{seat}", what="takeback"),
    "disputes.dispute": dispute,
    "web.raise_dispute": send("/matches/{m}/disputes", ply="3", ground="other", claim="No."),
    "disputes.show": disputed,
    "web.dispute": disputed,
    "web.resolve": send("/matches/{m}/disputes/3", ruling="upheld"),
    "replays.download": api("/matches/{m}/replay", "/matches/{m}"),
}
"""What leaves traces in the match, walked last."""


def visit_all(eyes: Viewer) -> None:
    """All of it, in order. An act that was refused in the one world and not in the other shows in what follows."""
    for way in dict.fromkeys(READING_VISITS.values()):
        way(eyes)
    for way in dict.fromkeys(ACTING_VISITS.values()):
        eyes.service.clock.advance(PACE.total_seconds())
        way(eyes)

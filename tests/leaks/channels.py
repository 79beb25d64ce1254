"""How a reader of a match visits every endpoint of the application.

Every route must be listed here or in `NOT_VISITED`; otherwise a test fails.
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
ACCOUNT_ONLY = "it affects only the account and redirects to a page that is visited"
MODERATORS_ONLY = "only for moderators, whose pages in two worlds `test_moderation.py` compares"
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
    "web.dismiss_notice": ACCOUNT_ONLY,
    "web.moderate_player": MODERATORS_ONLY,
    "web.close_report": MODERATORS_ONLY,
    "web.unsubscribe": ACCOUNT_ONLY,
    "web.unsubscribed": ACCOUNT_ONLY,
    "web.ask_for_link": ACCOUNT_ONLY,
    "web.follow_link": ACCOUNT_ONLY,
    "web.use_link": ACCOUNT_ONLY,
    "players.register": "it creates a player and involves no match",
    "notifications.set_mail": ACCOUNT_ONLY,
    "notifications.set_webhook": ACCOUNT_ONLY,
    "notifications.remove_webhook": ACCOUNT_ONLY,
    "notifications.test_webhook": ACCOUNT_ONLY,
    "web.play_now": "it creates a match with a new seed, which reveals nothing about another match",
    "web.create_match": "it creates a match with a new seed, which reveals nothing about another match",
    "web.send_asset": "files that are the same for everyone",
    "health.metrics": "its counters are compared separately, since they include both worlds of a process",
}
"""Endpoints that are not visited, and why they reveal nothing about a match."""

SPOILT_PER_MOVE = 6
"""Number of invalid moves to try of each kind."""


def api(*paths: str, method: str = "GET", body: Any = None, **headers: str) -> Visit:
    """Send requests to the API."""

    def visit(viewer: Viewer) -> None:
        for path in paths:
            viewer.ask(method, path.format(m=viewer.match, slug=head(viewer).game), body, **headers)

    return visit


def pages(*paths: str) -> Visit:
    """Open pages."""

    def visit(viewer: Viewer) -> None:
        now = head(viewer)
        for path in paths:
            viewer.look(path.format(m=viewer.match, slug=now.game, ply=now.ply))

    return visit


def send(path: str, **fields: str) -> Visit:
    """Submit a form."""

    def visit(viewer: Viewer) -> None:
        now = head(viewer)
        filled = {name: text.format(ply=now.ply, seat=acting_seat(viewer)) for name, text in fields.items()}
        viewer.post(path.format(m=viewer.match, slug=now.game), **filled)

    return visit


def head(viewer: Viewer) -> AnyMatch:
    """Return the current match."""
    return viewer.service.services.matches.repository.load(viewer.match)


def acting_seat(viewer: Viewer) -> int:
    """Return the seat that the reader tries to act for; a spectator tries seat 0."""
    return viewer.reader or 0


def for_every_player(path: str) -> Visit:
    """Request the same path or page for every player."""

    def visit(viewer: Viewer) -> None:
        slug = head(viewer).game
        for player in PEOPLE[:3]:
            place = path.format(player=player, slug=slug)
            viewer.look(place) if place.startswith("/players") and "api" not in path else viewer.ask("GET", place[4:])

    return visit


# -- visits that need more than a path ----------------------------------------------------------------------------


def show(viewer: Viewer) -> None:
    """Request the match: as every seat, at an earlier ply, and with an ETag."""
    now, path = head(viewer), f"/matches/{viewer.match}"
    viewer.ask("GET", path)
    viewer.ask("HEAD", path)
    viewer.ask("GET", path, If_None_Match=f'"{now.ply}"')
    for seat in range(len(now.seats) + 1):
        viewer.ask("GET", f"{path}?as={seat}")
    viewer.ask("GET", f"{path}?at=3")


def legal_moves(viewer: Viewer) -> None:
    """Request the legal moves, with different limits and seats."""
    for query in ("", "?limit=1", "?limit=7", *(f"?as={seat}&limit=50" for seat in range(len(head(viewer).seats)))):
        viewer.ask("GET", f"/matches/{viewer.match}/legal-moves{query}")


def moves_to_try(viewer: Viewer) -> list[Any]:
    """Return moves to try: legal moves of the reader or of another match, and mutations of each.

    They depend only on what the reader sees, so they are the same in both worlds.
    """
    now = head(viewer)
    game, seat = now.rules, acting_seat(viewer)
    legal = [msgspec.to_builtins(move) for move in islice(game.legal_moves(now.state, seat), 200)]
    if not legal or viewer.reader is None:
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


def dry_runs(viewer: Viewer) -> None:
    """Try valid and invalid moves without making them."""
    for document in moves_to_try(viewer):
        viewer.ask("POST", f"/matches/{viewer.match}/moves?dry_run=1&as={acting_seat(viewer)}", document)
    for document in [*moves_to_try(viewer)[5:12], {"type": "nonsense"}]:
        viewer.post(
            f"/matches/{viewer.match}/moves", seat=str(acting_seat(viewer)), do="try", **as_form_fields(document)
        )


def as_form_fields(document: Any) -> dict[str, str]:
    """Return a move as form fields."""
    return {name: str(value) for name, value in document.items()} if isinstance(document, dict) else {}


def commands(viewer: Viewer) -> None:
    """Send commands that are refused to players of a running match and to everyone else."""
    path = f"/matches/{viewer.match}/commands"
    for body in (
        {"type": "leave"},
        {"type": "cancel"},
        {"type": "agree", "proposal": 3},
        {"type": "resume"},
        {"type": "takeback", "to_ply": 1},
        {"type": "keep_seat", "offer": 2},
    ):
        viewer.ask("POST", path, body, Idempotency_Key=f"walk {body}")


def stream(viewer: Viewer) -> None:
    """Open the event stream in both formats, from the start and from the last event."""
    last = head(viewer).ply
    for form in ("text/event-stream", "application/x-ndjson"):
        for after in (0, last - 1):
            read(viewer, f"/api/v1/matches/{viewer.match}/stream?after={after}", form)
    viewer.ask("GET", f"/matches/{viewer.match}/stream?as=9")


def read(viewer: Viewer, path: str, form: str) -> None:
    """Record the beginning of a stream like an ordinary answer."""
    headers = {"Accept": form, **({"Authorization": f"Bearer {viewer.token}"} if viewer.token else {})}
    client = viewer.visitor.client if not path.startswith("/api") else viewer.app.test_client()
    answer = client.get(path, headers=headers, buffered=False)
    if answer.status_code == 200:
        pieces = list(islice(answer.response, 2))
        answer.response.close() if hasattr(answer.response, "close") else None
        answer.close()
        answer.response = [part if isinstance(part, bytes) else part.encode() for part in pieces]
    viewer.answers.append(("GET", answer))


def live(viewer: Viewer) -> None:
    """Open the live stream of an open page."""
    read(viewer, f"/matches/{viewer.match}/live?after={head(viewer).ply - 1}", "text/event-stream")


def turn_stream(viewer: Viewer) -> None:
    """Open the stream of waiting turns. Its keepalive comes sooner here, in case there are no turns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(players, "TOKEN_CHECK_SECONDS", 0.02)
        patch.setattr(streams, "KEEPALIVE_SECONDS", 0.02)
        read(viewer, "/api/v1/me/stream", "text/event-stream")


def replays(viewer: Viewer) -> None:
    """Open the replay at many plies, as every kind of reader."""
    path, last = f"/matches/{viewer.match}/replay", head(viewer).ply
    viewer.look(path)
    for ply in sorted({1, last // 2, last - 2, last - 1, last} - {0, -1}):
        for query in (f"?ply={ply}", f"?ply={ply}&as=spectator", f"?ply={ply}&fact=1", f"?ply={ply}&as=0"):
            viewer.look(path + query)
    viewer.look(f"{path}?as=everything")


def filmed(viewer: Viewer) -> None:
    """Request the frames of a playback: all of them, some moves, the last one, and from other points of view."""
    path, last = f"/matches/{viewer.match}/frames", head(viewer).ply
    for query in ("", f"?after={last - 1}", f"?after={last // 2}&to={last - 1}", f"?after={last}", f"?to={last + 1}"):
        viewer.look(path + query)
    for look in ("spectator", "everything", *range(len(head(viewer).seats) + 1)):
        viewer.look(f"{path}?as={look}&after={max(0, last - 4)}")


def verified(viewer: Viewer) -> None:
    """Send the public part of the replay to the API's verifier."""
    raw = viewer.ask("GET", f"/matches/{viewer.match}/replay").get_data()
    viewer.ask("POST", "/replays/verify", raw)


def upload(viewer: Viewer) -> None:
    """Upload the public part of the replay in the form."""
    raw = viewer.ask("GET", f"/matches/{viewer.match}/replay").get_data()
    viewer.post("/verify", file=(BytesIO(raw), "match.crumb.ndjson"))


def events(viewer: Viewer) -> None:
    """Request all and some events, and long-poll for an event."""
    path, last = f"/matches/{viewer.match}/events", head(viewer).ply
    for query in ("", f"?after={last - 1}", f"?after={last - 1}&wait=5", f"?after={last}&limit=1", "?as=0", "?as=1"):
        viewer.ask("GET", path + query)


def house_turn(viewer: Viewer) -> None:
    """Request a bot's turn as its worker does; others are refused."""
    now = head(viewer)
    viewer.ask("GET", "/house")
    viewer.ask("GET", f"/house/turns/{viewer.match}/{now.ply}")


def house_move(viewer: Viewer) -> None:
    """Send an invalid move of a bot as a worker."""
    body = {"seat": acting_seat(viewer), "move": {"type": "nonsense"}, "engine": "walk", "version": 1}
    viewer.ask("POST", f"/house/turns/{viewer.match}/{head(viewer).ply}", body)


def house_failure(viewer: Viewer) -> None:
    """Report a failed turn of a bot."""
    viewer.ask("POST", f"/house/turns/{viewer.match}/1/failures", {})


def new_matches(viewer: Viewer) -> None:
    """Create a match with a given seed and key, so that it is the same in both worlds."""
    body = {"game": head(viewer).game, "seats": [{"kind": "me"}, {"kind": "open"}], "seed": "c0ffee"}
    viewer.ask("POST", "/matches", body, Idempotency_Key="walk")


def openings(viewer: Viewer) -> None:
    """Open a share of the luck, or say that it is lost. The match has started, so both are refused."""
    for body in ({"table": "ab" * 32, "share": "cd" * 32}, {"lost": True}):
        viewer.ask("POST", f"/matches/{viewer.match}/share", body)


def forks(viewer: Viewer) -> None:
    """Create forks: refused while others play; the fork of a practice match shows what the reader may see."""
    seats = [{"kind": "me"}, *[{"kind": "bot", "level": "greedy"}] * (len(head(viewer).seats) - 1)]
    for luck in ("same", "new"):
        body = {"ply": head(viewer).ply, "luck": luck, "seats": seats}
        answer = viewer.ask("POST", f"/matches/{viewer.match}/forks", body, Idempotency_Key=f"walk {luck}")
        if answer.status_code == 201 and luck == "new":
            viewer.answers.pop()  # its dice are new and differ between the worlds


def orders(viewer: Viewer) -> None:
    """View standing orders: the page that offers them and those given."""
    viewer.look(f"/matches/{viewer.match}?orders=1")
    viewer.ask("GET", f"/matches/{viewer.match}/orders?as={acting_seat(viewer)}")


def no_orders(viewer: Viewer) -> None:
    """Give standing orders and cancel them before they are used."""
    viewer.ask("PUT", f"/matches/{viewer.match}/orders?as={acting_seat(viewer)}", {"forced": True, "moves": []})
    viewer.ask("DELETE", f"/matches/{viewer.match}/orders?as={acting_seat(viewer)}")


def followed_orders(viewer: Viewer) -> None:
    """Give standing orders for moves that may not be legal."""
    path = f"/matches/{viewer.match}/orders?as={acting_seat(viewer)}"
    wanted = [one for one in moves_to_try(viewer) if isinstance(one, dict) and one.get("type") != "resign"]
    for document in wanted[:8]:
        viewer.ask("PUT", path, {"forced": False, "moves": [document]})
    viewer.ask("PUT", path, {"forced": True, "moves": []})


def proposals(viewer: Viewer) -> None:
    """Send commands that change a match without a move: takeback, pause, more time, handover."""
    path = f"/matches/{viewer.match}/commands?as={acting_seat(viewer)}"
    for body in ({"type": "pause"}, {"type": "extend", "seconds": 7200}, {"type": "hand_over"}, {"type": "takeback"}):
        viewer.ask("POST", path, body, Idempotency_Key=f"walk {body}")


def dispute(viewer: Viewer) -> None:
    """Raise a dispute."""
    body = {"ply": 3, "ground": "other", "claim": "This cannot be."}
    viewer.ask(
        "POST", f"/matches/{viewer.match}/disputes?as={acting_seat(viewer)}", body, Idempotency_Key="walk dispute"
    )


def disputed(viewer: Viewer) -> None:
    """View every dispute of the match, and one that does not exist."""
    for number in (*(each.number for each in head(viewer).disputes), 99):
        viewer.ask("GET", f"/matches/{viewer.match}/disputes/{number}")
        viewer.look(f"/matches/{viewer.match}/disputes/{number}")


def bad_moves(viewer: Viewer) -> None:
    """Send moves that are refused."""
    seat = acting_seat(viewer)
    for document in moves_to_try(viewer):
        if document != {"type": "resign"} and not is_legal(viewer, document):
            viewer.ask("POST", f"/matches/{viewer.match}/moves?as={seat}", document, Idempotency_Key=f"bad {document}")
            viewer.ask("POST", f"/matches/{viewer.match}/moves?as={seat}", document, If_Match='"2"')


def is_legal(viewer: Viewer, document: Any) -> bool:
    """Return whether the move is legal. (The dry runs have shown that both worlds agree.)"""
    now = head(viewer)
    try:
        now.rules.decide(now.state, acting_seat(viewer), now.rules.read_move(document), Fast("is legal"))
    except IllegalMove:
        return False
    return viewer.reader is not None


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
    "matches.open_share": openings,
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
    "web.frames": filmed,
    "web.verify_match": send("/matches/{m}/replay"),
    "web.replay_file": pages("/matches/{m}/replay/file"),
    "web.replay_bundle": pages("/matches/{m}/replay/bundle"),
    "web.score": pages("/matches/{m}/score"),
    "web.fork": pages("/matches/{m}/fork"),
    "web.disputes": pages("/matches/{m}/disputes"),
    "web.name": pages("/name"),
    "web.trust": pages("/trust"),
    "web.new": pages("/new"),
    "web.new_match": pages("/new/{slug}"),
    "web.player_page": for_every_player("/players/{player}"),
    "web.report": for_every_player("/players/{player}/report"),
    "web.send_report": send(f"/players/{PEOPLE[0]}/report", subject="mood"),
    "web.admin": pages("/admin"),
    "web.admin_log": pages("/admin/log"),
    "web.admin_player": pages(*(f"/admin/players/{player}" for player in PEOPLE[:3])),
    "web.find_player_by_name": pages("/admin/find?player=Ann"),
    "web.all_rules": pages("/rules"),
    "web.rules": pages("/rules/{slug}"),
    "web.sign_in": pages("/sign-in"),
    "web.verify_page": pages("/verify"),
    "web.standalone": pages("/verify/standalone_verify.py"),
    "web.verify_sent": upload,
}
"""Visits that change nothing, in order."""

ACTING_VISITS: dict[str, Visit] = {
    "moves.move": bad_moves,
    "orders.give": followed_orders,
    "orders.cancel": no_orders,
    "web.give_orders": send("/matches/{m}/orders", seat="{seat}", what="forced"),
    "web.leave": send("/matches/{m}/leave", seat="{seat}"),
    "web.cancel": send("/matches/{m}/cancel"),
    "web.remove_player": send("/matches/{m}/remove", seat="1"),
    "web.continue_match": send("/matches/{m}/continue"),
    "web.save_comfort": send("/comfort", theme="dark"),
    "matches.continue_in_new_match": api("/matches/{m}/continuation", method="POST", Idempotency_Key="walk on"),
    "web.take_seat": send("/matches/{m}/seats/1"),
    "web.open_share": send("/matches/{m}/share", lost="yes"),
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
"""Visits that may change the match; they come last."""


def visit_all(viewer: Viewer) -> None:
    """Make all visits in order. If an action is refused in only one world, later answers differ."""
    for way in dict.fromkeys(READING_VISITS.values()):
        way(viewer)
    for way in dict.fromkeys(ACTING_VISITS.values()):
        viewer.service.clock.advance(PACE.total_seconds())
        way(viewer)

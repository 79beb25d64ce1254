"""Searches everything that the service has written for the secret seeds of running matches.

Real processes play all games. Until a match ends, its seed and the key of its draws, in any encoding, must be only in
their own key of the log: in no other key, job, log line, metric, email, command line, answer or page.
"""

import base64
import itertools
import secrets
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from redis import Redis

from domain.kernel.chance import SEED_BYTES, Seed
from domain.kernel.event_codec import read_event
from domain.kernel.events import AnyEvent
from domain.kernel.luck import MatchSecrets, hmac_sha256, join_shares, share_seal, table_hash
from domain.kernel.registry import find_game, games
from domain.match.commands import SeatSpec
from domain.match.luck import client_seeds_by_seat
from service.bootstrap import Services, build_services
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import log_key, seed_key
from service.notifications.preferences import MailPreferences
from service.runtime.settings import Settings
from tests import plain_http
from tests.leaks.outputs import encodings, find_encodings
from tests.leaks.stacks import key_content, plain_redis
from tests.processes import command_of, descendants_of, raw_environment_of
from tests.reliability.stack import Stack, running_stack
from tests.stored_matches import EARLIER_VERSION, store_match
from tests.workers.receivers import MailServer

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")
MOVES = 6
"""Number of moves of each player before the search."""
PATIENCE_SECONDS = 60
PLACES = ("", "/legal-moves", "/events", "/replay", "/orders", "/bots", "/disputes", "/stream?after=9999", "/nothing")
PAGES = ("", "/replay", "/replay?ply=3", "/replay/file", "/disputes", "/fork", "/score", "/nothing")


seeds = st.binary(min_size=32, max_size=32).filter(lambda raw: raw[0] > 0 and len({*raw}) > 8)


@settings(deadline=None, max_examples=50)
@given(seeds, st.binary(max_size=7), st.binary(max_size=7))
def test_a_secret_is_found_in_every_encoding(secret: bytes, before: bytes, after: bytes) -> None:
    whole = before + secret + after
    for written in (
        whole,
        whole.hex().encode(),
        whole.hex().upper().encode(),
        base64.b64encode(whole),
        base64.urlsafe_b64encode(whole),
        base64.b32encode(whole),
        zlib.compress(whole.hex().encode()),
        str(list(secret)).encode(),
    ):
        assert find_encodings(secret, written if written[:1] == b"x" else b"... " * 3 + written + b" ...")
        assert not find_encodings(bytes(range(1, 33)), written)
    assert len(encodings(secret)) == 23


class Player:
    """A player with a token, who records every answer."""

    def __init__(self, stack: Stack, name: str, answers: list[bytes]) -> None:
        self._keys = itertools.count()
        self._answers = answers
        self.http = plain_http.Client(base_url=stack.url, timeout=30, follow_redirects=True)
        made = self.ask("POST", "/api/v1/players", json={"name": name}).json()
        self.id = made["player"]["id"]
        self.http.headers["Authorization"] = f"Bearer {made['token']}"

    def ask(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Send a request and return the answer, whatever its status."""
        headers = {"Idempotency-Key": f"{next(self._keys)}"} if method == "POST" else {}
        answer = self.http.request(method, path, headers=headers, **request)
        self._answers.append(repr(dict(answer.headers)).encode() + answer.content)
        return answer


@pytest.mark.full
@on_linux
@pytest.mark.timeout(1200)
def test_the_seed_is_in_no_output_until_the_match_is_over(tmp_path: Path) -> None:
    answers: list[bytes] = []
    with (
        MailServer() as mail_server,
        running_stack(tmp_path / "var", tmp_path / "output", CRUMBTRAIL_SMTP_URL=mail_server.url) as stack,
    ):
        server = EmbeddedServer(tmp_path / "var")
        services = build_services(Settings(log_url=server.url(0)))
        ann, bob = Player(stack, "Ann", answers), Player(stack, "Bob", answers)
        services.notifications.preferences.set_address(bob.id, "bob@example.org")
        services.notifications.preferences.set_mail_preferences(bob.id, MailPreferences(mail="each", patience=0))
        # given: for every game, a sealed match, one against a bot and one under rules version 1, after some moves
        running = [begin(ann, bob, slug) for slug in games()]
        running += [begin_against_bot(ann, slug) for slug in games()]
        running += [begin_by_earlier_rules(services, ann, bob, slug) for slug in games()]
        for match in running:
            play(services, match, ann, bob)
            look(match, ann, bob)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (mail_server.raw and all_disputes_have_verdicts(services, running)) and time.monotonic() < deadline:
            time.sleep(0.2)
        assert mail_server.raw, "no email was sent"
        playing = [match for match in running if services.matches.repository.load(match).status == "playing"]
        assert len(playing) >= len(running) - 4, "too many matches ended too early"
        # then: their seeds are not found
        ann.ask("GET", "/metrics")
        searched = dict(written(stack, server, tmp_path, answers, mail_server.raw))
        hidden = {(match, what): secret for match in playing for what, secret in secrets_of(services, match)}
        found = [
            (match, what, place, name)
            for place, raw in searched.items()
            for (match, what), secret in hidden.items()
            for name in find_encodings(secret, raw)
            if place != f"log {seed_key(match)}"
        ]
        print(f"searched {len(searched)} places, {sum(map(len, searched.values()))} bytes, for {len(hidden)} secrets")
        assert not found
        # then: the salts, which would reveal hidden events from their hashes, are only in the log
        salts = {event.salt.encode() for match in playing for event in events_of(services, match) if event.salt}
        logs = {f"log {log_key(match)}" for match in playing}
        assert len(salts) > 10 * len(playing) / 2
        assert not [
            place for place, raw in searched.items() if place not in logs and any(salt in raw for salt in salts)
        ]
        # then: seeds are found in their own keys, and published once a match is over
        seeds = {match: dict(secrets_of(services, match))["seed"] for match in playing}
        assert all(find_encodings(seeds[match], searched[f"log {seed_key(match)}"]) for match in playing)
        assert ann.ask("POST", f"/api/v1/matches/{playing[0]}/moves", json={"type": "resign"}).status_code == 201
        shown = ann.ask("GET", f"/api/v1/matches/{playing[0]}").content
        assert find_encodings(seeds[playing[0]], shown) == ["hex"]


def begin(ann: Player, bob: Player, slug: str) -> str:
    """Return the id of a new sealed match that has started with the shares of both players."""
    body = {"game": slug, "seats": [{"kind": "me"}, {"kind": "open"}], "luck": "sealed"}
    made = ann.ask("POST", "/api/v1/matches", json=body).json()
    match, commitment = made["match"]["id"], made["commitment"]
    shares = [secrets.token_hex(32) for _ in range(2)]
    seals = [share_seal(match, seat, commitment, share) for seat, share in enumerate(shares)]
    for seat, player in enumerate((ann, bob)):
        sitting = {"commitment": commitment, "seal": seals[seat]}
        assert player.ask("POST", f"/api/v1/matches/{match}/seats/{seat}", json=sitting).status_code == 201
    for player, share in zip((ann, bob), shares, strict=True):
        opening = {"table": table_hash(match, commitment, seals), "share": share}
        assert player.ask("POST", f"/api/v1/matches/{match}/share", json=opening).status_code == 201
    return match


def begin_against_bot(ann: Player, slug: str) -> str:
    """Return the id of a new match against a bot that has started."""
    body = {"game": slug, "seats": [{"kind": "me"}, {"kind": "bot", "level": "greedy"}]}
    match: str = ann.ask("POST", "/api/v1/matches", json=body).json()["match"]["id"]
    return match


def begin_by_earlier_rules(services: Services, ann: Player, bob: Player, slug: str) -> str:
    """Return the id of a match under rules version 1, with luck protocol 1, that has started."""
    seats = [SeatSpec("human", player=ann.id, client_seed="ann-1"), SeatSpec("open")]
    match = store_match(services.log, find_game(slug, EARLIER_VERSION), ann.id, seats, services.runtime.clock.now())
    sitting = {"client_seed": "bob-1"}
    assert bob.ask("POST", f"/api/v1/matches/{match}/seats/1", json=sitting).status_code == 201
    return match


def play(services: Services, match: str, *people: Player) -> None:
    """Make some valid and invalid moves for each player, give standing orders and raise a dispute."""
    for n in range(MOVES):
        for player in people:
            answer = player.ask("GET", f"/api/v1/matches/{match}/legal-moves?limit=40")
            moves = answer.json().get("moves", [])
            player.ask("POST", f"/api/v1/matches/{match}/moves", json={"type": "nonsense", "n": n})
            if not moves:
                continue
            player.ask("POST", f"/api/v1/matches/{match}/moves?dry_run=1", json=moves[-1])
            player.ask("POST", f"/api/v1/matches/{match}/moves", content=b"{")
            player.ask("POST", f"/api/v1/matches/{match}/moves", json=moves[n % len(moves)])
    people[0].ask("PUT", f"/api/v1/matches/{match}/orders", json={"forced": True, "moves": []})
    dispute = {"ply": 3, "ground": "dice", "claim": "These dice are odd."}
    people[0].ask("POST", f"/api/v1/matches/{match}/disputes", json=dispute)


def look(match: str, *people: Player) -> None:
    """Request everything that can be read of a match."""
    for player in people:
        for place in PLACES:
            if not place.startswith("/stream"):
                player.ask("GET", f"/api/v1/matches/{match}{place}")
        for page in PAGES:
            player.ask("GET", f"/matches/{match}{page}")
        player.ask("GET", "/api/v1/me/turns")
        player.ask("POST", f"/api/v1/matches/{match}/forks", json={"ply": 3, "seats": [{"kind": "me"}] * 2})
        player.ask("POST", f"/api/v1/matches/{match}/commands", json={"type": "takeback"})


def all_disputes_have_verdicts(services: Services, matches: list[str]) -> bool:
    """Return whether every dispute has a verdict."""
    return all(each.has_verdict for match in matches for each in services.matches.repository.load(match).disputes)


def events_of(services: Services, match: str) -> list[AnyEvent]:
    """Return the events from the log."""
    game = services.matches.repository.load(match).rules
    return [read_event(line, game) for line in services.log.lines(match)]


def secrets_of(services: Services, match: str) -> Iterator[tuple[str, bytes]]:
    """Yield the secrets of a running match: seed, key of its draws and, under luck protocol 2, salts and bots' key."""
    head, stored = services.matches.repository.load(match), services.log.seed(match)
    if head.luck is None:
        yield "seed", stored
        yield "key", Seed(stored).key(match, client_seeds_by_seat(head))
        return
    salts, seed = stored[:SEED_BYTES], stored[SEED_BYTES:]
    yield "seed", seed
    yield "salts", salts
    yield "key", MatchSecrets(match, seed, salts).key(head.shares)
    yield "bots", hmac_sha256(seed, f"crumbtrail/bots/2|{match}|{join_shares(head.shares)}")


def written(
    stack: Stack, server: EmbeddedServer, folder: Path, answers: list[bytes], mails: list[bytes]
) -> Iterator[tuple[str, bytes]]:
    """Yield everything that the service has written, by place."""
    yield "log lines", (folder / "output").read_bytes()
    yield "lines of the log server", server.log_file.read_bytes()
    for name, redis in (("log", plain_redis(server.url(0))), ("queue", plain_redis(server.url(1)))):
        yield from ((f"{name} {key.decode()}", raw) for key, raw in held(redis))
    yield from ((f"answer {n}", answer) for n, answer in enumerate(answers))
    yield from ((f"mail {n}", mail) for n, mail in enumerate(mails))
    for pid in [stack.process.pid, *descendants_of(stack.process.pid)]:
        yield f"command line {pid}", command_of(pid).encode()
        yield f"environment {pid}", raw_environment_of(pid)


def held(redis: Redis) -> Iterator[tuple[bytes, bytes]]:
    """Yield every key with its name and content, including decompressed values."""
    for key in redis.scan_iter():
        value = redis.xrange(key) if redis.type(key) == b"stream" else key_content(redis, key)
        parts = list(pieces(value))
        packed = [part for raw in parts for part in ([raw] if raw[:1] != b"x" else [raw, unzipped(raw)])]
        yield key, key + b"\n" + b"\n".join(packed)


def pieces(value: Any) -> Iterator[bytes]:
    """Yield the strings in a possibly nested value of the server."""
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set):
        for inner in value:
            yield from pieces(inner)
    elif value is not None:
        yield value if isinstance(value, bytes) else str(value).encode()


def unzipped(raw: bytes) -> bytes:
    """Return the decompressed bytes, or nothing if they are not compressed."""
    try:
        return zlib.decompress(raw)
    except zlib.error:
        return b""

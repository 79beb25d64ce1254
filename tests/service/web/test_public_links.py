"""Links that people copy and share begin with the public address, whatever the `Host` header of a request says."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from redis import Redis

from service.bootstrap import build_services
from service.event_store.embedded import EmbeddedServer
from service.runtime.settings import Settings, from_environment
from service.wsgi import create_app
from tests.service.audience import API_REQUESTS, PAGE_REQUESTS, Audience, visitor_as
from tests.service.web.test_table_requests import ask
from tests.service.web.visitors import Page, Visitor, match_id_of

SERVICE = Path(__file__).parents[3] / "service"
PUBLIC = "https://play.example"
ELSEWHERE = "internal.example:8443"
"""What a proxy that does not pass on the visitor's `Host`, or an attacker, sends."""


@pytest.fixture
def public_app(server: EmbeddedServer, redis: Redis) -> Iterator[Flask]:
    """The application of a server with a public address, on an empty log."""
    services = build_services(Settings(log_url=server.url(), public_url=PUBLIC))
    yield create_app(services)
    services.runtime.redis.close()


def reached_at(app: Flask, host: str) -> Visitor:
    """Return a visitor whose requests arrive with this `Host` header."""
    return Visitor(app, base_url=f"http://{host}")


def copied_links(page: Page) -> set[str]:
    """Return the absolute links that a page offers for copying or scanning."""
    pairs = [pair for _, attributes in page.reader.tags for pair in attributes.items()]
    return {value for name, value in pairs if name != "xmlns" and re.match(r"https?://", value)}


def test_invitations_and_links_to_copy_begin_with_the_public_address(public_app: Flask) -> None:
    room = reached_at(public_app, ELSEWHERE).new_match(seat1="friend")
    match, links = match_id_of(room), copied_links(room)
    assert {link[: link.index(match)] for link in links} == {f"{PUBLIC}/join/", f"{PUBLIC}/matches/"}


def test_an_offered_seat_has_a_public_link(public_app: Flask) -> None:
    ann, bob = (reached_at(public_app, "play.example").named(name) for name in ("Ann", "Bob"))
    room = ann.new_match(game="tic_tac_toe", seat0="me", seat1="friend")
    (invitation,) = (link for link in copied_links(room) if "/join/" in link)
    bob.send(bob.open(invitation).form("/join/"))
    ann.environment, match = {"base_url": f"http://{ELSEWHERE}"}, match_id_of(room)
    with ann.client.session_transaction(base_url=PUBLIC) as session:
        known = dict(session)
    with ann.client.session_transaction(base_url=f"http://{ELSEWHERE}") as session:
        session.update(known)
    links = copied_links(ask(ann, match, "offer"))
    assert any(link.startswith(f"{PUBLIC}/join/{match}/") for link in links)
    assert all(link.startswith(PUBLIC) for link in links), links


def test_the_code_for_another_device_has_the_public_address(public_app: Flask) -> None:
    """The script draws the QR code of a share from the address in the page."""
    world = Audience(public_app, public_app.extensions["crumbtrail"])
    page = visitor_as(world, "owner").open(f"/matches/{world.ids['sealed']}")
    (code,) = [each for each in page.all("div") if "data-code" in each]
    assert code["data-address"] == f"{PUBLIC}/matches/{world.ids['sealed']}"
    assert "location.origin" not in (SERVICE / "web" / "static" / "js" / "seat_luck.js").read_text()


def test_without_a_public_address_links_lead_where_the_visitor_is(app: Flask) -> None:
    """Friends in the same network reach a server without a public address at an address of that network."""
    room = reached_at(app, "192.168.1.5:8000").new_match(seat1="friend")
    assert {link.split("/")[2] for link in copied_links(room)} == {"192.168.1.5:8000"}


@pytest.mark.parametrize(
    ("environment", "address", "in_emails"),
    [
        ({}, None, "http://127.0.0.1:8000"),
        ({"CRUMBTRAIL_LOCAL_URL": "http://127.0.0.1:8123"}, None, "http://127.0.0.1:8123"),
        ({"CRUMBTRAIL_PUBLIC_URL": f"{PUBLIC}/cake/"}, f"{PUBLIC}/cake", f"{PUBLIC}/cake"),
        ({"CRUMBTRAIL_PUBLIC_URL": PUBLIC, "CRUMBTRAIL_LOCAL_URL": "http://127.0.0.1:8123"}, PUBLIC, PUBLIC),
    ],
    ids=["nothing set", "crumbtrail up", "public", "crumbtrail up with a public address"],
)
def test_the_address_of_links_and_emails(environment: dict[str, str], address: str | None, in_emails: str) -> None:
    settings = from_environment(environment)
    assert (settings.link_address, settings.public_url) == (address, in_emails)


def test_no_answer_repeats_the_host_of_the_request(public_app: Flask) -> None:
    """Every page and every endpoint of the API, as the creator of the matches, with an untrusted `Host` header."""
    world = Audience(public_app, public_app.extensions["crumbtrail"])
    reader, person = reached_at(public_app, ELSEWHERE), world.callers["owner"]
    with reader.client.session_transaction(base_url=f"http://{ELSEWHERE}") as session:
        session["player"], session["secret"] = person.id, world.services.accounts.sessions.begin(person.id or "")
    token = reader.open("/name").form("/name").fields["csrf_token"]
    known = {**world.ids, "code": "x", "token": "0" * 12}
    seen = 0
    for each in PAGE_REQUESTS:
        data = {"csrf_token": token, **(each.body or {})} if each.method == "POST" else None
        answer = reader.client.open(
            each.path.format(**known), method=each.method, data=data, base_url=f"http://{ELSEWHERE}"
        )
        seen += answer.status_code < 400
        body = b"" if each.path.endswith("/live") else answer.get_data()
        assert ELSEWHERE.encode() not in body + str(answer.headers).encode(), each.path
    for each in API_REQUESTS:
        if "/stream" not in each.path:
            headers = {"Content-Type": "application/json", "Host": ELSEWHERE}
            sent = person.send(each.method, each.path.format(**world.ids), b"{}", headers)
            seen += sent.status_code < 400
            assert ELSEWHERE.encode() not in sent.get_data() + str(sent.headers).encode(), each.path
    assert seen > 40, "too few requests succeeded to show anything"


def test_absolute_links_are_made_in_one_place() -> None:
    """Nothing else asks Flask for an absolute URL or reads the address of the request."""
    words = re.compile(r"_external|request\.(host|host_url|url|url_root|base_url|root_url)\b|HTTP_HOST|SERVER_NAME")
    files = [*SERVICE.rglob("*.py"), *SERVICE.rglob("*.html")]
    found = {str(file.relative_to(SERVICE)) for file in files if words.search(file.read_text())}
    assert found == {"web/public_links.py"}

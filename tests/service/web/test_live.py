"""The event stream that keeps an open match page up to date."""

from threading import Thread

import pytest
from flask import Flask

from service.bootstrap import Services
from service.web.pages.live import ply_stream
from tests.service.web.visitors import Visitor, two_player_match


def test_the_stream_sends_each_new_ply_and_the_end(app: Flask, services: Services) -> None:
    match, ann, bob = two_player_match(app, seed="c0ffee")
    ply = services.matches.repository.load(match).ply
    stream = ply_stream(services, match, ply)
    assert next(stream).startswith("retry:")

    def play() -> None:
        ann.send(ann.open(f"/matches/{match}").form("/moves"), A="4")

    mover = Thread(target=play)
    mover.start()
    assert next(stream) == f"id: {ply + 1}\nevent: ply\ndata: {ply + 1}\n\n"
    mover.join()
    bob.send(bob.open(f"/matches/{match}").form("/moves"), do="resign")
    assert next(stream) == f"id: {ply + 4}\nevent: ply\ndata: {ply + 4}\n\n"
    assert next(stream).startswith("event: over")
    assert list(stream) == []


@pytest.mark.parametrize(("headers", "query"), [({"Last-Event-ID": "4"}, ""), ({}, "?after=4")])
def test_a_reconnecting_reader_resumes_where_it_left_off(app: Flask, headers: dict[str, str], query: str) -> None:
    match, ann, bob = two_player_match(app)
    bob.send(bob.open(f"/matches/{match}").form("/moves"), do="resign")
    answer = ann.client.get(f"/matches/{match}/live{query}", headers=headers)
    assert answer.mimetype == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.get_data(as_text=True).count("event: ply") == 1
    none = ann.client.get(f"/matches/{match}/live?after=7")
    assert "event: ply" not in none.get_data(as_text=True)


def test_the_stream_reveals_only_the_ply(app: Flask) -> None:
    match, _, bob = two_player_match(app)
    bob.send(bob.open(f"/matches/{match}").form("/moves"), do="resign")
    stream = Visitor(app).client.get(f"/matches/{match}/live").get_data(as_text=True)
    assert stream == ("retry: 2000\n\nid: 7\nevent: ply\ndata: 7\n\nevent: over\ndata: the match is over\n\n")

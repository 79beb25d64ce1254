"""Interrupted erasures: a retry completes them, and nothing acts for an erased player."""

from typing import NamedTuple

import msgspec
from flask import Flask

from domain.match.commands import SeatSpec
from service.bootstrap import Services
from service.matches.standing_orders import change_orders, make_order, with_moves
from service.web.pages.account import ERASE_WORD
from tests.service.event_store.proxy import Proxy
from tests.service.web.test_account import call_api, dump_redis, make_token
from tests.service.web.visitors import Form, Visitor

ADDRESS = "annabel@example.org"
MOST_WRITES = 100


class Annabel(NamedTuple):
    """A player with data of every kind: sessions, token, address, standing orders, queued emails and preferences."""

    id: str
    browser: Visitor
    phone: Visitor
    token: str
    match: str
    ply: int
    form: Form


def annabel(app: Flask, services: Services) -> Annabel:
    me = services.accounts.players.create("Annabel").id
    browser, phone = Visitor(app), Visitor(app)
    for each in (browser, phone):
        each.sign_in(services, me)
    token = make_token(browser, "play")
    contacts = services.notifications.preferences
    contacts.set_address(me, ADDRESS)
    contacts.set_webhook(me, "https://hooks.example.org/annabel")
    contacts.add_to_digest(me, ["x"])
    contacts.record_outcome(me, "mail", "Sent.", well=True)
    for address, asking in ((ADDRESS, None), ("annabel@example.net", me)):
        services.accounts.magic_links.send(address, asking)
    match = services.matches.creation.create(
        me, "tic_tac_toe", [SeatSpec("human", player=p) for p in (me, "p_b")], {}
    ).match
    order = make_order(match, msgspec.to_builtins(next(iter(match.rules.legal_moves(match.state, 0)))))
    change_orders(services.matches.standing_orders, match, 0, me, None, lambda orders: with_moves(orders, [order]))
    form = browser.open("/account").form("/erase")
    return Annabel(me, browser, phone, token, match.id, match.ply, form)


def test_an_interrupted_erasure_completes_on_retry(app: Flask, far: Flask, proxy: Proxy, services: Services) -> None:
    """If the log fails at any write of an erasure, no move is made for the player, and a retry erases the rest."""
    statuses: list[int] = []
    while len(statuses) < MOST_WRITES and 303 not in statuses:
        services.runtime.redis.flushall()
        services.runtime.redis.set("ct:secret", services.runtime.secret)
        her = annabel(far, services)
        proxy.writes_left = len(statuses)
        statuses.append(her.browser.post(her.form, word=ERASE_WORD).status_code)
        proxy.writes_left = None
        if services.accounts.players.find(her.id) is None:
            services.matches.order_executor.execute(her.match, her.ply)
            assert services.matches.repository.load(her.match).ply == her.ply
            assert call_api(app, her.token, "GET", "/me") == 401
            assert services.notifications.preferences.address_owner(ADDRESS) is None
        if statuses[-1] == 503:
            assert her.browser.post(her.form, word=ERASE_WORD).status_code == 303
        assert not [key for key in services.runtime.redis.keys("ct:*") if her.id.encode() in key]
        assert "annabel" not in dump_redis(services).lower()
        assert services.matches.standing_orders.load(her.match).seats_of(her.id) == []
        assert "You play as" not in her.phone.open("/account").text
    assert statuses == [503] * (len(statuses) - 1) + [303]
    assert len(statuses) > 10

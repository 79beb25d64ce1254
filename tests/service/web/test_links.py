"""Signing in by a link while the log goes away, or the player."""

from typing import Any

import pytest
from flask import Flask

from service.bootstrap import Services
from tests.service.event_store.proxy import Proxy
from tests.service.web.visitors import Visitor

ADDRESS = "ann@example.org"
MOST_WRITES = 20


def link_for(services: Services, player: str | None) -> str:
    """The path of a link that was sent."""
    services.accounts.magic_links.send(ADDRESS, player)
    (letter,) = services.notifications.one_off_tasks.due(services.runtime.clock.now())
    services.notifications.one_off_tasks.complete(letter.id)
    return f"/sign-in/{services.accounts.magic_links.token_of(letter.id)}"


@pytest.mark.parametrize("known", [False, True])
def test_a_link_whose_use_breaks_off_anywhere_is_used_by_sending_it_again(
    app: Flask, far: Flask, proxy: Proxy, services: Services, known: bool
) -> None:
    """Given a log that goes away at the n-th write of signing in, for every n, then the same browser signs in by
    sending its form again, and no other does."""
    statuses: list[int] = []
    while len(statuses) < MOST_WRITES and 303 not in statuses:
        services.runtime.redis.flushall()
        services.runtime.redis.set("ct:secret", services.runtime.secret)
        ann = services.accounts.players.create("Ann").id if known else None
        if ann:
            services.notifications.preferences.set_address(ann, ADDRESS)
        path = link_for(services, None)
        browser, other = Visitor(far), Visitor(app)
        form, others = browser.open(path).form(path), other.open(path).form(path)
        proxy.writes_left = len(statuses)
        answer = browser.post(form)
        statuses.append(answer.status_code)
        proxy.writes_left = None
        if answer.status_code == 503:
            if len(statuses) > 1:
                assert other.post(others).status_code == 410
            assert browser.post(form).status_code == 303
        assert other.post(others).status_code == 410
        assert browser.open(path).status == 410
        owner = services.notifications.preferences.address_owner(ADDRESS)
        assert ann in (None, owner)
        assert "You play as" in browser.open("/account").text
    assert statuses == [503] * (len(statuses) - 1) + [303]
    assert len(statuses) > 3


def test_who_is_erased_while_somebody_signs_in_keeps_no_address(
    app: Flask, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Given a guest who follows a link in one browser and is erased in another between two steps of that, then the
    address stays with nobody, and a new link signs in somebody new."""
    ann = services.accounts.players.create("Ann").id
    browser = Visitor(app)
    browser.sign_in(services, ann)
    path = link_for(services, ann)
    form = browser.open(path).form(path)
    confirm = services.notifications.preferences.set_address

    def erased_first(*given: Any) -> None:
        services.accounts.eraser.erase(ann)
        confirm(*given)

    monkeypatch.setattr(services.notifications.preferences, "set_address", erased_first)
    assert browser.post(form).status_code == 410
    monkeypatch.undo()
    assert services.notifications.preferences.address_owner(ADDRESS) is None
    assert [key for key in services.runtime.redis.keys("ct:*") if ann.encode() in key] == []
    path = link_for(services, None)
    somebody = Visitor(app)
    assert somebody.post(somebody.open(path).form(path)).status_code == 303
    assert services.notifications.preferences.address_owner(ADDRESS) not in (None, ann)

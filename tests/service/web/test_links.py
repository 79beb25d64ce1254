"""Magic-link sign-in when the log fails or the player is erased halfway through."""

from typing import Any

import pytest
from flask import Flask

from service.bootstrap import Services
from tests.service.event_store.proxy import Proxy
from tests.service.web.visitors import Visitor

ADDRESS = "ann@example.org"
MOST_WRITES = 20


def link_for(services: Services, player: str | None) -> str:
    """Send a magic link and return its path."""
    services.accounts.magic_links.send(ADDRESS, player)
    (letter,) = services.notifications.one_off_tasks.due(services.runtime.clock.now())
    services.notifications.one_off_tasks.complete(letter.id)
    return f"/sign-in/{services.accounts.magic_links.token_of(letter.id)}"


@pytest.mark.parametrize("known", [False, True])
def test_an_interrupted_sign_in_completes_on_retry(
    app: Flask, far: Flask, proxy: Proxy, services: Services, known: bool
) -> None:
    """If the log fails at any write of a sign-in, the same browser can retry the form, and no other browser can."""
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


def test_a_player_erased_during_sign_in_keeps_no_address(
    app: Flask, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A guest is erased in another browser while signing in. The address has no owner, and a new link signs in a new
    player."""
    ann = services.accounts.players.create("Ann").id
    browser = Visitor(app)
    browser.sign_in(services, ann)
    path = link_for(services, ann)
    form = browser.open(path).form(path)
    confirm = services.notifications.preferences.set_address

    def erase_first(*given: Any) -> None:
        services.accounts.eraser.erase(ann)
        confirm(*given)

    monkeypatch.setattr(services.notifications.preferences, "set_address", erase_first)
    assert browser.post(form).status_code == 410
    monkeypatch.undo()
    assert services.notifications.preferences.address_owner(ADDRESS) is None
    assert [key for key in services.runtime.redis.keys("ct:*") if ann.encode() in key] == []
    path = link_for(services, None)
    newcomer = Visitor(app)
    assert newcomer.post(newcomer.open(path).form(path)).status_code == 303
    assert services.notifications.preferences.address_owner(ADDRESS) not in (None, ann)

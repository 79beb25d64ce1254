"""Being told, in real browsers: an address is confirmed by mail, a turn comes by mail, and one click ends it."""

import os
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import WAIT_MILLISECONDS, running_service
from tests.browser.tables import PHONE, check_page
from tests.waiting import wait_until
from tests.workers.receivers import HookServer, MailServer, mail_text

ANN = "ann@example.org"


@pytest.fixture(scope="module")
def mail_server() -> Iterator[MailServer]:
    with MailServer() as server:
        yield server


@pytest.fixture(scope="module")
def telling_site(mail_server: MailServer) -> Iterator[str]:
    """The address of a whole service that sends mail, and calls webhooks on this machine."""
    with running_service(CRUMBTRAIL_SMTP_URL=mail_server.url, CRUMBTRAIL_WEBHOOK_LOOPBACK="1") as found:
        yield found


def new_browser_page(browser: Browser, site: str, **settings: object) -> Page:
    """One more person's browser; without JavaScript, unless said otherwise."""
    context = browser.new_context(base_url=site, **{"java_script_enabled": False, **settings})  # type: ignore[arg-type]
    context.set_default_timeout(WAIT_MILLISECONDS)
    return context.new_page()


def follow_mail_link(page: Page, mail_server: MailServer, site: str, count: int) -> None:
    """Open the link in the newest mail and press its button."""
    wait_until(lambda: len(mail_server.mails) == count, 60)
    link = re.search(rf"{site}/sign-in/\S+", mail_text(mail_server.mails[-1]))
    assert link
    page.goto(link[0])
    page.get_by_role("button", name="Sign in").click()


def test_from_a_guest_to_a_mail_for_each_turn_and_back(
    browser: Browser, telling_site: str, mail_server: MailServer
) -> None:
    ann, bob = new_browser_page(browser, telling_site), new_browser_page(browser, telling_site)
    ann.goto("/name")
    ann.get_by_label("Name").fill("Annabel")
    ann.get_by_role("button", name="Save").click()
    # an address
    ann.goto("/account")
    ann.get_by_role("link", name="Be told when it is your turn").click()
    ann.get_by_label("E-mail address").fill(ANN)
    ann.get_by_role("button", name="Send a link to confirm it").click()
    expect(ann.get_by_role("status")).to_contain_text("on its way")
    follow_mail_link(ann, mail_server, telling_site, 1)
    expect(ann.locator("main")).to_contain_text(f"Mail goes to {ANN}")
    ann.get_by_label("A turn is told when it has waited for").select_option("0")
    ann.get_by_label("Your time zone").fill("Europe/Berlin")
    ann.get_by_role("button", name="Save", exact=True).first.click()
    expect(ann.get_by_role("status")).to_contain_text("Saved")
    # a turn
    ann.goto("/new/tic_tac_toe")
    ann.locator("input[name=seat0][value=friend]").check()
    ann.locator("input[name=seat1][value=me]").check()
    ann.get_by_role("button", name="Start the match").click()
    bob.goto(ann.locator("#link0").input_value())
    bob.get_by_role("button", name="Sit down").click()
    bob.locator("#move input[name=move]").first.check()
    bob.locator("#send").click()
    wait_until(lambda: len(mail_server.mails) == 2, 60)
    assert mail_server.mails[1]["Subject"].startswith("Your turn: Tic-tac-toe against ")
    # the same person on the phone, by a link
    phone = new_browser_page(browser, telling_site, **PHONE)
    phone.goto("/sign-in")
    phone.get_by_label("Your e-mail address").fill(ANN)
    phone.get_by_role("button", name="Send me a link").click()
    expect(phone.get_by_role("status")).to_contain_text("Look into your mail")
    follow_mail_link(phone, mail_server, telling_site, 3)
    expect(phone.locator(".me")).to_contain_text("Annabel")
    phone.goto("/")
    expect(phone.locator("#waiting")).to_be_visible()
    # no more mail
    stranger = new_browser_page(browser, telling_site)
    stranger.goto(mail_server.mails[1]["List-Unsubscribe"].strip("<>"))
    stranger.get_by_role("button", name="No more mail").click()
    expect(stranger.get_by_role("heading", level=1)).to_have_text("You get no more mail")
    ann.goto("/account/notifications")
    expect(ann.get_by_label("No mail", exact=True)).to_be_checked()


def test_a_webhook_is_set_tried_and_ended(browser: Browser, telling_site: str) -> None:
    with HookServer() as webhook_server:
        ann = new_browser_page(browser, telling_site)
        ann.goto("/account/notifications")
        ann.get_by_label("Address (https").fill(webhook_server.url)
        ann.get_by_role("button", name="Save", exact=True).last.click()
        expect(ann.locator("#secret")).to_have_value(re.compile(r"whsec_.{44}"))
        ann.goto("/account/notifications")
        expect(ann.locator("#secret")).to_have_count(0)
        ann.get_by_role("button", name="Send a test").click()
        wait_until(lambda: webhook_server.calls, 60)
        wait_until(lambda: ann.reload() and "It answered 204." in ann.locator("main").inner_text(), 60)
        ann.get_by_role("button", name="No more webhook").click()
        expect(ann.get_by_role("button", name="Send a test")).to_have_count(0)


@pytest.mark.parametrize("phone", [False, True])
def test_the_pages_are_readable_as_they_stand(
    browser: Browser, telling_site: str, mail_server: MailServer, phone: bool
) -> None:
    page = new_browser_page(browser, telling_site, java_script_enabled=True, **(PHONE if phone else {}))
    for path in ("/sign-in", "/account", "/account/notifications", "/sign-in/wrong"):
        page.goto(path)
        check_page(page, path, phone=phone)
    count = len(mail_server.mails)
    page.goto("/account/notifications")
    page.get_by_label("E-mail address").fill(f"ann{count}@example.org")
    page.get_by_role("button", name="Send a link to confirm it").click()
    wait_until(lambda: len(mail_server.mails) == count + 1, 60)
    link = re.search(rf"{telling_site}/sign-in/\S+", mail_text(mail_server.mails[-1]))
    assert link
    page.goto(link[0])
    check_page(page, "a link to sign in", phone=phone)
    other = new_browser_page(browser, telling_site, java_script_enabled=True, **(PHONE if phone else {}))
    other.goto(link[0])
    expect(other.get_by_role("button", name="It was not me")).to_be_visible()
    check_page(other, "a link that somebody else asked for", phone=phone)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("No mail", exact=True)).to_be_visible()
    check_page(page, "who is told by mail", phone=phone)
    assert page.get_by_label("Your time zone").input_value() != ""
    if folder := os.environ.get("CRUMBTRAIL_SHOTS"):
        other.screenshot(path=f"{folder}/whose-link-{'phone' if phone else 'wide'}.png", full_page=True)
        page.screenshot(path=f"{folder}/notifications-{'phone' if phone else 'wide'}.png", full_page=True)
        page.goto("/sign-in")
        page.screenshot(path=f"{folder}/sign-in-{'phone' if phone else 'wide'}.png", full_page=True)

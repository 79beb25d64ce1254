"""Notifications in real browsers: confirming an address, an email about a turn, unsubscribing, and webhooks."""

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
def mail_site(mail_server: MailServer) -> Iterator[str]:
    """Return the address of a whole service that sends email and calls webhooks on this machine."""
    with running_service(CRUMBTRAIL_SMTP_URL=mail_server.url, CRUMBTRAIL_WEBHOOK_LOOPBACK="1") as found:
        yield found


def new_browser_page(browser: Browser, site: str, **settings: object) -> Page:
    """Return a page in another person's browser, without JavaScript by default."""
    context = browser.new_context(base_url=site, **{"java_script_enabled": False, **settings})  # type: ignore[arg-type]
    context.set_default_timeout(WAIT_MILLISECONDS)
    return context.new_page()


def follow_mail_link(page: Page, mail_server: MailServer, site: str, count: int) -> None:
    """Open the link in the newest email and press the button on its page."""
    wait_until(lambda: len(mail_server.mails) == count, 60)
    link = re.search(rf"{site}/sign-in/\S+", mail_text(mail_server.mails[-1]))
    assert link
    page.goto(link[0])
    page.get_by_role("button", name="Sign in").click()


def test_a_guest_gets_emails_about_turns_and_unsubscribes(
    browser: Browser, mail_site: str, mail_server: MailServer
) -> None:
    ann, bob = new_browser_page(browser, mail_site), new_browser_page(browser, mail_site)
    ann.goto("/name")
    ann.get_by_label("Name").fill("Annabel")
    ann.get_by_role("button", name="Save").click()
    # confirm an address
    ann.goto("/account")
    ann.get_by_role("link", name="Set up notifications").click()
    ann.get_by_label("Email address").fill(ANN)
    ann.get_by_role("button", name="Send confirmation link").click()
    expect(ann.get_by_role("status")).to_contain_text("sending you an email")
    follow_mail_link(ann, mail_server, mail_site, 1)
    expect(ann.locator("main")).to_contain_text(f"We send email to {ANN}")
    ann.get_by_label("Email me about a turn").select_option("0")
    ann.get_by_label("Your time zone").fill("Europe/Berlin")
    ann.get_by_role("button", name="Save", exact=True).first.click()
    expect(ann.get_by_role("status")).to_contain_text("Saved")
    # get an email about a turn
    ann.goto("/new/tic_tac_toe")
    ann.locator("input[name=seat0][value=friend]").check()
    ann.locator("input[name=seat1][value=me]").check()
    ann.get_by_role("button", name="Start the match").click()
    bob.goto(ann.locator("#link0").input_value())
    bob.get_by_role("button", name="Join").click()
    bob.locator("#move input[name=move]").first.check()
    bob.locator("#send").click()
    wait_until(lambda: len(mail_server.mails) == 2, 60)
    assert mail_server.mails[1]["Subject"].startswith("Your turn: Tic-tac-toe against ")
    # sign in as the same person on a phone, with a magic link
    phone = new_browser_page(browser, mail_site, **PHONE)
    phone.goto("/sign-in")
    phone.get_by_label("Your email address").fill(ANN)
    phone.get_by_role("button", name="Send sign-in link").click()
    expect(phone.get_by_role("status")).to_contain_text("Check your email")
    follow_mail_link(phone, mail_server, mail_site, 3)
    expect(phone.locator(".me")).to_contain_text("Annabel")
    phone.goto("/")
    expect(phone.locator("#waiting")).to_be_visible()
    # unsubscribe
    stranger = new_browser_page(browser, mail_site)
    stranger.goto(mail_server.mails[1]["List-Unsubscribe"].strip("<>"))
    stranger.get_by_role("button", name="Unsubscribe").click()
    expect(stranger.get_by_role("heading", level=1)).to_have_text("You're unsubscribed")
    ann.goto("/account/notifications")
    expect(ann.get_by_label("No email", exact=True)).to_be_checked()


def test_a_webhook_is_saved_tested_and_removed(browser: Browser, mail_site: str) -> None:
    with HookServer() as webhook_server:
        ann = new_browser_page(browser, mail_site)
        ann.goto("/account/notifications")
        ann.get_by_label("URL (https").fill(webhook_server.url)
        ann.get_by_role("button", name="Save", exact=True).last.click()
        expect(ann.locator("#secret")).to_have_value(re.compile(r"whsec_.{44}"))
        ann.goto("/account/notifications")
        expect(ann.locator("#secret")).to_have_count(0)
        ann.get_by_role("button", name="Send test").click()
        wait_until(lambda: webhook_server.calls, 60)
        wait_until(lambda: ann.reload() and "Your server responded with 204." in ann.locator("main").inner_text(), 60)
        ann.get_by_role("button", name="Remove webhook").click()
        expect(ann.get_by_role("button", name="Send test")).to_have_count(0)


@pytest.mark.parametrize("phone", [False, True])
def test_account_pages_are_readable(browser: Browser, mail_site: str, mail_server: MailServer, phone: bool) -> None:
    page = new_browser_page(browser, mail_site, java_script_enabled=True, **(PHONE if phone else {}))
    for path in ("/sign-in", "/account", "/account/notifications", "/sign-in/wrong"):
        page.goto(path)
        check_page(page, path, phone=phone)
    count = len(mail_server.mails)
    page.goto("/account/notifications")
    page.get_by_label("Email address").fill(f"ann{count}@example.org")
    page.get_by_role("button", name="Send confirmation link").click()
    wait_until(lambda: len(mail_server.mails) == count + 1, 60)
    link = re.search(rf"{mail_site}/sign-in/\S+", mail_text(mail_server.mails[-1]))
    assert link
    page.goto(link[0])
    check_page(page, "a sign-in link", phone=phone)
    other = new_browser_page(browser, mail_site, java_script_enabled=True, **(PHONE if phone else {}))
    other.goto(link[0])
    expect(other.get_by_role("button", name="It wasn't me")).to_be_visible()
    check_page(other, "a link that someone else requested", phone=phone)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_label("No email", exact=True)).to_be_visible()
    check_page(page, "notifications", phone=phone)
    assert page.get_by_label("Your time zone").input_value() != ""
    if folder := os.environ.get("CRUMBTRAIL_SHOTS"):
        other.screenshot(path=f"{folder}/whose-link-{'phone' if phone else 'wide'}.png", full_page=True)
        page.screenshot(path=f"{folder}/notifications-{'phone' if phone else 'wide'}.png", full_page=True)
        page.goto("/sign-in")
        page.screenshot(path=f"{folder}/sign-in-{'phone' if phone else 'wide'}.png", full_page=True)

"""Two people play over three weeks in two browsers: vacation, a takeback, a missed deadline and a rematch.

All processes use one clock, which the test sets, and one of them is killed in every step. Notifications are read where
they arrive: Ann gets emails, Bob has a webhook.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from replays.verify import verify
from tests import plain_http
from tests.browser.conftest import WAIT_MILLISECONDS
from tests.browser.tables import PHONE, open_menu, resign
from tests.reliability.stack import Stack, running_stack
from tests.waiting import wait_until
from tests.workers.receivers import HookServer, MailServer, mail_text

ANN = "ann@example.org"
BEGIN = datetime(2026, 3, 20, 18, tzinfo=UTC)
"""A Friday evening. Daylight saving time begins in Europe during the second week."""
VICTIMS = ("dispatcher", "mail worker", "webhook worker", "bot worker", "deadline worker", "audit worker")
PATIENCE = 90
"""Seconds. If a worker is killed while it delivers, its lease must expire before another one delivers."""


class Calendar:
    """The clock of all processes, stored in a file."""

    def __init__(self, path: Path) -> None:
        self.path, self.now = path, BEGIN
        self.turn(timedelta())

    def turn(self, by: timedelta) -> None:
        self.now += by
        fresh = self.path.with_suffix(".new")
        fresh.write_text(self.now.isoformat(), encoding="ascii")
        fresh.replace(self.path)  # so that no process reads a partial file


class ThreeWeeks:
    """The service, its two players and the notifications they got."""

    def __init__(
        self,
        stack: Stack,
        calendar: Calendar,
        mail_server: MailServer,
        webhook_server: HookServer,
        browser: Browser,
        chance: Random,
    ) -> None:
        self.stack, self.calendar, self.mail_server, self.webhook_server = stack, calendar, mail_server, webhook_server
        self.ann, self.bob = self.person(browser), self.person(browser, **PHONE)
        self.chance = chance

    def person(self, browser: Browser, **settings: Any) -> Page:
        context = browser.new_context(base_url=self.stack.url, reduced_motion="reduce", **settings)
        context.set_default_timeout(WAIT_MILLISECONDS)
        return context.new_page()

    def later(self, **time: float) -> None:
        """Kill a random process, advance the clock and wait until all processes run again."""
        self.stack.kill(self.chance.choice(VICTIMS))
        self.calendar.turn(timedelta(**time))
        wait_until(lambda: all(map(self.stack.pids, VICTIMS)), 60)

    def mails(self) -> list[str]:
        """Return the subjects of Ann's emails about matches, without duplicates."""
        found = {mail["Message-ID"]: mail["Subject"] for mail in self.mail_server.to(ANN)}
        return [subject.partition(":")[0] for subject in found.values() if "sign-in" not in subject]

    def calls(self) -> list[str]:
        """Return the kinds of Bob's webhook calls, without duplicates."""
        found = {call.headers["webhook-id"]: call.json["type"] for call in self.webhook_server.calls}
        return [kind.removeprefix("match.") for kind in found.values() if kind != "test"]

    def check_notifications(self, mails: list[str], calls: list[str]) -> None:
        """Wait until exactly these notifications have arrived in total."""
        wait_until(lambda: len(self.mails()) >= len(mails) and len(self.calls()) >= len(calls), PATIENCE)
        assert (self.mails(), self.calls()) == (mails, calls)


@pytest.fixture
def weeks(browser: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ThreeWeeks]:
    calendar = Calendar(tmp_path / "now")
    with MailServer() as mail_server, HookServer() as webhook_server:
        settings = {
            "CRUMBTRAIL_SMTP_URL": mail_server.url,
            "CRUMBTRAIL_WEBHOOK_LOOPBACK": "1",
            "CRUMBTRAIL_CLOCK_FILE": str(calendar.path),
        }
        with running_stack(tmp_path / "var", tmp_path / "output", **settings) as stack:
            yield ThreeWeeks(stack, calendar, mail_server, webhook_server, browser, Random(request.param))


def enable_emails(weeks: ThreeWeeks) -> None:
    """Confirm an address for Ann and choose immediate emails about turns."""
    ann = weeks.ann
    ann.goto("/name")
    ann.get_by_label("Name").fill("Annabel")
    ann.get_by_role("button", name="Save").click()
    ann.goto("/account/notifications")
    ann.get_by_label("Email address").fill(ANN)
    ann.get_by_role("button", name="Send confirmation link").click()
    wait_until(lambda: len(weeks.mail_server.mails) == 1, PATIENCE)
    link = re.search(r"/sign-in/\S+", mail_text(weeks.mail_server.mails[0]))
    assert link
    ann.goto(link[0])
    ann.get_by_role("button", name="Sign in").click()
    expect(ann.locator("main")).to_contain_text(f"We send email to {ANN}")
    ann.get_by_label("Email me about a turn").select_option("0")
    ann.get_by_role("button", name="Save", exact=True).first.click()
    expect(ann.get_by_role("status")).to_contain_text("Saved")


def set_webhook(weeks: ThreeWeeks) -> None:
    """Set a webhook for Bob."""
    bob = weeks.bob
    bob.goto("/name")
    bob.get_by_label("Name").fill("Bob")
    bob.get_by_role("button", name="Save").click()
    bob.goto("/account/notifications")
    bob.locator("#url").fill(weeks.webhook_server.url)
    bob.get_by_role("button", name="Save", exact=True).last.click()
    expect(bob.locator("#secret")).to_be_visible()


def set_up(ann: Page, bob: Page) -> None:
    """Start a match with 1 day per move and 7 days of vacation, in which a bot moves for a player who times out."""
    ann.goto("/new/tic_tac_toe")
    ann.locator("input[name=seat0][value=me]").check()
    ann.locator("input[name=seat1][value=friend]").check()
    ann.locator("#clock").select_option("1d")
    ann.locator("#vacation").select_option("7")
    ann.locator("input[name=expiry][value=bot_moves]").check()
    ann.get_by_role("button", name="Start the match").click()
    bob.goto(ann.locator("#link1").input_value())
    bob.get_by_role("button", name="Join").click()
    expect(ann.locator("#turn")).to_contain_text("Your turn")


def mark(page: Page, cell: int) -> None:
    """Reload the match page and mark a cell."""
    page.reload()
    expect(page.locator("#turn")).to_contain_text("Your turn")
    page.locator(f"[data-cell='{cell}']").click()
    page.locator("#send").click()
    expect(page.locator("#turn")).not_to_contain_text("Your turn")


def ask(page: Page, button: str) -> None:
    page.reload()
    open_menu(page)
    page.locator("details.asking > summary").click()
    page.get_by_role("button", name=button).click()


@pytest.mark.full
@pytest.mark.timeout(600)
@pytest.mark.parametrize("weeks", ["a", *(pytest.param(seed, marks=pytest.mark.full) for seed in "bcd")], indirect=True)
def test_a_match_over_three_weeks(weeks: ThreeWeeks) -> None:
    ann, bob = weeks.ann, weeks.bob
    enable_emails(weeks)
    set_webhook(weeks)
    # given a match in which Ann makes the first move a day later
    set_up(ann, bob)
    mails, calls = ["Your turn"], list[str]()
    weeks.check_notifications(mails, calls)
    weeks.later(hours=20)
    mark(ann, 4)
    weeks.check_notifications(mails, calls := [*calls, "turn"])
    # when Bob takes a week of vacation, his deadline moves
    weeks.later(hours=5)
    bob.reload()
    open_menu(bob)
    bob.locator("details.asking > summary").click()
    bob.locator("#days").fill("7")
    bob.get_by_role("button", name="Take vacation").click()
    expect(ann.locator(".players-panel")).to_contain_text("on vacation until")
    weeks.later(days=6, hours=23)
    mark(bob, 0)
    weeks.check_notifications(mails := [*mails, "Your turn"], calls)
    # when Ann asks to undo a move, Bob accepts the next day
    weeks.later(hours=10)
    mark(ann, 1)
    weeks.check_notifications(mails, calls := [*calls, "turn"])
    ask(ann, "Undo my last move")
    weeks.check_notifications(mails, calls := [*calls, "asked"])
    weeks.later(hours=12)
    bob.reload()
    bob.get_by_role("button", name="Accept").click()
    weeks.check_notifications(mails := [*mails, "Your turn"], calls)
    # when Ann then misses her deadline, a bot makes this one move for her
    weeks.later(days=1, hours=14)
    weeks.check_notifications(mails := [*mails, "You ran out of time"], calls := [*calls, "turn"])
    bob.reload()
    expect(bob.locator("#turn")).to_contain_text("Your turn")
    expect(bob.locator(".log")).to_contain_text("bot")
    # when Bob resigns the next day, the match is over, and one click by each player starts a rematch
    weeks.later(hours=20)
    resign(bob)
    weeks.check_notifications(mails := [*mails, "The match is over"], calls := [*calls, "over"])
    match = bob.url.rpartition("/")[2]
    weeks.later(days=9)
    ann.reload()
    ann.get_by_role("button", name="Rematch").click()
    ann.locator("#room").wait_for()
    bob.reload()
    bob.get_by_role("button", name="Go to the rematch").click()
    expect(bob.locator("#turn")).to_contain_text("Your turn")
    weeks.check_notifications(mails, [*calls, "turn"])
    # then three weeks have passed, and the log passes every check, including its clocks
    assert weeks.calendar.now - BEGIN > timedelta(days=20)
    report = verify(plain_http.get(f"{weeks.stack.url}/api/v1/matches/{match}/replay", timeout=30).content)
    assert report.ok, report.as_text()

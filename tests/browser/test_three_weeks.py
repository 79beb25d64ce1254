"""Two people play over three weeks, in two browsers: days off, a takeback, a deadline missed, a rematch.

All processes go by one clock that the test sets, and behind every step one of them is killed. What the two are told is
read where it arrives: Ann by mail, Bob by a webhook.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect

from replays.verify import verify
from tests.browser.conftest import WAIT_MILLISECONDS
from tests.browser.tables import PHONE
from tests.reliability.stack import Stack, running_stack
from tests.waiting import wait_until
from tests.workers.receivers import HookServer, MailServer, mail_text

ANN = "ann@example.org"
BEGIN = datetime(2026, 3, 20, 18, tzinfo=UTC)
"""A Friday evening; in the second week the clocks of Europe change."""
VICTIMS = ("dispatcher", "mail worker", "webhook worker", "bot worker", "deadline worker", "audit worker")
PATIENCE = 90
"""A worker that is killed in the middle of telling is waited for before another one tells."""


class Calendar:
    """The clock of all processes."""

    def __init__(self, path: Path) -> None:
        self.path, self.now = path, BEGIN
        self.turn(timedelta())

    def turn(self, by: timedelta) -> None:
        self.now += by
        fresh = self.path.with_suffix(".new")
        fresh.write_text(self.now.isoformat(), encoding="ascii")
        fresh.replace(self.path)  # nobody ever reads half of it


class ThreeWeeks:
    """The service, who plays, and what they were told."""

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
        """Time passes, and somebody is killed."""
        self.stack.kill(self.chance.choice(VICTIMS))
        self.calendar.turn(timedelta(**time))
        wait_until(lambda: all(map(self.stack.pids, VICTIMS)), 60)

    def mails(self) -> list[str]:
        """The subjects of Ann's mails about matches, each once however often it came."""
        found = {mail["Message-ID"]: mail["Subject"] for mail in self.mail_server.to(ANN)}
        return [subject.partition(":")[0] for subject in found.values() if "sign in" not in subject]

    def calls(self) -> list[str]:
        """What Bob's program was told, each once however often it came."""
        found = {call.headers["webhook-id"]: call.json["type"] for call in self.webhook_server.calls}
        return [kind.removeprefix("match.") for kind in found.values() if kind != "test"]

    def told(self, mails: list[str], calls: list[str]) -> None:
        """Wait for just that news since the last time."""
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


def listens_by_mail(weeks: ThreeWeeks) -> None:
    """Ann gives an address, confirms it, and wants to know of every turn at once."""
    ann = weeks.ann
    ann.goto("/name")
    ann.get_by_label("Name").fill("Annabel")
    ann.get_by_role("button", name="Save").click()
    ann.goto("/account/notifications")
    ann.get_by_label("E-mail address").fill(ANN)
    ann.get_by_role("button", name="Send a link to confirm it").click()
    wait_until(lambda: len(weeks.mail_server.mails) == 1, PATIENCE)
    link = re.search(r"/sign-in/\S+", mail_text(weeks.mail_server.mails[0]))
    assert link
    ann.goto(link[0])
    ann.get_by_role("button", name="Sign in").click()
    expect(ann.locator("main")).to_contain_text(f"Mail goes to {ANN}")
    ann.get_by_label("A turn is told when it has waited for").select_option("0")
    ann.get_by_role("button", name="Save", exact=True).first.click()
    expect(ann.get_by_role("status")).to_contain_text("Saved")


def listens_by_webhook(weeks: ThreeWeeks) -> None:
    """Bob's program is told of everything."""
    bob = weeks.bob
    bob.goto("/name")
    bob.get_by_label("Name").fill("Bob")
    bob.get_by_role("button", name="Save").click()
    bob.goto("/account/notifications")
    bob.locator("#url").fill(weeks.webhook_server.url)
    bob.get_by_role("button", name="Save", exact=True).last.click()
    expect(bob.locator("#secret")).to_be_visible()


def set_up(ann: Page, bob: Page) -> None:
    """A match with a day for each move and a week of vacation; a bot makes the move of who misses a deadline."""
    ann.goto("/new/tic_tac_toe")
    ann.locator("input[name=seat0][value=me]").check()
    ann.locator("input[name=seat1][value=friend]").check()
    ann.locator("#clock").select_option("1d")
    ann.locator("#vacation").select_option("7")
    ann.locator("input[name=expiry][value=bot_moves]").check()
    ann.get_by_role("button", name="Start the match").click()
    bob.goto(ann.locator("#link1").input_value())
    bob.get_by_role("button", name="Sit down").click()
    expect(ann.locator("#turn")).to_contain_text("Your turn")


def mark(page: Page, cell: int) -> None:
    """Open the table as after days, and move."""
    page.reload()
    expect(page.locator("#turn")).to_contain_text("Your turn")
    page.locator(f"[data-cell='{cell}']").click()
    page.locator("#send").click()
    expect(page.locator("#turn")).not_to_contain_text("Your turn")


def ask(page: Page, button: str) -> None:
    page.reload()
    page.locator("details.asking > summary").click()
    page.get_by_role("button", name=button).click()


@pytest.mark.timeout(600)
@pytest.mark.parametrize("weeks", ["a", *(pytest.param(seed, marks=pytest.mark.full) for seed in "bcd")], indirect=True)
def test_three_weeks_of_a_match_for_days(weeks: ThreeWeeks) -> None:
    ann, bob = weeks.ann, weeks.bob
    listens_by_mail(weeks)
    listens_by_webhook(weeks)
    # given a match, in which Ann makes the first move the day after
    set_up(ann, bob)
    mails, calls = ["Your turn"], list[str]()
    weeks.told(mails, calls)
    weeks.later(hours=20)
    mark(ann, 4)
    weeks.told(mails, calls := [*calls, "turn"])
    # when Bob takes a week off, his deadline waits for him
    weeks.later(hours=5)
    bob.reload()
    bob.locator("details.asking > summary").click()
    bob.locator("#days").fill("7")
    bob.get_by_role("button", name="Take them").click()
    expect(ann.locator(".players-panel")).to_contain_text("on vacation until")
    weeks.later(days=6, hours=23)
    mark(bob, 0)
    weeks.told(mails := [*mails, "Your turn"], calls)
    # when Ann takes a move back, Bob is asked, and agrees the next day
    weeks.later(hours=10)
    mark(ann, 1)
    weeks.told(mails, calls := [*calls, "turn"])
    ask(ann, "Take my last move back")
    weeks.told(mails, calls := [*calls, "asked"])
    weeks.later(hours=12)
    bob.reload()
    bob.get_by_role("button", name="I agree").click()
    weeks.told(mails := [*mails, "Your turn"], calls)
    # when Ann then misses her deadline, a bot makes this one move for her
    weeks.later(days=1, hours=14)
    weeks.told(mails := [*mails, "Your time was up"], calls := [*calls, "turn"])
    bob.reload()
    expect(bob.locator("#turn")).to_contain_text("Your turn")
    expect(bob.locator(".log")).to_contain_text("bot")
    # when Bob gives up the week after, the match is over, and a rematch is one click for each
    weeks.later(hours=20)
    bob.locator("summary", has_text="Resign").click()
    bob.get_by_role("button", name="Yes, I give up").click()
    weeks.told(mails := [*mails, "The match is over"], calls := [*calls, "over"])
    match = bob.url.rpartition("/")[2]
    weeks.later(days=9)
    ann.reload()
    ann.get_by_role("button", name="Rematch").click()
    ann.locator("#room").wait_for()
    bob.reload()
    bob.get_by_role("button", name="Go to the rematch").click()
    expect(bob.locator("#turn")).to_contain_text("Your turn")
    weeks.told(mails, [*calls, "turn"])
    # then three weeks have passed, and every layer of the log holds, its clocks included
    assert weeks.calendar.now - BEGIN > timedelta(days=20)
    report = verify(httpx.get(f"{weeks.stack.url}/api/v1/matches/{match}/replay", timeout=30).content)
    assert report.ok, report.as_text()

"""The table page in a browser: its size, what its first view needs, and layout shifts.

For each game, a match is in the middle and it is the reader's turn, so the page has board, form, recap and a long log.
The size includes the document, styles and scripts; there are no fonts. The only image file is an icon, which is left
out. All other pictures are drawn into the document, which is measured with and without them.
"""

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec
from playwright.sync_api import Browser, BrowserContext, CDPSession, Page, expect, sync_playwright

from bench.measure import ROUNDS, Row, at_most
from bench.site import Site, site
from domain.kernel.chance import Fast
from domain.kernel.game import Seat
from domain.match.commands import Play, TakeSeat
from domain.match.state import AnyMatch
from service.bootstrap import Services, build_services
from service.matches.results import IdempotencyKey
from service.runtime.settings import Settings
from tests.browser.conftest import ARGUMENTS, chromium
from tests.browser.tables import PHONE

PLIES = {
    "bakers_brawl": 18,
    "battle_of_the_bakeries": 60,
    "mice_cake": 14,
    "pie_contest": 28,
    "take_the_cake": 12,
}
"""The ply up to which a match of each game is played before its page is measured."""
WEIGHED = {"Document", "Stylesheet", "Script", "Font"}
BLOCKING = {"Document", "Stylesheet", "Fetch", "XHR"}
"""Files that a browser may wait for before it paints. Our scripts are modules, which block nothing."""
PARTS_OF_TABLE = ("#board svg", "#turn", "#move button", ".players li", ".log li")
SETTLED_MILLISECONDS = 1200
"""How long to watch for layout shifts after the last change."""
PICTURE = re.compile(r"<svg.*?</svg>", re.DOTALL)
"""Boards and cards are drawn into the document."""
HEAVIEST = 100.0
"""Kilobytes (1,000 bytes)."""
SCREENS: dict[str, dict[str, Any]] = {"1200 px": {"viewport": {"width": 1200, "height": 900}}, "360 px": PHONE}
READER, OTHER = 0, 1
FRIEND = "p_0123456789abcdef"
UPDATE_MILLISECONDS = 15_000

WATCH = """
window.jumps = [];
const words = ({ node, previousRect, currentRect }) =>
  `${node?.outerHTML?.slice(0, 100) ?? node?.textContent} from y ${previousRect.y} to ${currentRect.y}`;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput) window.jumps.push([entry.value, ...entry.sources.map(words)]);
}).observe({ type: "layout-shift", buffered: true });
new MutationObserver((_, observer) => {
  if (!document.querySelector("#live.enhanced")) return;
  window.ready = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, childList: true, attributes: true });
"""
"""Records every part that moves without user input, and when the table starts to listen."""


class Weight(NamedTuple):
    """The bytes of a page, as sent and uncompressed, and the number of requests before it was painted."""

    sent: int
    unpacked: int
    requests: int


def rows() -> Iterator[Row]:
    """Yield the weight, first view, layout shifts and time to interactive of every game's table."""
    if chromium() is None:
        yield Row("the table's page", missing="there is no Chromium on this machine; `make browser` installs one")
        return
    with tempfile.TemporaryDirectory(prefix="ct-bench-") as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        with site(Path(folder) / "site", dispatcher=False) as service:
            services = build_services(Settings(log_url=service.log_url))
            for slug in PLIES:
                yield from of_game(browser, service, services, slug)
        browser.close()


def of_game(browser: Browser, service: Site, services: Services, slug: str) -> Iterator[Row]:
    """Yield the figures of one game."""
    for screen, looks in SCREENS.items():
        with reading(browser, service, **looks) as context:
            match = in_the_middle(context, services, slug)
            if screen == "1200 px":
                yield from weighed(browser, context, service, match, slug)
            page = context.new_page()
            ready = [loaded(page, match) for _ in range(ROUNDS)]
            yield Row(f"{slug}, {screen}: time to interactive", ready, "ms")
            yield Row(f"{slug}, {screen}: layout shift while loading", [jumped(page)], "", at_most(0))
            shows(page, play_until(services, match, 0, OTHER))
            page.evaluate("jumps.length = 0")
            shows(page, step(services, services.matches.repository.load(match), OTHER))
            yield Row(f"{slug}, {screen}: layout shift after another player's move", [jumped(page)], "", at_most(0))


def weighed(browser: Browser, context: BrowserContext, service: Site, match: str, slug: str) -> Iterator[Row]:
    """Yield what is sent at the first visit and later."""
    with reading(browser, service, storage_state=context.storage_state(), **SCREENS["1200 px"]) as fresh:
        cold, warm = weigh(fresh, match), weigh(fresh, match)
        drawn = fresh.request.get(f"/matches/{match}").text()
        lacks = lacking(fresh, match)
    pictures = sum(len(picture.encode()) for picture in PICTURE.findall(drawn))
    yield Row(f"{slug}: document, styles and scripts, as sent", [cold.sent / 1000], "kB")
    yield Row(f"{slug}: the same unpacked", [cold.unpacked / 1000], "kB")
    yield Row(
        f"{slug}: the same unpacked, without pictures", [(cold.unpacked - pictures) / 1000], "kB", at_most(HEAVIEST)
    )
    yield Row(f"{slug}: parts of the table that the document lacks", [lacks], "", at_most(0))
    yield Row(f"{slug}: requests before the first paint, at the first visit", [cold.requests])
    yield Row(f"{slug}: requests before the first paint, later", [warm.requests], "", at_most(1))


@contextmanager
def reading(browser: Browser, service: Site, **looks: Any) -> Iterator[BrowserContext]:
    """Return a browser for one person."""
    context = browser.new_context(base_url=service.url, **looks)
    context.add_init_script(WATCH)
    yield context
    context.close()


# -- the match ----------------------------------------------------------------------------------------------------


def in_the_middle(context: BrowserContext, services: Services, slug: str) -> str:
    """Return a match in which the reader must move after this number of plies. Replace matches that end earlier."""
    while True:
        match = begin(context.new_page(), services, slug)
        if play_until(services, match, PLIES[slug], READER).status == "playing":
            return match


def begin(page: Page, services: Services, slug: str) -> str:
    """Create a match with the reader at seat 0 against another player."""
    page.goto(f"/new/{slug}?seats=2")
    page.locator("input[name=seat1][value=friend]").check()
    page.get_by_role("button", name="Start the match").click()
    page.locator("#live").wait_for()
    match = page.url.rsplit("/", 1)[1]
    services.matches.commands.submit(match, TakeSeat(OTHER, FRIEND), IdempotencyKey(FRIEND, "sit"))
    page.close()
    return match


def play_until(services: Services, match: str, plies: int, seat: Seat) -> AnyMatch:
    """Let both play the game's greedy moves until a seat must move after this number of plies, or until the end."""
    head = services.matches.repository.load(match)
    while head.status == "playing" and (head.ply < plies or seat not in head.to_move):
        head = step(services, head, min(head.to_move))
    return head


def step(services: Services, head: AnyMatch, seat: Seat) -> AnyMatch:
    """Make one move of a seat."""
    game, player = head.rules, str(head.seats[seat].player)
    view = game.view(head.state, seat)
    move = game.greedy(view, seat, game.legal_moves(head.state, seat), Fast(f"{head.ply}"))
    command = Play(seat, msgspec.to_builtins(move))
    return services.matches.commands.submit(head.id, command, IdempotencyKey(player, f"move {head.ply}")).match


# -- the page -----------------------------------------------------------------------------------------------------


def weigh(context: BrowserContext, match: str) -> Weight:
    """Load the page and measure what is sent, without anything that the browser has cached."""
    page = context.new_page()
    line = Line(context.new_cdp_session(page))
    page.goto(f"/matches/{match}")
    page.locator("#live.enhanced").wait_for()
    page.wait_for_timeout(SETTLED_MILLISECONDS)
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime") / 1000
    page.close()
    return Weight(line.weight(line.sent), line.weight(line.unpacked), line.before(painted))


class Line:
    """The bytes sent for one page, as reported by the browser. Cached files don't count."""

    def __init__(self, session: CDPSession) -> None:
        self.sent: dict[str, int] = {}
        self.unpacked: dict[str, int] = defaultdict(int)
        self._kinds: dict[str, str] = {}
        self._began: dict[str, float] = {}
        self._kept: set[str] = set()
        session.on("Network.requestWillBeSent", self._asked)
        session.on("Network.requestServedFromCache", lambda told: self._kept.add(told["requestId"]))
        session.on("Network.responseReceived", self._answered)
        session.on("Network.dataReceived", self._received)
        session.on("Network.loadingFinished", self._finished)
        session.send("Network.enable")

    def weight(self, sizes: Mapping[str, int]) -> int:
        """Return the bytes that count."""
        return sum(
            sizes.get(each, 0) for each, kind in self._kinds.items() if kind in WEIGHED and each not in self._kept
        )

    def before(self, seconds: float) -> int:
        """Return the number of requests in the first seconds that the browser waits for."""
        first = min(self._began.values())
        asked = (each for each, kind in self._kinds.items() if kind in BLOCKING and each not in self._kept)
        return sum(self._began[each] - first < seconds for each in asked)

    def _asked(self, told: dict[str, Any]) -> None:
        self._kinds[told["requestId"]], self._began[told["requestId"]] = told["type"], told["timestamp"]

    def _answered(self, told: dict[str, Any]) -> None:
        if told["response"].get("fromDiskCache"):
            self._kept.add(told["requestId"])

    def _received(self, told: dict[str, Any]) -> None:
        self.unpacked[told["requestId"]] += told["dataLength"]

    def _finished(self, told: dict[str, Any]) -> None:
        self.sent[told["requestId"]] = told["encodedDataLength"]


def lacking(context: BrowserContext, match: str) -> int:
    """Return the number of parts of the table that are missing before anything but the document has arrived."""
    page = context.new_page()
    page.route("**/*", lambda route: route.continue_() if route.request.resource_type == "document" else route.abort())
    page.goto(f"/matches/{match}", wait_until="domcontentloaded")
    found = sum(not page.locator(part).first.is_visible() for part in PARTS_OF_TABLE)
    page.close()
    return found


def loaded(page: Page, match: str) -> float:
    """Load the page and return the milliseconds until the table listens."""
    page.goto(f"/matches/{match}")
    page.locator("#live.enhanced").wait_for()
    page.wait_for_timeout(SETTLED_MILLISECONDS)
    found: float = page.evaluate("ready")
    return found


def shows(page: Page, head: AnyMatch) -> None:
    """Wait until the page shows the match in this state and has stopped changing."""
    expect(page.locator(f"#live[data-ply='{head.ply}'].enhanced")).to_be_attached(timeout=UPDATE_MILLISECONDS)
    page.wait_for_timeout(SETTLED_MILLISECONDS)


def jumped(page: Page) -> float:
    """Return the sum of all layout shifts without a user action."""
    jumps = page.evaluate("jumps")
    for value, *parts in jumps:
        click.echo(f"  moved by {value:.4f}: {parts}", err=True)
    return float(sum(value for value, *_ in jumps))

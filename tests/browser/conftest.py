"""Fixtures for a real browser and the whole service as run by `crumbtrail up`: log server, web, dispatcher, workers."""

import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

SCREENSHOTS = Path(__file__).with_name("screenshots")
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
WAIT_MILLISECONDS = 60_000
"""How long an action or an expectation waits for the page. Only a failing test waits as long as this."""
START_SECONDS = 180.0
STOP_SECONDS = 120.0
ADDRESS = re.compile(r"is running at (http://\S+)")

expect.set_options(timeout=WAIT_MILLISECONDS)

_failed = pytest.StashKey[bool]()


def chromium() -> str | None:
    """Return the path of the browser on this machine, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if chromium() is None:
                item.add_marker(pytest.mark.skip(reason="NO CHROMIUM: `make browser` installs one"))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if chromium() is None:
        terminalreporter.section("THE BROWSER TESTS WERE SKIPPED", sep="!", red=True)
        terminalreporter.line("There is no Chromium on this machine, so no page was tested in a browser.")
        terminalreporter.line("Run `make browser`, or set CHROMIUM to the path of a browser.")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report = yield
    item.stash[_failed] = item.stash.get(_failed, False) or report.failed
    return report


@contextmanager
def running_service(**settings: str) -> Iterator[str]:
    """Run a whole service in a new folder with only these settings, and yield its address."""
    folder = Path(tempfile.mkdtemp(prefix="ct-", dir="/tmp"))
    command = [str(Path(sys.executable).with_name("crumbtrail")), "up", "--port", "0", "--data", str(folder)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CRUMBTRAIL_")} | settings
    environment.setdefault("CRUMBTRAIL_LIMITS", "off")  # all visitors come from one address
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    output: queue.Queue[str] = queue.Queue()
    assert process.stdout
    threading.Thread(target=collect_output, args=(process.stdout, output), daemon=True).start()
    try:
        yield service_address(process, output)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        finally:
            process.kill()
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Return the address of a whole service in a new folder."""
    with running_service() as found:
        yield found


def collect_output(lines: IO[str], output: "queue.Queue[str]") -> None:
    """Read everything the service prints, so that it never blocks on a full pipe."""
    for line in lines:
        output.put(line)


def service_address(process: "subprocess.Popen[str]", output: "queue.Queue[str]") -> str:
    """Return the address that the service prints when it has started."""
    lines = []
    while True:
        try:
            lines.append(output.get(timeout=START_SECONDS))
        except queue.Empty:
            pytest.fail("the service did not start:\n" + "".join(lines))
        if found := ADDRESS.search(lines[-1]):
            return found[1]
        if process.poll() is not None and output.empty():
            pytest.fail("the service ended:\n" + "".join(lines))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield launched
        launched.close()


OpenBrowser = Callable[..., Page]


@pytest.fixture
def visitor(browser: Browser, site: str, request: pytest.FixtureRequest) -> Iterator[OpenBrowser]:
    """Return a function that opens a browser for another person. Motion is reduced by default.

    Errors in the console fail the test.
    """
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_browser(**settings: Any) -> Page:
        given = {"viewport": {"width": 1200, "height": 900}, "reduced_motion": "reduce", "base_url": site, **settings}
        context = browser.new_context(**given)
        context.set_default_timeout(WAIT_MILLISECONDS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("console", lambda message: record_complaint(complaints, message.type, message.text))
        return page

    yield open_browser
    if request.node.stash.get(_failed, False):
        keep_screenshots(request.node.name, contexts)
    for context in contexts:
        context.close()
    assert complaints == []


def record_complaint(complaints: list[str], kind: str, text: str) -> None:
    """Record an error or a policy violation. Refused requests (4xx) and lost connections are expected."""
    expected = ("the server responded with a status of 4", "net::ERR_INTERNET_DISCONNECTED")
    if kind == "error" and not any(each in text for each in expected):
        complaints.append(f"console: {text}")


def keep_screenshots(test: str, contexts: list[BrowserContext]) -> None:
    """Save a screenshot of every open page."""
    SCREENSHOTS.mkdir(exist_ok=True)
    name = re.sub(r"\W+", "-", test)
    for number, context in enumerate(contexts):
        for page in context.pages:
            page.screenshot(path=SCREENSHOTS / f"{name}-{number}.png", full_page=True)


@pytest.fixture
def page(visitor: OpenBrowser) -> Page:
    """Return a page in one person's browser."""
    return visitor()

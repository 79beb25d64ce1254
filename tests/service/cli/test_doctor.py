"""The doctor: each test causes a fault, and the doctor must report it with advice."""

import os
import shutil
import threading
import time
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from click.testing import CliRunner
from redis import Redis

from service.bootstrap import build_services
from service.cli.main import main
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import HEARTBEAT_KEY, LOG_FORMAT_KEY, log_key
from service.event_store.log_format import LOG_FORMAT
from service.runtime.heartbeat import DispatcherHeartbeat, QueueState
from service.runtime.invalid_setting import InvalidSetting
from service.runtime.settings import PARSERS, Settings, from_environment, unknown_variables
from service.wsgi import create_app
from tests.service.api.builders import started_match

SECRET = "hunter2"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset all settings."""
    for name in [name for name in os.environ if name.startswith("CRUMBTRAIL_")]:
        monkeypatch.delenv(name)


def examine_with(**settings: str) -> dict[str, tuple[bool, str]]:
    """Run the doctor. Return, by the name of each check, whether it passed and its text."""
    environment = {f"CRUMBTRAIL_{name}": value for name, value in settings.items()}
    result = CliRunner().invoke(main, ["doctor"], env=environment)
    assert SECRET not in result.output
    assert "Traceback" not in result.output
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    found: dict[str, tuple[bool, str]] = {}
    check = ""
    for line in result.output.splitlines():
        if line.startswith("      "):
            found[check] = (found[check][0], f"{found[check][1]} {line.strip()}")
        else:
            check, _, text = line[6:].partition(": ")
            found[check] = (line.startswith("ok"), text)
    assert result.exit_code == (0 if all(well for well, _ in found.values()) else 1)
    return found


def assert_fault(check: str, *phrases: str, also: tuple[str, ...] = (), **settings: str) -> None:
    """Assert that the doctor reports this fault, with these phrases, and no others except those in `also`."""
    found = examine_with(**settings)
    faults = {name: text for name, (well, text) in found.items() if not well}
    assert set(faults) == {check, *also}, faults
    for word in phrases:
        assert word in faults[check], faults[check]


# -- settings -----------------------------------------------------------------------------------------------------

WRONG = {
    "LOG_URL": (f"mysql://me:{SECRET}@host/db", "redis://"),
    "QUEUE_URL": (f"cluster+redis://me:{SECRET}@host:1", "RQ does not support"),
    "SEED_URL": (f"redis://me:{SECRET}@host:port", "percent-encode @"),
    "REPLICAS": ("two", "whole number from 0 to 9"),
    "LOG_SERVERS": ("1", "whole number from 2 to 10"),
    "ALLOW_FAST": ("yes", "1 (on) or 0 (off)"),
    "SECURE_COOKIES": ("true", "1 (on) or 0 (off)"),
    "LIMITS": ("many", "`off`, or NAME=NUMBER"),
    "PROXIES": ("-1", "whole number from 0 to 9"),
    "METRICS_TO": ("10.0.0.1/8", "10.0.0.0/8 fd00::/8"),
    "CLOCK_FILE": ("/nowhere/clock", "must be a file that contains the time"),
    "SMTP_URL": (f"http://me:{SECRET}@host", "smtp://user:password@host:587"),
    "MAIL_FROM": ("cake", "cake@example.org"),
    "PUBLIC_URL": ("cake.example", "https://cake.example"),
    "LOCAL_URL": ("127.0.0.1:8000", "https://cake.example"),
    "WEBHOOK_LOOPBACK": ("on", "1 (on) or 0 (off)"),
    "API_URL": ("ftp://cake.example", "https://cake.example"),
    "BOT_TOKEN": (f"{SECRET} x", "crumbtrail bot token new"),
    "BOT_SECONDS": ("0", "whole number from 1 to 600"),
    "LOG_FORMAT": ("xml", "plain or json"),
    "TRACES_TO": ("collector:4318", "must be http:// or https:// and a host"),
    "ERROR_HOOK": ("my_alerts.send", "module:function"),
}


def test_every_setting_except_the_folder_has_an_invalid_value_here() -> None:
    assert {f"CRUMBTRAIL_{name}" for name in WRONG} == set(PARSERS) - {"CRUMBTRAIL_DATA"}


def test_the_operations_page_lists_every_setting() -> None:
    page = (Path(__file__).parents[3] / "docs" / "operations.md").read_text()
    assert [name for name in PARSERS if f"`{name}`" not in page] == []


@pytest.mark.parametrize(("name", "value", "right"), [(name, *wrong) for name, wrong in WRONG.items()])
def test_an_invalid_setting_is_reported_with_the_valid_values(name: str, value: str, right: str) -> None:
    assert_fault(f"setting CRUMBTRAIL_{name}", right, **{name: value})
    with pytest.raises(InvalidSetting, match=f"CRUMBTRAIL_{name}") as refused:
        from_environment({f"CRUMBTRAIL_{name}": value})
    assert SECRET not in str(refused.value)


def test_all_invalid_settings_are_reported_together() -> None:
    with pytest.raises(InvalidSetting) as refused:
        from_environment({f"CRUMBTRAIL_{name}": value for name, (value, _) in WRONG.items()})
    assert [line.split()[0].removeprefix("CRUMBTRAIL_") for line in str(refused.value).splitlines()] == list(WRONG)


def test_valid_settings_are_read_and_empty_ones_are_unset(tmp_path: Path) -> None:
    assert from_environment(dict.fromkeys(PARSERS, "")) == from_environment({})
    read = from_environment(
        {
            "CRUMBTRAIL_LOG_URL": "cluster+redis://one,two",
            "CRUMBTRAIL_REPLICAS": "1",
            "CRUMBTRAIL_PUBLIC_URL": "https://cake.example/",
            "CRUMBTRAIL_LIMITS": "off",
        }
    )
    assert read == Settings(
        log_url="cluster+redis://one,two", replicas=1, public_url="https://cake.example", secure_cookies=True
    )
    assert from_environment({"CRUMBTRAIL_LOG_URL": "redis://one"}).queue_url == "redis://one"


def test_an_unknown_setting_is_reported_with_a_suggestion() -> None:
    assert_fault("setting CRUMBTRAIL_QUEU_URL", "Did you mean CRUMBTRAIL_QUEUE_URL?", QUEU_URL="redis://host")
    assert list(unknown_variables({"PATH": "/bin", "CRUMBTRAIL_SHOTS": "x"})) == []


# -- this machine -------------------------------------------------------------------------------------------------


def test_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    whole = importlib.import_module

    def without_rq(name: str) -> Any:
        if name == "rq":
            raise ImportError("No module named 'rq'")
        return whole(name)

    monkeypatch.setattr("service.cli.doctor.importlib.import_module", without_rq)
    assert_fault("rq", "No module named 'rq'", "make install")


def test_no_embedded_server_for_this_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.event_store.embedded.sys.platform", "win32")
    assert_fault("embedded log server", "set CRUMBTRAIL_LOG_URL", "append-only file")


def test_an_unusable_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    assert_fault("data folder", "is not writable", "--data", DATA=str(tmp_path / "file" / "var"))
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9 - 2**20, 2**20))
    assert_fault("data folder", "1 MiB are free", "Free some space", DATA=str(tmp_path))


# -- servers ------------------------------------------------------------------------------------------------------


@pytest.fixture
def own(own_server: EmbeddedServer) -> Iterator[Redis]:
    with Redis(unix_socket_path=str(own_server.socket_path)) as client:
        yield client


def test_an_installation_without_faults(server: EmbeddedServer, redis: Redis) -> None:
    DispatcherHeartbeat(redis).record({"bots": QueueState(0, 0.0, 1)})
    found = examine_with(LOG_URL=server.url(), QUEUE_URL=server.url(1))
    assert all(well for well, _ in found.values()), found
    assert "durable" in found["log"][1]
    assert found["dispatcher"] == (True, "running")


def test_an_unreachable_log_or_a_refused_login(own_server: EmbeddedServer, own: Redis) -> None:
    silent = f"redis://:{SECRET}@127.0.0.1:1/0"
    assert_fault("log", "cannot be reached", "CRUMBTRAIL_LOG_URL", LOG_URL=silent, QUEUE_URL=own_server.url(1))
    own.acl_setuser("somebody", enabled=True, passwords=["+right"], commands=["+ping"], keys=["*"])
    path = own_server.url().removeprefix("unix://")
    named = f"unix://somebody:{SECRET}@{path}"
    assert_fault("log", "rejected the user name or password", LOG_URL=named, QUEUE_URL=own_server.url(1))
    assert_fault("queue", "rejected the user name or password", LOG_URL=own_server.url(), QUEUE_URL=named)
    poor = f"unix://somebody:right@{path}"
    assert_fault("log", "the user lacks a permission", LOG_URL=poor, QUEUE_URL=own_server.url(1))
    assert_fault("queue", "lacks a permission", "crumbtrail acl", LOG_URL=own_server.url(), QUEUE_URL=poor)
    assert_fault("queue", "no answer", "CRUMBTRAIL_QUEUE_URL", LOG_URL=own_server.url(), QUEUE_URL=silent)


def test_a_log_that_may_lose_moves(own_server: EmbeddedServer, own: Redis) -> None:
    own.config_set("appendfsync", "everysec")
    assert_fault("log", "appendfsync is everysec but must be always", "(fast)", LOG_URL=own_server.url())
    own.config_set("appendfsync", "always")
    settings = {"LOG_URL": own_server.url(), "REPLICAS": "1"}
    assert_fault("log", "connected replicas: 0, but 1 must confirm", also=("moves",), **settings)
    assert_fault("moves", "confirmed by 0 of 1 required replicas", "Start the missing ones", also=("log",), **settings)


def test_a_log_whose_file_only_grows(own_server: EmbeddedServer, own: Redis) -> None:
    own.config_set("auto-aof-rewrite-percentage", 0)
    assert_fault("log", "auto-aof-rewrite-percentage is 0 but must be positive", "(durable)", LOG_URL=own_server.url())


def test_a_log_of_a_newer_release(server: EmbeddedServer, redis: Redis) -> None:
    redis.set(LOG_FORMAT_KEY, LOG_FORMAT + 1)
    assert_fault("log format", "Install the newer release again", LOG_URL=server.url())


def test_a_nearly_full_log(own_server: EmbeddedServer, own: Redis) -> None:
    own.setrange("filler", 30 * 2**20, b"x")  # a long SET would make the connection's buffer as large for a while
    own.config_set("maxmemory", int(own.info("memory")["used_memory"] * 1.05))
    assert_fault("log's memory", "of maxmemory is used", "Raise maxmemory", LOG_URL=own_server.url())


def test_a_wrong_clock(server: EmbeddedServer, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    true = time.time
    monkeypatch.setattr("time.time", lambda: true() + 60)
    found = "this machine differs by +60 s from the log server"
    assert_fault("clock", found, "NTP", also=("moves",), LOG_URL=server.url())
    monkeypatch.setattr("time.time", lambda: true() + 3)
    assert_fault("clock", "this machine differs by +3 s", "NTP", LOG_URL=server.url())


def test_a_silent_dispatcher_and_a_queue_without_workers(server: EmbeddedServer, redis: Redis) -> None:
    DispatcherHeartbeat(redis).record({"bots": QueueState(3, 9.0, 0)})
    assert_fault("queue bots", "waiting jobs: 3", "crumbtrail worker --queues bots", LOG_URL=server.url())
    redis.set(HEARTBEAT_KEY, b'{"at":%d,"queues":{}}' % (time.time() - 100))
    assert_fault("dispatcher", "no heartbeat for 10", "crumbtrail dispatcher", LOG_URL=server.url())


def test_a_cluster_without_a_queue_server() -> None:
    found = examine_with(LOG_URL="cluster+redis://127.0.0.1:1")
    assert {name for name, (well, _) in found.items() if not well} == {"log", "queue"}
    assert "Set CRUMBTRAIL_QUEUE_URL" in found["queue"][1]


# -- public URL and proxies ----------------------------------------------------------------------------------------


def test_email_without_a_public_url() -> None:
    assert_fault("mail", "Set CRUMBTRAIL_PUBLIC_URL", SMTP_URL="smtp://mail.example")


UNREACHED = ("public URL",)
"""Nothing answers at the public URLs of these tests."""


def test_cookies_that_do_not_match_the_public_url() -> None:
    assert examine_with(PUBLIC_URL="https://cake.invalid")["cookies"] == (True, "restricted to TLS")
    plain = {"PUBLIC_URL": "https://cake.invalid", "SECURE_COOKIES": "0", "PROXIES": "1"}
    assert_fault("cookies", "also sent without TLS", also=UNREACHED, **plain)
    plain = {"PUBLIC_URL": "http://cake.invalid", "SECURE_COOKIES": "1"}
    assert_fault("cookies", "No one can stay signed in", also=UNREACHED, **plain)


def test_an_untrusted_proxy() -> None:
    assert_fault("proxies", "Set CRUMBTRAIL_PROXIES=1", also=UNREACHED, PUBLIC_URL="https://cake.invalid")
    found = examine_with(PUBLIC_URL="https://cake.invalid", PROXIES="1", METRICS_TO="10.1.0.0/16 fd00::/8")
    assert found["proxies"] == (True, "1 trusted; /metrics is open to this machine, 10.1.0.0/16, fd00::/8")


class SiteHandler(SimpleHTTPRequestHandler):
    """Another site: it answers every path in one way."""

    answer: ClassVar[tuple[int, bytes]] = (200, b"<h1>Cakes</h1>")

    def do_GET(self) -> None:
        """Answer."""
        status, body = self.answer
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def site(serve: Callable[[], Any]) -> Iterator[str]:
    """Run an HTTP server in a thread, and return its URL."""
    server = serve()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


class QuietHandler(WSGIRequestHandler):
    """Logs nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


def service_at(server: EmbeddedServer) -> Callable[[], Any]:
    """Return a function that makes an HTTP server of the application on a log."""
    app = create_app(build_services(Settings(log_url=server.url())))
    return lambda: make_server("127.0.0.1", 0, app, handler_class=QuietHandler)


def test_a_public_url_that_reaches_this_service(server: EmbeddedServer, redis: Redis) -> None:
    with site(service_at(server)) as url:
        found = examine_with(LOG_URL=server.url(), PUBLIC_URL=url)
    assert found["public URL"] == (True, f"{url} reaches this service")


def test_a_public_url_that_reaches_another_service(
    server: EmbeddedServer, redis: Redis, own_server: EmbeddedServer
) -> None:
    with site(service_at(own_server)) as url:
        assert_fault("public URL", "reaches another Crumbtrail service", LOG_URL=server.url(), PUBLIC_URL=url)


@pytest.mark.parametrize(
    ("answer", "phrases"),
    [
        ((200, b"<h1>Cakes</h1>"), ("another site answers there", "forwards every path")),
        ((200, b'{"keys": 1}'), ("another site answers there", "forwards every path")),
        ((404, b""), ("answered with status 404", "forwards every path")),
        ((502, b""), ("answered with status 502", "Start web")),
    ],
)
def test_a_public_url_that_reaches_something_else(
    answer: tuple[int, bytes], phrases: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SiteHandler, "answer", answer)
    with site(lambda: ThreadingHTTPServer(("127.0.0.1", 0), SiteHandler)) as url:
        assert_fault("public URL", *phrases, PUBLIC_URL=url)


def test_a_public_url_without_an_answer_or_with_broken_tls() -> None:
    assert_fault("public URL", "no answer (ConnectionRefusedError)", "DNS", PUBLIC_URL="http://127.0.0.1:1")
    with site(lambda: ThreadingHTTPServer(("127.0.0.1", 0), SiteHandler)) as url:
        secure = {"PUBLIC_URL": url.replace("http:", "https:"), "PROXIES": "1"}
        assert_fault("public URL", "TLS failed", "Renew the certificate", **secure)


# -- moves ---------------------------------------------------------------------------------------------------------


def test_a_log_that_takes_moves(server: EmbeddedServer, redis: Redis) -> None:
    assert examine_with(LOG_URL=server.url())["moves"] == (True, "a move could be accepted now")


def test_a_log_that_accepts_no_moves(own_server: EmbeddedServer, own: Redis) -> None:
    """Given a server that answers and is durable but accepts no writes, then the doctor says why."""
    own.config_set("min-replicas-to-write", 1)
    assert_fault("moves", "none can be accepted (replicas)", "Start the missing ones", LOG_URL=own_server.url())
    own.config_set("min-replicas-to-write", 0)
    own.config_set("maxmemory", 1)
    assert_fault("moves", "(memory)", "Raise its `maxmemory`", also=("log's memory",), LOG_URL=own_server.url())


def test_a_running_embedded_server_is_checked_too(own_server: EmbeddedServer, own: Redis) -> None:
    assert examine_with(DATA=str(own_server.data_dir))["moves"] == (True, "a move could be accepted now")
    own.config_set("min-replicas-to-write", 1)
    assert_fault("moves", "none can be accepted (replicas)", DATA=str(own_server.data_dir))


def test_a_damaged_match_is_named(own_server: EmbeddedServer) -> None:
    """Given a match whose first event was replaced before a restart, then the doctor names it."""
    app = create_app(build_services(Settings(log_url=own_server.url())))
    match, _ = started_match(app)
    with Redis(unix_socket_path=str(own_server.socket_path)) as admin:
        (first,) = admin.xrange(log_key(match), count=1)
        admin.delete(log_key(match))
        admin.xadd(log_key(match), first[1], id="7-0")
    own_server.stop()
    own_server.start()
    assert_fault(f"match {match}", "Restore it from a backup", LOG_URL=own_server.url())

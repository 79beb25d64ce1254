"""Luck protocol 2 in replay files: every verifier accepts honest files and names the same rule and line for a fault.

The files are built from the specification (`luck2_files`), not by the code that writes them.
`tests/browser/test_verifier.py` checks that the verifier in the browser gives the same reports as the script.
"""

import json
import shutil
import subprocess
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.game import AnyGame
from domain.kernel.registry import games
from replays import standalone_verify
from replays.report import Report
from replays.standalone_verify import VerificationError
from replays.standalone_verify import verify as verify_alone
from replays.verify import verify
from tests.replays.forge import Entries, dump, forge_replay, load, reseal
from tests.replays.luck2_faults import FAULTS, Change, Fault, lost_at, moved_events, setting, with_clock, within
from tests.replays.luck2_files import CLOCK, MATCHES, Table, as_file, mice, running, share, whole_match

DOCS = Path(__file__).parents[2] / "docs"
LUCK_RULES = {
    "protocol",
    "level",
    "commitment",
    "order",
    "table",
    "seal",
    "shares",
    "deadline",
    "seats",
    "salt",
    "draws",
}
every_match = pytest.mark.parametrize("name", MATCHES)


def statuses(raw: bytes) -> dict[str, str]:
    return {name: status for name, status, _ in verify_alone(raw)[0]}


def luck_error(raw: bytes) -> tuple[int, str] | None:
    """Return line and rule of the script's first error."""
    wrong: VerificationError | None = verify_alone(raw)[1]
    return wrong and (wrong.line, wrong.rule)


def engine_error(report: Report, *layers: str) -> tuple[int, str] | None:
    """Return line and rule of the first divergence that the engine finds in these layers."""
    found = [each.divergence for each in report.layers if each.name in layers and each.divergence is not None]
    return (found[0].line, found[0].rule) if found else None


# -- honest files -----------------------------------------------------------------------------------------------------


@every_match
def test_an_honest_file_verifies_with_script_and_engine(name: str) -> None:
    raw = MATCHES[name]().file()
    assert statuses(raw) == {"file": "ok", "chain": "ok", "seed": "ok", "draws": "ok"}, verify_alone(raw)[0]
    report = verify(raw)
    assert report.ok, report.as_text()


@pytest.mark.slow
@pytest.mark.parametrize("game", games().values(), ids=lambda game: game.slug)
def test_a_whole_match_of_every_game_verifies_with_the_script(game: AnyGame) -> None:
    raw = whole_match(game).file()
    layers, wrong = verify_alone(raw)
    assert wrong is None, layers


def tables_in_progress() -> dict[str, Table]:
    """Return matches that are open, opening and playing."""
    seated, opening = Table(mice(), level="sealed"), Table(mice(), level="sealed", clock={**CLOCK})
    for table in (seated, opening):
        table.sit(0, share(0))
    opening.sit(1, share(1))
    opening.open(1)
    playing = MATCHES["sealed_level"]()
    playing.events = playing.events[:8]
    return {"open": seated, "opening": opening, "playing": playing}


@pytest.mark.parametrize("state", ["open", "opening", "playing"])
def test_a_running_match_is_checked_as_far_as_it_shows_its_luck(state: str) -> None:
    raw = running(tables_in_progress()[state])
    assert statuses(raw) == {"file": "ok", "chain": "partly", "seed": "partly", "draws": "not checked"}
    report = verify(raw)
    assert report.first is None, report.as_text()


def table_of_another(events: Entries) -> None:
    next(event for event in events if event["kind"] == "share_opened")["table"] = 64 * "a"


def shown_draws(events: Entries) -> None:
    next(event for event in events if event["kind"] == "moved")["draws"] = {}


@pytest.mark.parametrize(
    ("change", "rule", "line"), [(table_of_another, "luck.table", 5), (shown_draws, "luck.protocol", 8)]
)
def test_a_fault_is_found_before_the_seed_is_revealed(change: Any, rule: str, line: int) -> None:
    raw = forge_replay(running(tables_in_progress()["playing"]), change)
    assert luck_error(raw) == (line, rule)
    assert engine_error(verify(raw), "seed") == (line, rule)


# -- faults -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_script_and_engine_name_the_same_rule_and_line(fault: Fault) -> None:
    raw = fault.raw
    assert luck_error(raw) == (fault.line, fault.rule), verify_alone(raw)[0]
    assert engine_error(verify(raw), "seed", "draws", "fold") == (fault.line, fault.rule)


def test_a_salt_that_does_not_come_from_the_secret_is_found() -> None:
    def change(events: Entries) -> None:
        events[3]["salt"] = 64 * "a"

    raw = forge_replay(MATCHES["sealed_level"]().file(), change)
    assert luck_error(raw) == (5, "luck.salt")
    assert engine_error(verify(raw), "seed") == (5, "luck.salt")


@pytest.mark.parametrize("version", ["replay/v1", "replay/v2"])
def test_the_format_of_protocol_1_is_refused(version: str) -> None:
    header, events, closing = load(MATCHES["sealed_level"]().file())
    known = standalone_verify.HEADER[version]
    raw = dump(
        {name: value for name, value in header.items() if name in known} | {"crumbtrail": version}, events, closing
    )
    assert luck_error(raw) in ((1, "file.header"), (1, "luck.protocol"))
    assert "[rule luck.protocol]" in next(sentence for name, _, sentence in verify_alone(raw)[0] if name == "seed")
    assert engine_error(verify(raw), "seed") == (1, "luck.protocol")


def test_the_format_of_protocol_2_is_refused_for_protocol_1() -> None:
    golden = next((Path(__file__).parents[1] / "golden/mice_cake").glob("v1-*.crumb.ndjson"))
    header, events, closing = load(golden.read_bytes())
    more = {name: events[0][name] for name in ("options", "components", "commitment")}
    seats = [each["player"] for each in events if each["kind"] == "seat_taken"]
    raw = dump({**header, **more, "seats": seats, "seed": None, "crumbtrail": "replay/v3"}, events, closing)
    assert "[rule luck.protocol]" in next(sentence for name, _, sentence in verify_alone(raw)[0] if name == "seed")


def test_every_rule_has_a_fault_and_a_place_in_the_docs() -> None:
    named = {fault.rule for fault in FAULTS.values()} | {"luck.salt"}
    assert {f"luck.{rule}" for rule in LUCK_RULES} <= named
    for page in ("luck-protocol.md", "replay-format.md"):
        text = (DOCS / page).read_text()
        assert all(f"`luck.{rule}`" in text for rule in LUCK_RULES), page


UNNOTICED = {"cancelled_early: dropped 1", "cancelled_lost: dropped 3", "claimed_loss: dropped 6"}
"""Files that a real match could have: someone never sat down or never opened before the match was cancelled, or they
resigned without a claim. Only the hashes that were published earlier show what really happened."""


def is_another_order(name: str, raw: bytes) -> bool:
    """Return whether only the order in which two players sat down or opened was swapped, which changes nothing."""
    change, at = name.split(": ")[1].split()
    events = load(raw)[1]
    pair = {event["kind"] for event in events[int(at) : int(at) + 2]}
    return change == "swapped" and pair in ({"seat_taken"}, {"share_opened"})


@pytest.mark.full
def test_an_event_that_is_dropped_doubled_or_moved_is_found_by_both() -> None:
    """The script doesn't check who consented to a takeback; the engine does."""
    for name, raw in moved_events():
        layers, wrong = verify_alone(raw)
        report = verify(raw)
        seed = next(sentence for layer, _, sentence in layers if layer == "seed")
        found = engine_error(report, "seed")
        assert seed.startswith("line") == (found is not None), name
        if found is not None:
            assert seed.startswith(f"line {found[0]}: "), name
            assert seed.endswith(f"[rule {found[1]}]"), name
        elif wrong is None and not report.ok:
            assert engine_error(report, "lifecycle") is not None, name
        assert not report.ok or name in UNNOTICED or is_another_order(name, raw), name
        assert wrong is None or not report.ok, name


# -- the browser's verifier, run by Node -----------------------------------------------------------------------------

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
SCRIPTS = Path(__file__).parents[2] / "service/web/static/js"
VERIFY = """
import { verify } from "./verifier.js";
import { readFileSync } from "node:fs";
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
const reports = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const { layers } = await verify(bytes(text));
  const shown = layers.filter(({ name }) => name !== "signature");
  reports.push(shown.map(({ name, status, sentence, line, rule }) => [name, status, sentence, line, rule]));
}
console.log(JSON.stringify(reports));
"""
DRAW_BELOW = """
import { Streams } from "./verifier.js";
const answers = [];
for (const k of [0, -1, 2 ** 32 + 1, 1, 2 ** 32]) {
  try {
    const number = await new Streams(new Uint8Array(32), {}).draws("cake")(k);
    answers.push(number >= 0 && number < k ? "drawn" : "wrong");
  } catch (error) {
    answers.push("refused");
  }
}
console.log(JSON.stringify(answers));
"""


def run_node(place: Path, program: str, question: Any = None) -> Any:
    """Return the output of a program that imports the browser's verifier. Fail if it takes longer than a minute."""
    for name in ("verifier.js", "draws.js"):
        shutil.copy(SCRIPTS / name, place / name)
    (place / "package.json").write_text('{"type": "module"}')
    (place / "ask.js").write_text(program)
    command = ["node", str(place / "ask.js")]
    done = subprocess.run(command, input=json.dumps(question).encode(), stdout=subprocess.PIPE, timeout=60, check=True)
    return json.loads(done.stdout)


def script_report(raw: bytes) -> list[list[Any]]:
    """Return the script's report on a file in the browser's format."""
    layers = []
    for name, status, sentence in verify_alone(raw)[0]:
        line, shown, rule = None, sentence, None
        if status == "failed":
            number, words = sentence.removeprefix("line ").split(": ", 1)
            shown, rule = words.removesuffix("]").rsplit(" [rule ", 1)
            line = int(number)
        layers.append([name, status.replace(" ", "_"), shown, line, rule])
    return layers


def check_both(place: Path, files: dict[str, bytes]) -> None:
    """Check that script and browser report these files in the same words."""
    reports = run_node(place, VERIFY, [b64encode(raw).decode() for raw in files.values()])
    for (name, raw), report in zip(files.items(), reports, strict=True):
        assert report == script_report(raw), name


def changed(match: str, *changes: Change) -> bytes:
    """Return the file of a match after some changes, with a new chain."""
    events = [{**event} for event in MATCHES[match]().events]
    for change in changes:
        change(events)
    return as_file(events)


@needs_node
def test_script_and_browser_report_every_match_and_every_fault_in_the_same_words(tmp_path: Path) -> None:
    files = {name: build().file() for name, build in MATCHES.items()}
    check_both(tmp_path, files | {name: fault.raw for name, fault in FAULTS.items()})


# -- draws below a number that has none -------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [0, -1, 2**32 + 1, True])
def test_the_script_refuses_to_draw_below_a_number_out_of_range(k: int) -> None:
    draw = standalone_verify.Streams(bytes(32), {}).draws("cake")
    with pytest.raises(ValueError, match="no numbers below"):
        draw(k)


def test_the_script_draws_below_the_largest_number() -> None:
    draw = standalone_verify.Streams(bytes(32), {}).draws("cake")
    assert draw(1) == 0
    assert draw(2**32) in range(2**32)


@needs_node
def test_the_browser_refuses_to_draw_below_a_number_out_of_range(tmp_path: Path) -> None:
    assert run_node(tmp_path, DRAW_BELOW) == ["refused", "refused", "refused", "drawn", "drawn"]


@needs_node
def test_more_ingredients_than_tiles_are_refused_in_time(tmp_path: Path) -> None:
    """Given more ingredients than the board has tiles, when they are laid out, no tile is left to draw."""

    def too_many(events: Entries) -> None:
        for fact in (fact for event in events for fact in event["facts"] if fact["type"] == "recipe_drawn"):
            fact["ingredients"] = [f"sugar{number}" for number in range(40)]

    files = {}
    for version in ("v1-1", "v2-1"):
        golden = next((Path(__file__).parents[1] / "golden/take_the_cake").glob(f"{version}-*.crumb.ndjson"))
        raw = files[version] = forge_replay(golden.read_bytes(), too_many, seal=reseal)
        wrong = verify_alone(raw)[1]
        assert wrong is not None
        assert str(wrong).endswith("the fact does not have the specified form")
    check_both(tmp_path, files)


# -- limits of times and counts ---------------------------------------------------------------------------------------


def at_the_last_second(events: Entries) -> None:
    """Move all events to the last second that can be written."""
    for event in events:
        event["at"] = "9999-12-31T23:59:59Z"


@needs_node
def test_limits_are_kept_and_a_deadline_beyond_the_last_year_never_passes(tmp_path: Path) -> None:
    files = {
        **{f"{name} in 9999": changed(name, at_the_last_second) for name in ("sealed_level", "cancelled_lost")},
        "the longest time": changed("sealed_level", with_clock(5_184_000)),
        "lost in time": changed("cancelled_lost", lost_at("2026-03-04T12:00:59Z")),
    }
    for name, raw in files.items():
        assert luck_error(raw) is None, name
    counted = changed("fork_with_same_luck", within(0, "fork", uses={"cake": 1_000_000_000}))
    assert statuses(counted)["seed"] == "ok"
    never = changed("cancelled_not_opened", at_the_last_second)
    assert luck_error(never) == (7, "luck.deadline")
    check_both(tmp_path, files | {"counted": counted, "never": never})


# -- fields of the wrong form -----------------------------------------------------------------------------------------


def without_at_seats(*names: str) -> Change:
    """Return the change that removes fields from the events of everybody who sits down."""

    def change(events: Entries) -> None:
        for event in events:
            for name in names if event["kind"] == "seat_taken" else ():
                del event[name]

    return change


def headed(match: str, **fields: Any) -> bytes:
    """Return the file of a match with different fields in its header."""
    header, events, closing = load(MATCHES[match]().file())
    return dump(header | fields, events, closing)


MALFORMED: dict[str, tuple[bytes, int, str]] = {
    **{
        f"{match} without {' and '.join(names)}": (
            changed(match, without_at_seats(*names)),
            line,
            f"the event lacks {', '.join(sorted(names))}",
        )
        for names in (("player",), ("level",), ("player", "level"))
        for match, line in (("sealed_level", 3), ("cancelled_lost", 3), ("against_a_bot", 3))
    },
    **{
        f"rules version {version!r}": (
            changed("sealed_level", setting(0, rules_version=version)),
            2,
            "the event's `rules_version` does not have the specified form",
        )
        for version in ("constructor", "__proto__", "toString", "2", True, None, [2])
    },
    **{
        f"complete {complete!r}": (
            headed("sealed_level", complete=complete),
            1,
            "the header's `complete` does not have the specified form",
        )
        for complete in (1, 0, None, "true", [True])
    },
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_field_that_is_missing_or_of_the_wrong_form_is_refused(name: str) -> None:
    raw, line, sentence = MALFORMED[name]
    wrong = verify_alone(raw)[1]
    assert wrong is not None
    assert (wrong.line, wrong.rule, str(wrong)) == (line, "file.json", sentence)
    assert not verify(raw).ok


@needs_node
def test_the_browser_refuses_the_same_malformed_fields(tmp_path: Path) -> None:
    check_both(tmp_path, {name: raw for name, (raw, _, _) in MALFORMED.items()})


@needs_node
def test_a_game_named_like_a_property_of_every_object_is_not_known(tmp_path: Path) -> None:
    names = ("constructor", "__proto__", "toString", "hasOwnProperty", "")
    files = {name: changed("sealed_level", setting(0, game=name)) for name in names}
    for version in (0, -1, 3):
        files[f"rules version {version}"] = changed("sealed_level", setting(0, rules_version=version))
    for name, raw in files.items():
        assert statuses(raw)["draws"] == "not checked", name
    check_both(tmp_path, files)


@needs_node
def test_a_fact_that_draws_nothing_may_lack_its_dice(tmp_path: Path) -> None:
    """Given a fork, when a roll in the original match has no dice, both accept it: no dice are drawn for it."""

    def change(events: Entries) -> None:
        for fact in events[0]["facts"]:
            fact.pop("dice", None)

    raw = changed("fork_with_same_luck", change)
    assert statuses(raw)["draws"] == "ok"
    assert not verify(raw).ok
    check_both(tmp_path, {"no dice": raw})

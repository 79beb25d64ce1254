"""The verifier that runs in the browser: test vectors, genuine files, changed files, and the page that uses it."""

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from domain.kernel.chance import Fast
from domain.kernel.events import AnyEvent
from domain.kernel.registry import find_game
from replays import standalone_verify
from replays.file import encode_replay
from tests.browser.conftest import OpenBrowser
from tests.builders import fork_table, greedy_agent, play_match, play_on, replay_file
from tests.domain.match.test_handover import table_with_hand_overs
from tests.domain.match.test_takebacks import table_after_moves, take_back
from tests.replays.forge import forge_replay
from tests.replays.luck2_faults import FAULTS, moved_events
from tests.replays.luck2_files import MATCHES, running
from tests.replays.plants import golden_files, golden_versions, mangled_files, planted_files
from tests.replays.test_court import judged, reframed
from tests.replays.test_luck2 import tables_in_progress
from tests.replays.test_seating_by_chance import by_chance, deny, every_version, swap
from tests.replays.test_signature import OTHER, SIGNER
from tests.replays.test_standalone import JUNK, NO_TIMES, at_another_time, under_other_names
from tests.replays.test_tampering import GAMES, every_game, file_of, places
from tests.replays.test_unresolved_disputes import ruled_by_server, with_an_odd_cause

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[2] / "docs/test-vectors.json").read_text())

VERIFY = """
async ({ files, keys, required }) => {
  const script = document.querySelector("script[src*='/js/']").src;
  const { verify } = await import(script.replace(/[a-z_]+\\.js$/, "verifier.js"));
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const found = [];
  for (const file of files) found.push(await verify(bytes(file), keys, required));
  return found;
}
"""
VERIFY_FLIPPED = """
async ({ files, flips }) => {
  const script = document.querySelector("script[src*='/js/']").src;
  const { verify } = await import(script.replace(/[a-z_]+\\.js$/, "verifier.js"));
  const whole = files.map((text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
  const found = [];
  for (const [file, at, byte] of flips) {
    const changed = whole[file].slice();
    changed[at] = byte;
    const { ok, first } = await verify(changed);
    found.push({ ok, first });
  }
  return found;
}
"""
AGREE = """
async (vectors) => {
  const script = document.querySelector("script[src*='/js/']").src;
  const v = await import(script.replace(/[a-z_]+\\.js$/, "verifier.js"));
  const text = new TextEncoder();
  const wrong = [];
  const same = (name, one, other) => JSON.stringify(one) === JSON.stringify(other) || wrong.push([name, one, other]);
  for (const { seed, commitment } of vectors.commitments) {
    same("seed", v.hex(await v.sha256(v.unhex(seed))), commitment);
  }
  for (const { seed, ply, salt } of vectors.salts) {
    same("salt", v.hex(await (await v.hmac(v.unhex(seed)))(text.encode(`salt/v1|${ply}`))), salt);
  }
  for (const each of vectors.keys) {
    same("key", v.hex(await v.matchKey(v.unhex(each.seed), each, each.client_seeds)), each.key);
  }
  for (const { key, n, below, results } of vectors.draws) {
    const draw = await v.draws(v.unhex(key), n);
    const drawn = [];
    for (const k of below) drawn.push(await draw(k));
    same("draws", drawn, results);
  }
  for (const { key, n, items, order } of vectors.shuffles) {
    same("shuffle", await v.shuffled(await v.draws(v.unhex(key), n), Array(items).keys()), order);
  }
  for (const { prev, entry, hash } of vectors.chain) {
    same("entry", v.canonical(JSON.parse(entry)), entry);
    same("hash", v.hex(await v.sha256(text.encode(prev + entry))), hash);
  }
  const luck = vectors["crumbtrail/luck/2"];
  for (const { match, seed, commitment } of luck.commitments) {
    same("commitment", await v.commitmentOf(match, seed), commitment);
  }
  for (const { match, seat, commitment, share, seal } of luck.seals) {
    same("seal", await v.sealOf(match, seat, commitment, share), seal);
  }
  for (const { match, commitment, seals, table } of luck.tables) {
    same("table", await v.tableHash(match, commitment, seals), table);
  }
  for (const each of luck.keys) {
    same("luck key", v.hex(await v.luckKey(v.unhex(each.seed), each, each.shares)), each.key);
  }
  for (const { salts, ply, salt } of luck.salts) {
    same("secret salt", v.hex(await (await v.hmac(v.unhex(salts)))(text.encode(`salt/2|${ply}`))), salt);
  }
  for (const { key, purpose, use, block, hex } of luck.blocks) {
    same("block", v.hex(await new v.Streams(v.unhex(key), {}).block(purpose, use, block)), hex);
  }
  for (const { key, purpose, use, below, results } of luck.draws) {
    const draw = new v.Streams(v.unhex(key), { [purpose]: use }).draws(purpose);
    const drawn = [];
    for (const k of below) drawn.push(await draw(k));
    same("stream", drawn, results);
  }
  for (const { key, purpose, use, items, order, uses } of luck.shuffles) {
    const streams = new v.Streams(v.unhex(key), { [purpose]: use });
    same("stream shuffle", await v.shuffled(streams.draws(purpose), Array(items).keys()), order);
    same("uses", streams.used[purpose] ?? 0, uses);
  }
  return wrong;
}
"""


def found(
    page: Page, files: Iterable[bytes], keys: Iterable[str] = (), *, required: bool = False
) -> list[dict[str, Any]]:
    """Return the browser's reports on these files."""
    packed = [b64encode(raw).decode() for raw in files]
    sent = {"files": packed, "keys": list(keys), "required": required}
    answer: list[dict[str, Any]] = page.evaluate(VERIFY, sent)
    return answer


@pytest.fixture
def page(visitor: OpenBrowser) -> Page:
    page = visitor()
    page.goto("/verify")
    return page


def test_it_agrees_with_the_published_vectors(page: Page) -> None:
    assert page.evaluate(AGREE, VECTORS) == []


def check_same_lines(page: Page, files: list[bytes]) -> list[dict[str, Any]]:
    """Check that the browser and the script report these files in the same words; return the browser's reports."""
    reports = found(page, files)
    for raw, report in zip(files, reports, strict=True):
        layers, wrong = standalone_verify.verify(raw)
        said = [
            (layer["name"], layer["status"].replace("_", " "), sentence_with_line(layer))
            for layer in report["layers"]
            if layer["name"] != "signature"
        ]
        assert said == layers
        assert report["first"] == (wrong and wrong.line)
    return reports


def sentence_with_line(layer: dict[str, Any]) -> str:
    """Return a layer's sentence as the script formats it."""
    sentence: str = layer["sentence"]
    return f"line {layer['line']}: {sentence} [rule {layer['rule']}]" if layer["line"] else sentence


@every_game
def test_golden_replays_are_verified_with_all_their_draws(page: Page, game: Any) -> None:
    reports = check_same_lines(page, [path.read_bytes() for path in golden_files(game.slug)])
    assert all(report["ok"] for report in reports)
    assert {layer["status"] for report in reports for layer in report["layers"]} == {"ok", "not_checked"}
    assert {layer["name"] for report in reports for layer in report["layers"] if layer["status"] != "ok"} == {
        "signature"
    }


@every_game
def test_every_planted_draw_is_found_at_its_ply(page: Page, game: Any) -> None:
    false = [plant for version in golden_versions(game.slug) for plant in planted_files(game.slug, version)]
    reports = check_same_lines(page, [plant.raw for plant in false])
    assert [report["first"] for report in reports] == [plant.ply + 1 for plant in false]


@every_game
def test_mangled_files_get_the_same_report(page: Page, game: Any) -> None:
    check_same_lines(page, list(mangled_files(game.slug, 40)))


@pytest.mark.full
@every_game
def test_a_thousand_mangled_files_get_the_same_report(page: Page, game: Any) -> None:
    for some in batched(mangled_files(game.slug, 1_000), 50):
        check_same_lines(page, some)


def batched(files: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    """Yield the files in batches of this size."""
    waiting = iter(files)
    while some := list(islice(waiting, size)):
        yield some


@every_game
def test_rulings_and_forks_are_verified(page: Page, game: Any) -> None:
    fork = fork_table(judged(game), 6, "same")
    play_on(fork, Fast("fork"), greedy_agent)
    reports = check_same_lines(page, [replay_file(judged(game).events), replay_file(fork.events)])
    assert all(report["ok"] for report in reports)


def test_matches_of_luck_protocol_2_are_verified(page: Page) -> None:
    reports = check_same_lines(page, [build().file() for build in MATCHES.values()])
    assert all(report["ok"] for report in reports)


def test_running_matches_of_luck_protocol_2_get_the_same_report(page: Page) -> None:
    reports = check_same_lines(page, [running(table) for table in tables_in_progress().values()])
    assert all(report["ok"] for report in reports)


def test_faults_of_luck_protocol_2_are_found_by_the_same_rule(page: Page) -> None:
    reports = check_same_lines(page, [fault.raw for fault in FAULTS.values()])
    found = [(report["first"], rule_of_first(report)) for report in reports]
    assert found == [(fault.line, fault.rule) for fault in FAULTS.values()]


def rule_of_first(report: dict[str, Any]) -> str | None:
    """Return the rule of the earliest error."""
    return next((layer["rule"] for layer in report["layers"] if layer["line"] == report["first"]), None)


@pytest.mark.full
def test_a_dropped_doubled_or_moved_event_of_luck_protocol_2_gets_the_same_report(page: Page) -> None:
    for some in batched((raw for _, raw in moved_events()), 50):
        check_same_lines(page, some)


def taken_back(game: Any) -> bytes:
    """Return the replay file of a match in which a move was taken back by consent."""
    table = table_after_moves(game, 6)
    take_back(table, table.events[-1].seat or 0, table.match.ply - 1)
    play_on(table, Fast("on"), greedy_agent)
    return replay_file(table.events)


@every_game
def test_takebacks_are_verified(page: Page, game: Any) -> None:
    (report,) = check_same_lines(page, [taken_back(game)])
    assert report["ok"], report


def test_handed_over_seats_are_verified(page: Page) -> None:
    table = table_with_hand_overs()
    assert table.match.status == "over"
    (report,) = check_same_lines(page, [replay_file(table.events)])
    assert report["ok"], report


@every_version
def test_a_random_order_of_seats_is_reproduced(page: Page, game: Any) -> None:
    raw = by_chance(game)
    genuine, swapped, denied = found(page, [raw, forge_replay(raw, swap), forge_replay(raw, deny)])
    assert genuine["ok"], genuine
    rules = ["seed.seats", "lifecycle.seating"] if game.luck_protocol == 1 else ["luck.seats", "luck.seats"]
    assert [rule_of_first(report) for report in (swapped, denied)] == rules


@every_game
def test_genuine_files_are_verified(page: Page, game: Any) -> None:
    check_signatures(page, play_match(game, shares=(True, False)))


def test_genuine_files_of_luck_protocol_1_are_verified(page: Page) -> None:
    check_signatures(page, play_match(find_game("mice_cake", 1), client_seeds=("Krümel", "tea")))


def check_signatures(page: Page, events: list[AnyEvent]) -> None:
    """Check the reports on a file with a known signature, with an unknown one and without one."""
    signed, plain = b"".join(encode_replay(events, SIGNER)), b"".join(encode_replay(events))
    known, unknown, bare = (*found(page, [signed], [SIGNER.key]), *found(page, [signed, plain]))
    for report in (known, unknown, bare):
        assert report["ok"], report
        script = {name: sentence for name, _, sentence in standalone_verify.verify(plain)[0]}
        said = {layer["name"]: layer["sentence"] for layer in report["layers"]}
        assert {name: said[name] for name in ("file", "chain", "seed")} == {
            name: script[name] for name in ("file", "chain", "seed")
        }
    assert [signature(report)["status"] for report in (known, unknown, bare)] == ["ok", "partly", "not_checked"]
    assert "this server's key" in signature(known)["sentence"]
    assert f"key {SIGNER.key}, which this server does not publish" in signature(unknown)["sentence"]
    assert "not signed" in signature(bare)["sentence"]


def signature(report: dict[str, Any]) -> dict[str, Any]:
    """Return the signature layer of a report."""
    return next(layer for layer in report["layers"] if layer["name"] == "signature")


def test_the_servers_own_file_needs_its_signature(page: Page) -> None:
    # given: files of a match, signed with the server's key, with another key and unsigned
    events = play_match(GAMES[-1])
    files = [b"".join(encode_replay(events, signer)) for signer in (SIGNER, OTHER, None)]
    # when
    own, foreign, bare = found(page, files, [SIGNER.key], required=True)
    # then
    assert own["ok"]
    for report, words in ((foreign, "does not publish"), (bare, "is not signed")):
        assert (report["ok"], report["first"]) == (False, len(events) + 2)
        assert words in signature(report)["sentence"]


def test_a_file_of_a_later_format_is_refused_with_a_sentence(page: Page) -> None:
    raw = b"".join(encode_replay(play_match(GAMES[-1]))).replace(b'"replay/v3"', b'"replay/v4"', 1)
    (report,) = found(page, [raw])
    layer = next(layer for layer in report["layers"] if layer["name"] == "file")
    assert (report["ok"], report["first"], layer["status"]) == (False, 1, "failed")
    assert "the file has the format replay/v4, which is newer than this verifier; use a newer one" in layer["sentence"]


def test_unknown_facts_and_invalid_times_are_found(page: Page) -> None:
    false = [*map(under_other_names, GAMES), *map(at_another_time, NO_TIMES)]
    assert not any(report["ok"] for report in check_same_lines(page, false))
    (odd,) = check_same_lines(page, [at_another_time("2028-02-29T00:00:00.000001Z")])
    assert next(layer["status"] for layer in odd["layers"] if layer["name"] == "file") == "ok"


def check_flips(page: Page, slug: str, times: int) -> None:
    """Check that each changed byte is found. The files are sent once and changed in the browser."""
    flips = list(places(slug, times))
    files = [b64encode(file_of(slug, n)).decode() for n in range(4)]
    reports = page.evaluate(VERIFY_FLIPPED, {"files": files, "flips": [flip[:3] for flip in flips]})
    for flip, report in zip(flips, reports, strict=True):
        assert not report["ok"], flip.name
        assert report["first"] <= flip.line, f"{flip.name} in line {flip.line}: {report}"


@every_game
def test_a_changed_byte_is_found_at_or_before_its_line(page: Page, game: Any) -> None:
    check_flips(page, game.slug, 100 // len(GAMES))


@pytest.mark.full
@every_game
def test_a_thousand_changed_bytes_are_found(page: Page, game: Any) -> None:
    check_flips(page, game.slug, 1_000)


def test_every_changed_digit_of_the_signature_is_found(page: Page) -> None:
    raw = b"".join(encode_replay(play_match(GAMES[-1]), SIGNER))
    places = range(raw.rindex(b'"signature"'), len(raw), 5)
    changed = [raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :] for at in places]
    assert not any(report["ok"] for report in found(page, changed, [SIGNER.key]))


@pytest.mark.full
def test_any_junk_is_reported_at_the_same_line_as_by_the_script(page: Page) -> None:
    for raw in JUNK:
        (report,) = found(page, [raw])
        wrong = standalone_verify.verify(raw)[1]
        assert wrong is not None
        assert (report["ok"], report["first"]) == (False, wrong.line), raw[:40]


def test_a_file_is_verified_without_uploading_it(page: Page, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.crumb.ndjson", tmp_path / "bad.crumb.ndjson"
    good.write_bytes(file_of("tic_tac_toe"))
    bad.write_bytes(file_of("tic_tac_toe").replace(b'"cell":4', b'"cell":5', 1))
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    page.set_input_files("#file", good)
    page.get_by_role("button", name="Verify in this browser only").click()
    expect(page.locator("#checked-here h3")).to_have_text("Verified in your browser: no errors found")
    expect(page.locator("#checked-here .hint").last).to_contain_text("deadlines and whether a match may end early")
    page.set_input_files("#file", bad)
    page.get_by_role("button", name="Verify in this browser only").click()
    expect(page.locator("#checked-here h3")).to_have_text("Verification in your browser failed")
    expect(page.locator("#checked-here .failed")).to_contain_text("the event was changed after it was sealed")
    assert "POST" not in sent


def test_a_ruling_by_the_server_is_checked_in_the_same_words(page: Page) -> None:
    raw = ruled_by_server()
    honest, odd = check_same_lines(page, [raw, reframed(raw, with_an_odd_cause)])
    assert (honest["ok"], odd["ok"]) == (True, False)

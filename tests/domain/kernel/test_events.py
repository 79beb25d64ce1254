"""Events: canonical JSON, salts and the hash chain."""

import hashlib
import json
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.kernel.chance import Seed
from domain.kernel.event_codec import read_event, read_header, write_event
from domain.kernel.events import AnyEvent, Moved, Resumed
from domain.kernel.hash_chain import GENESIS, canonical_json, event_hash, seal_events
from domain.kernel.registry import find_game
from tests.builders import log_lines, play_match, secrets_of, sit_down

VECTORS = json.loads((Path(__file__).parents[3] / "docs/test-vectors.json").read_text())
GAME = find_game("tic_tac_toe")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
LUCK = Seed(bytes(32))

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(max_codepoint=0xD7FF)), inner),
)
"""Values as entries hold them. RFC 8785 sorts keys beyond U+FFFF differently; none of our keys have such characters."""


@pytest.mark.slow
@given(plain)
def test_canonical_json_is_rfc_8785(value: Any) -> None:
    # For values without fractions, Python's encoder with these arguments writes RFC 8785.
    assert canonical_json(value).decode() == json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )


@pytest.mark.parametrize("vector", VECTORS["chain"])
def test_the_hash_of_an_entry(vector: dict[str, str]) -> None:
    entry = json.loads(vector["entry"])
    assert canonical_json(entry).decode() == vector["entry"]
    assert hashlib.sha256((vector["prev"] + vector["entry"]).encode()).hexdigest() == vector["hash"]


def test_the_hashes_of_a_match_follow_the_format() -> None:
    prev = GENESIS
    for line in log_lines(play_match(GAME)):
        entry = json.loads(line)
        sealed = {key: value for key, value in entry.items() if key not in ("prev", "hash")}
        text = json.dumps(sealed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert entry["prev"] == prev
        prev = hashlib.sha256((prev + text).encode()).hexdigest()
        assert entry["hash"] == prev


def test_seal_events_salts_and_links_in_order() -> None:
    bare: list[AnyEvent] = [Moved(ply=n, seat=0, at=NOON) for n in (3, 4, 5)]
    sealed = seal_events(bare, "a" * 64, LUCK)
    assert [event.salt for event in sealed] == [LUCK.salt(n) for n in (3, 4, 5)]
    assert [event.prev for event in sealed] == ["a" * 64, sealed[0].hash, sealed[1].hash]
    assert [event_hash(event, str(event.prev)) for event in sealed] == [event.hash for event in sealed]


def test_sealing_again_changes_nothing() -> None:
    events = play_match(GAME)
    assert seal_events(events, GENESIS, secrets_of(GAME, "crumbs")) == events


@pytest.mark.parametrize(
    "change",
    [{"ply": 4}, {"seat": 1}, {"at": NOON.replace(second=1)}, {"draw": 9}, {"first_fact": 1}, {"salt": "0"},
     {"facts": (GAME.fact_type.__args__[0](game="x", seats=("cross", "nought")),)}],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_a_hash_covers_every_field(change: dict[str, Any]) -> None:
    (event,) = seal_events([Moved(ply=3, seat=0, at=NOON)], GENESIS, LUCK)
    assert event_hash(replace(event, **change), GENESIS) != event.hash


def test_a_hash_covers_the_kind() -> None:
    assert event_hash(Moved(ply=1, at=NOON, seat=0), GENESIS) != event_hash(Resumed(ply=1, at=NOON, seat=0), GENESIS)


def test_without_the_salt_a_hash_reveals_hidden_information() -> None:
    """The hash of one of few possible events can be guessed unless it is salted."""
    secret: AnyEvent = Moved(ply=3, seat=0, at=NOON, move=GAME.read_move({"type": "mark", "cell": 4}))
    guesses = [replace(secret, move=GAME.read_move({"type": "mark", "cell": cell})) for cell in range(9)]
    (sealed,) = seal_events([secret], GENESIS, LUCK)
    assert event_hash(secret, GENESIS) in {event_hash(guess, GENESIS) for guess in guesses}
    assert sealed.hash not in {event_hash(guess, GENESIS) for guess in guesses}


def test_events_survive_a_round_trip() -> None:
    for event in play_match(GAME):
        assert read_event(write_event(event), GAME) == event
        assert write_event(read_event(write_event(event), GAME)) == write_event(event)


def test_the_header_of_a_first_event_names_the_game() -> None:
    header = read_header(log_lines(play_match(GAME, match="m05x"))[0])
    assert (header.match, header.game, header.rules_version) == ("m05x", "tic_tac_toe", GAME.rules_version)


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b'{"kind":"dealt"}', b'{"kind":"moved"}',
     b'{"kind":"moved","ply":"1","at":"2026-01-01T00:00:00Z"}',
     b'{"at":"2026-01-01T00:00:00Z","facts":[{"type":"cell_marked","seat":"green","cell":0}],"kind":"moved","ply":1}'],
)  # fmt: skip
def test_anything_but_an_event_is_refused(raw: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        read_event(raw, GAME)


def test_each_event_links_to_the_one_before() -> None:
    events: list[AnyEvent] = play_match(GAME)
    assert events[0].prev == GENESIS
    assert all(later.prev == earlier.hash for earlier, later in pairwise(events))


def test_no_event_reveals_its_seed_before_the_end() -> None:
    table = sit_down(GAME, seed=bytes(range(32)))
    assert all(bytes(range(32)).hex().encode() not in line for line in log_lines(table.events))

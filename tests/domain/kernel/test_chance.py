"""Chance: published test vectors, uniformity, random access, and scripts that must be used up."""

import json
import shutil
import subprocess
from collections import Counter
from itertools import count, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.kernel.chance import WORD_RANGE, Drawn, Fast, Scripted, ScriptError, Seed, block_words

ROOT = Path(__file__).parents[3]
VECTORS: dict[str, Any] = json.loads((ROOT / "docs/test-vectors.json").read_text())
KEY = bytes(range(32))


def with_vectors(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", VECTORS[kind], ids=range(len(VECTORS[kind])))


@with_vectors("commitments")
def test_a_seed_is_committed_to_by_its_hash(vector: dict[str, Any]) -> None:
    assert Seed(bytes.fromhex(vector["seed"])).commitment() == vector["commitment"]


@with_vectors("salts")
def test_salts_come_from_the_seed(vector: dict[str, Any]) -> None:
    assert Seed(bytes.fromhex(vector["seed"])).salt(vector["ply"]) == vector["salt"]


@with_vectors("keys")
def test_the_key_of_a_match(vector: dict[str, Any]) -> None:
    seed = Seed(bytes.fromhex(vector["seed"]), given=vector["given"])
    assert seed.key(vector["match"], vector["client_seeds"]).hex() == vector["key"]


@with_vectors("blocks")
def test_words_of_a_block(vector: dict[str, Any]) -> None:
    block = block_words(bytes.fromhex(vector["key"]), vector["n"], vector["block"])
    assert list(block) == vector["words"]
    assert b"".join(word.to_bytes(4, "big") for word in block).hex() == vector["hex"]


@with_vectors("draws")
def test_draws_below_a_bound(vector: dict[str, Any]) -> None:
    source = Drawn(bytes.fromhex(vector["key"]), vector["n"])
    assert [source.below(bound) for bound in vector["below"]] == vector["results"]


@with_vectors("shuffles")
def test_shuffles(vector: dict[str, Any]) -> None:
    source = Drawn(bytes.fromhex(vector["key"]), vector["n"])
    assert source.shuffle(range(vector["items"])) == vector["order"]


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
@with_vectors("blocks")
def test_openssl_computes_the_same_blocks(vector: dict[str, Any]) -> None:
    label = b"draw/v1|%d|" % vector["n"] + vector["block"].to_bytes(8, "big")
    command = ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{vector['key']}"]
    printed = subprocess.run(command, input=label, capture_output=True, check=True).stdout
    assert printed.decode().split()[-1] == vector["hex"]


def test_the_draws_of_one_event_do_not_affect_another() -> None:
    alone = [Drawn(KEY, 5).below(6) for _ in range(1)]
    busy = Drawn(KEY, 4)
    for _ in range(100):
        busy.below(6)
    assert [Drawn(KEY, 5).below(6)] == alone
    assert [Drawn(KEY, 4).below(WORD_RANGE), Drawn(KEY, 5).below(WORD_RANGE)] != [Drawn(KEY, 5).below(WORD_RANGE)] * 2


def test_a_key_given_as_a_function_is_derived_once_at_the_first_draw() -> None:
    derived = []

    def derive_key() -> bytes:
        derived.append(KEY)
        return KEY

    source = Drawn(derive_key, 5)
    assert not derived
    known = Drawn(KEY, 5)
    assert [source.below(6) for _ in range(20)] == [known.below(6) for _ in range(20)]
    assert derived == [KEY]


def test_a_key_depends_on_the_match_and_every_client_seed() -> None:
    seed = Seed(KEY)
    keys = {seed.key(match, clients) for match in ("a", "b") for clients in (("x", "y"), ("y", "x"), ("x", "none"))}
    assert len(keys) == 6


def test_a_given_seed_makes_the_same_draws_in_every_match() -> None:
    seed = Seed(KEY, given=True)
    assert seed.key("a", ("x",)) == seed.key("b", ()) != Seed(KEY).key("a", ("x",))


def test_a_seed_does_not_appear_in_its_repr() -> None:
    assert KEY.hex() not in repr(Seed(KEY))
    assert "\\x" not in repr(Seed(KEY))


@pytest.mark.parametrize("size", [0, 65])
def test_a_seed_has_1_to_64_bytes(size: int) -> None:
    with pytest.raises(ValueError, match=f"this one has {size}"):
        Seed(bytes(size))


@pytest.mark.parametrize("bound", [0, -1, WORD_RANGE + 1])
def test_a_bound_out_of_range_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match="must be"):
        Drawn(KEY, 0).below(bound)


def test_dice_are_fair() -> None:
    source = Drawn(KEY, 1)
    seen = Counter(source.die() for _ in range(60_000))
    chi_square = sum((seen[face] - 10_000) ** 2 / 10_000 for face in range(1, 7))
    assert sorted(seen) == [1, 2, 3, 4, 5, 6]
    assert chi_square < 20.5  # 5 degrees of freedom: exceeded once in a thousand runs


def test_every_order_of_four_is_equally_likely() -> None:
    source = Drawn(KEY, 2)
    seen = Counter(tuple(source.shuffle("abcd")) for _ in range(24_000))
    chi_square = sum((seen[order] - 1_000) ** 2 / 1_000 for order in permutations("abcd"))
    assert chi_square < 49.7  # 23 degrees of freedom: exceeded once in a thousand runs


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**40), st.lists(st.integers(1, WORD_RANGE), max_size=40))
def test_draws_are_the_words_below_the_largest_multiple_of_their_bound(key: bytes, n: int, bounds: list[int]) -> None:
    source = Drawn(key, n)
    unused = (word for block in count() for word in block_words(key, n, block))
    for bound in bounds:
        limit = WORD_RANGE - WORD_RANGE % bound
        assert source.below(bound) == next(word for word in unused if word < limit) % bound


@given(st.binary(min_size=32, max_size=32), st.integers(0, 2**40), st.lists(st.integers(1, WORD_RANGE), max_size=40))
def test_draws_are_below_their_bound(key: bytes, n: int, bounds: list[int]) -> None:
    source = Drawn(key, n)
    assert all(0 <= source.below(bound) < bound for bound in bounds)


@given(st.lists(st.integers()), st.integers(0, 2**32))
def test_a_shuffle_keeps_all_items_and_does_not_change_its_argument(items: list[int], seed: int) -> None:
    before = list(items)
    assert sorted(Fast(seed).shuffle(items)) == sorted(items)
    assert items == before


def test_a_pick_is_the_item_at_one_draw() -> None:
    assert Scripted([2]).pick("abc") == "c"


def test_a_fast_source_is_repeatable() -> None:
    assert [Fast("x").below(1000) for _ in range(3)] == [Fast("x").below(1000)] * 3


def test_a_script_is_returned_in_order() -> None:
    script = Scripted.dice(6, 1, 3)
    assert [script.die(), script.die(), script.die()] == [6, 1, 3]
    script.finish()


def test_a_script_that_is_too_short_raises() -> None:
    script = Scripted([0])
    script.below(6)
    with pytest.raises(ScriptError, match=r"draw 2 \(below\(6\)\)"):
        script.below(6)


def test_a_script_that_is_too_long_raises() -> None:
    with pytest.raises(ScriptError, match="has 2 draws, but only 0 were used"):
        Scripted([0, 0]).finish()


@pytest.mark.parametrize("value", [-1, 6])
def test_a_scripted_draw_out_of_range_raises(value: int) -> None:
    with pytest.raises(ScriptError, match=r"must return 0\.\.5"):
        Scripted([value]).below(6)

"""Luck protocol 2 produces the published values, in our code and in `openssl` without any of our code."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.luck import (
    MatchSecrets,
    Streams,
    hmac_sha256,
    join_shares,
    seed_commitment,
    share_seal,
    stream_words,
    table_hash,
)

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[3] / "docs/test-vectors.json").read_text())[
    "crumbtrail/luck/2"
]
SALTS = bytes(32)
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


def with_vectors(kind: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", VECTORS[kind], ids=range(len(VECTORS[kind])))


def secrets_of(vector: dict[str, Any]) -> MatchSecrets:
    return MatchSecrets(vector["match"], bytes.fromhex(vector["seed"]), SALTS, given=vector["given"])


def key_text(vector: dict[str, Any]) -> str:
    """Return the part of a key's text after its label."""
    return "given" if vector["given"] else f"{vector['match']}|{join_shares(vector['shares'])}"


def openssl_sha256(text: str) -> str:
    run = subprocess.run(["openssl", "dgst", "-sha256"], input=text.encode(), capture_output=True, check=True)
    return run.stdout.decode().split()[-1]


def openssl_hmac(key: str, text: str) -> str:
    command = ["openssl", "dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{key}"]
    run = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    return run.stdout.decode().split()[-1]


# -- our code -------------------------------------------------------------------------------------------------------


@with_vectors("commitments")
def test_the_commitment_to_a_seed(vector: dict[str, Any]) -> None:
    assert seed_commitment(vector["match"], bytes.fromhex(vector["seed"])) == vector["commitment"]


@with_vectors("seals")
def test_the_seal_of_a_share(vector: dict[str, Any]) -> None:
    seal = share_seal(vector["match"], vector["seat"], vector["commitment"], vector["share"])
    assert seal == vector["seal"]


@with_vectors("tables")
def test_the_hash_of_a_full_table(vector: dict[str, Any]) -> None:
    assert table_hash(vector["match"], vector["commitment"], vector["seals"]) == vector["table"]


@with_vectors("keys")
def test_the_key_of_all_draws(vector: dict[str, Any]) -> None:
    assert secrets_of(vector).key(vector["shares"]).hex() == vector["key"]


@with_vectors("bots")
def test_the_secret_of_house_bots(vector: dict[str, Any]) -> None:
    secret = hmac_sha256(bytes.fromhex(vector["seed"]), f"crumbtrail/bots/2|{key_text(vector)}")
    assert secret.hex() == vector["bots"]
    turns = [each for each in VECTORS["bot_decisions"] if each["bots"] == vector["bots"]]
    assert turns
    for turn in turns:
        made = secrets_of(vector).bot_decision(vector["match"], vector["shares"], turn["seat"], turn["moves_before"])
        assert made.hex() == turn["bytes"]


@with_vectors("salts")
def test_the_salt_of_a_ply(vector: dict[str, Any]) -> None:
    secrets = MatchSecrets("m", bytes(32), bytes.fromhex(vector["salts"]))
    assert secrets.salt(vector["ply"]) == vector["salt"]


@with_vectors("blocks")
def test_the_numbers_of_a_block(vector: dict[str, Any]) -> None:
    numbers = stream_words(bytes.fromhex(vector["key"]), vector["purpose"], vector["use"], vector["block"])
    assert list(numbers) == vector["words"]
    assert b"".join(word.to_bytes(4, "big") for word in numbers).hex() == vector["hex"]


@with_vectors("draws")
def test_draws_below_a_bound(vector: dict[str, Any]) -> None:
    source = Streams(bytes.fromhex(vector["key"]), {vector["purpose"]: vector["use"]}).use(vector["purpose"])
    assert [source.below(bound) for bound in vector["below"]] == vector["results"]


@with_vectors("shuffles")
def test_shuffles_and_whether_they_count_as_a_use(vector: dict[str, Any]) -> None:
    streams = Streams(bytes.fromhex(vector["key"]), {vector["purpose"]: vector["use"]})
    assert streams.use(vector["purpose"]).shuffle(range(vector["items"])) == vector["order"]
    assert streams.used.get(vector["purpose"], 0) == vector["uses"]


def test_the_vectors_contain_the_hard_cases() -> None:
    assert any(v["shares"].count(None) == 1 and len(v["shares"]) == 4 for v in VECTORS["keys"])
    assert any(v["seals"].count(None) == 1 and len(v["seals"]) == 4 for v in VECTORS["tables"])
    assert {v["given"] for v in VECTORS["keys"]} == {True, False}
    assert {v["use"] for v in VECTORS["blocks"]} >= {0, 10**6}
    assert {v["block"] for v in VECTORS["blocks"]} == {0, 1}
    assert {"/" in v["purpose"] for v in VECTORS["blocks"]} == {True, False}
    assert any(v["purpose"] == "seats" for v in VECTORS["shuffles"])
    assert {v["items"] for v in VECTORS["shuffles"]} >= {0, 1, 2, 28, 52}
    assert any(set(v["below"]) == {2**31 + 1} and v["rejected"] for v in VECTORS["draws"])
    assert any(v["below"] == [1] for v in VECTORS["draws"])


# -- openssl --------------------------------------------------------------------------------------------------------


@needs_openssl
def test_openssl_computes_the_same_hashes() -> None:
    for v in VECTORS["commitments"]:
        assert openssl_sha256(f"crumbtrail/seed/2|{v['match']}|{v['seed']}") == v["commitment"]
    for v in VECTORS["seals"]:
        text = f"crumbtrail/share/2|{v['match']}|{v['seat']}|{v['commitment']}|{v['share']}"
        assert openssl_sha256(text) == v["seal"]
    for v in VECTORS["tables"]:
        seals = ",".join(seal or "-" for seal in v["seals"])
        assert openssl_sha256(f"crumbtrail/table/2|{v['match']}|{v['commitment']}|{seals}") == v["table"]


@needs_openssl
def test_openssl_computes_the_same_keys_blocks_and_salts() -> None:
    for v in VECTORS["keys"]:
        assert openssl_hmac(v["seed"], f"crumbtrail/key/2|{key_text(v)}") == v["key"]
    for v in VECTORS["bots"]:
        assert openssl_hmac(v["seed"], f"crumbtrail/bots/2|{key_text(v)}") == v["bots"]
    for v in VECTORS["bot_decisions"]:
        assert openssl_hmac(v["bots"], f"bot/2|{v['seat']}|{v['moves_before']}") == v["bytes"]
    for v in VECTORS["salts"]:
        assert openssl_hmac(v["salts"], f"salt/2|{v['ply']}") == v["salt"]
    for v in VECTORS["blocks"]:
        assert openssl_hmac(v["key"], f"draw/2|{v['purpose']}|{v['use']}|{v['block']}") == v["hex"]

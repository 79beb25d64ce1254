"""The documentation of replays matches the code."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import get_args

import pytest

from domain.kernel.events import EVENT_TYPES
from replays import file, frame
from replays.verify import LAYERS
from tests.builders import log_lines, play_match
from tests.replays.test_tampering import GAMES

DOCS = Path(__file__).parents[2] / "docs"
FORMAT = (DOCS / "replay-format.md").read_text()
ROLL = (DOCS / "verify-a-roll.md").read_text()


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
@pytest.mark.parametrize("shell", ["bash", "dash", "sh"])
def test_the_commands_in_the_docs_print_the_output_shown(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    commands, outputs = blocks(ROLL, "sh"), blocks(ROLL, "text")
    assert len(commands) == 2, "one for each luck protocol"
    for command, output in zip(commands, outputs, strict=True):
        run = subprocess.run([shell, "-c", command], capture_output=True, text=True, check=True, timeout=60)
        assert run.stdout == output
        assert run.stderr == ""


def test_the_roll_in_the_docs_is_in_the_test_vectors() -> None:
    vectors = json.loads((DOCS / "test-vectors.json").read_text())
    commitment, key, hexed, *dice = blocks(ROLL, "text")[1].split()
    assert commitment == vectors["commitments"][0]["commitment"]
    assert key == vectors["keys"][0]["key"]
    assert hexed in {vector["hex"] for vector in vectors["blocks"] if (vector["key"], vector["n"]) == (key, 7)}
    draws = next(vector["results"] for vector in vectors["draws"] if (vector["key"], vector["n"]) == (key, 7))
    assert [int(die) - 1 for die in dice] == draws[:3]


def test_the_roll_of_luck_protocol_2_is_in_the_test_vectors() -> None:
    vectors = json.loads((DOCS / "test-vectors.json").read_text())["crumbtrail/luck/2"]
    commitment, seal_0, seal_1, table, key, hexed, *dice = blocks(ROLL, "text")[0].split()
    assert commitment == vectors["commitments"][0]["commitment"]
    assert [seal_0, seal_1] == [vector["seal"] for vector in vectors["seals"][:2]]
    assert table == vectors["tables"][0]["table"]
    assert key == vectors["keys"][0]["key"]
    assert hexed == vectors["blocks"][0]["hex"]
    assert [int(die) - 1 for die in dice] == vectors["draws"][0]["results"]


def test_the_format_names_every_kind_and_field() -> None:
    kinds = {str(kind.__struct_config__.tag) for kind in EVENT_TYPES}
    assert all(f"| `{kind}` |" in FORMAT for kind in kinds)
    assert all(f"`{field}`" in FORMAT for kind in EVENT_TYPES for field in kind.__struct_fields__)
    fields = {field for line in log_lines(play_match(GAMES[0])) for field in json.loads(line)}
    fields |= set(frame.Header.__struct_fields__) | set(frame.Closing.__struct_fields__)
    assert all(f"`{field}`" in FORMAT for field in fields), [field for field in fields if f"`{field}`" not in FORMAT]


def test_the_format_names_every_layer_and_rule() -> None:
    assert all(f"| `{layer}` |" in FORMAT for layer in LAYERS)
    replays = DOCS.parent / "replays"
    sources = [
        path.read_text() for path in (replays / "file.py", replays / "frame.py", *(replays / "verify").glob("*.py"))
    ]
    rules = {rule for source in sources for rule in re.findall(rf'"((?:{"|".join(LAYERS)})\.\w+)"', source)}
    assert len(rules) > 20
    assert all(f"`{rule}`" in FORMAT for rule in rules), [rule for rule in rules if f"`{rule}`" not in FORMAT]
    named = set(re.findall(r"`((?:file|chain|signature|lifecycle|seed|fold|score|clocks|authorship)\.\w+)`", FORMAT))
    assert named == rules


def test_the_format_names_the_limits() -> None:
    assert f"{file.MAX_FILE // 2**20} MiB" in FORMAT
    assert f"{file.MAX_LINE // 2**20} MiB" in FORMAT
    assert f"{file.MAX_EVENTS:,}" in FORMAT
    assert f"`{file.SUFFIX}`" in FORMAT
    assert all(f"`{version}`" in FORMAT for version in get_args(frame.Header.__annotations__["crumbtrail"]))

"""Both verifiers confirm the random outcomes in a file or find the changed one, with or without the rules."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from domain.kernel.registry import games
from replays.standalone_verify import DRAWS
from replays.standalone_verify import verify as verify_alone
from replays.verify import verify
from tests.replays.plants import PlantedFile, golden_files, golden_versions, kinds, mangled_files, planted_files
from tests.replays.test_tampering import every_game
from tools.draw_tables import files

FILES = golden_files()
every_version = pytest.mark.parametrize(
    ("slug", "version"), [(slug, version) for slug in games() for version in golden_versions(slug)]
)
"""Every game at every rules version that has golden replays."""


def test_the_verifiers_have_the_current_draw_tables_of_the_games() -> None:
    """If this fails: `python -m tools.draw_tables`."""
    stale = [path.name for path, text in files() if path.read_text() != text]
    assert stale == []
    assert {slug for slug in DRAWS if DRAWS[slug]} == set(games())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_golden_replay_verifies_with_the_standalone_script(path: Path) -> None:
    layers, wrong = verify_alone(path.read_bytes())
    assert wrong is None, layers
    assert {name: status for name, status, _ in layers} == dict.fromkeys(("file", "chain", "seed", "draws"), "ok")


@pytest.mark.slow
@every_version
def test_the_golden_replays_contain_every_kind_of_draw(slug: str, version: int) -> None:
    assert {plant.kind for plant in planted_files(slug, version)} == kinds(slug, version)


@pytest.mark.slow
@every_version
def test_a_planted_draw_is_found_by_the_script_at_its_ply(slug: str, version: int) -> None:
    for plant in planted_files(slug, version):
        layers, wrong = verify_alone(plant.raw)
        assert wrong is not None, plant.kind
        assert (wrong.line - 1, wrong.layer) == (plant.ply, "draws"), (plant.kind, layers)
        assert {name for name, status, _ in layers if status != "ok"} == {"draws"}, plant.kind
        check_words(plant, str(wrong))


def check_words(plant: PlantedFile, sentence: str) -> None:
    """Check that the sentence names the ply, the expected value and the value in the file."""
    parts = re.fullmatch(r"ply (\d+), \w+(?: \d+ of \d+)?: the (?:seed|pile) gives (.+), the file shows (.+)", sentence)
    assert parts is not None, sentence
    ply, expected, shown = parts[1], parts[2], re.sub(r" \(and \d+ more\)$", "", parts[3])
    assert int(ply) == plant.ply
    if plant.kind[2] != "spread":  # where the planted value is one coordinate of the value shown
        assert (json.loads(expected), json.loads(shown)) == (plant.was, plant.became), plant.kind


@pytest.mark.slow
@pytest.mark.parametrize("one_in", [9, pytest.param(1, marks=pytest.mark.full)])
@every_version
def test_a_planted_draw_is_found_by_the_engine_at_its_ply(slug: str, version: int, one_in: int) -> None:
    for plant in planted_files(slug, version)[::one_in]:
        report = verify(plant.raw)
        assert report.first is not None, plant.kind
        assert report.first.ply == plant.ply, (plant.kind, report.as_text())
        failed = {layer.name for layer in report.layers if layer.status == "failed"}
        assert failed & {"draws", "moves"}, plant.kind


@pytest.mark.slow
@pytest.mark.parametrize("count", [20, pytest.param(200, marks=pytest.mark.full)])
@every_game
def test_any_value_in_any_place_gets_a_report(game: Any, count: int) -> None:
    """The script accepts every file that the engine accepts; it finds fewer errors, as it does not know the rules."""
    for raw in mangled_files(game.slug, count):
        layers, wrong = verify_alone(raw)
        assert len(layers) in (1, 4)
        if wrong is not None:
            assert not verify(raw).ok, (wrong.line, str(wrong))

"""The sounds of the tables: every file is what its generator makes, short and small."""

import wave

import pytest

from tools.sounds import FOLDER, RATE, SOUNDS, main, wav

MAX_BYTES = 8_000
MAX_SECONDS = 0.4


def samples(content: bytes) -> bytes:
    """Return a file without its header."""
    return content[44:]


@pytest.mark.parametrize("name", SOUNDS)
def test_a_sound_is_what_its_generator_makes(name: str) -> None:
    """Each sample may differ by one step, because the last digit of a sine depends on the processor."""
    kept, made = (FOLDER / f"{name}.wav").read_bytes(), wav(*SOUNDS[name])
    assert len(kept) == len(made)
    assert max(abs(one - other) for one, other in zip(samples(kept), samples(made), strict=True)) <= 1


@pytest.mark.parametrize("name", SOUNDS)
def test_a_sound_is_short_and_small(name: str) -> None:
    path = FOLDER / f"{name}.wav"
    assert path.stat().st_size < MAX_BYTES
    with wave.open(str(path)) as file:
        assert file.getframerate() == RATE
        assert file.getnframes() / RATE < MAX_SECONDS


def test_no_sound_lies_there_that_nobody_makes_or_plays() -> None:
    script = (FOLDER.parent / "js" / "sound.js").read_text()
    assert {path.stem for path in FOLDER.iterdir()} == set(SOUNDS)
    assert all(f'"{name}"' in script for name in SOUNDS)


def test_the_generator_reports_a_changed_file(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.sounds.FOLDER", tmp_path)
    assert main(["--check"]) == 1
    assert main([]) == 0
    assert main(["--check"]) == 0

"""The examples of a property test don't depend on what else ran in the same process."""

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

STRANGE = 918_273_645_546_372_819


def examples() -> list[tuple[int, str]]:
    """Return the examples of a property test of the steady profile."""
    found: list[tuple[int, str]] = []

    @settings(max_examples=300, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
    @given(st.integers(), st.text())
    def record(number: int, text: str) -> None:
        found.append((number, text))

    record()
    return found


@pytest.mark.skipif(not settings().derandomize, reason="another profile was chosen")
def test_a_loaded_module_does_not_change_the_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the steady profile. `--hypothesis-profile=exploring` tries new examples on purpose."""
    # given
    before = examples()
    # when
    source = tmp_path / "strange.py"
    source.write_text("".join(f"VALUE_{n} = {STRANGE + n}\n" for n in range(200)))
    spec = importlib.util.spec_from_file_location("strange", source)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "strange", module)
    spec.loader.exec_module(module)
    # then
    assert examples() == before

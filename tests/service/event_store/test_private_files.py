"""Files that hold seeds, keys or backups: nobody but their owner can ever open them."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.cli.backup import copy_log
from service.event_store.connect import connect
from service.event_store.embedded import EmbeddedServer
from service.event_store.private_files import make_private


@pytest.fixture(autouse=True)
def loose_umask() -> Iterator[None]:
    """The usual umask, which lets everybody read new files."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    """Return what others could open in a folder, the folder included."""
    paths = [folder, *folder.rglob("*")]
    modes = {path: path.lstat().st_mode for path in paths}
    return [f"{path.relative_to(folder.parent)} {mode:o}" for path, mode in modes.items() if mode & 0o077]


def test_all_files_of_the_data_folder_are_private(short_dir: Path) -> None:
    """Given the usual umask, when the server has written, rewritten and restarted, then only its owner can open its
    files: log, lock, socket and messages."""
    folder = short_dir / "var"
    with EmbeddedServer(folder) as server:
        redis = connect(server.url())
        redis.set("seed", "secret")
        redis.bgrewriteaof()
        assert open_to_others(folder) == []
        assert {"server.lock", "server.log", "server.sock", "appendonlydir"} <= {path.name for path in folder.iterdir()}
    with EmbeddedServer(folder):
        assert open_to_others(folder) == []


def test_files_of_an_earlier_release_become_private(short_dir: Path) -> None:
    folder = short_dir / "var"
    with EmbeddedServer(folder) as server:
        connect(server.url()).set("seed", "secret")
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert open_to_others(folder)
    with EmbeddedServer(folder):
        assert open_to_others(folder) == []


def test_a_backup_is_private_from_the_first_byte(
    server: EmbeddedServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then no file of it is open to others even while it is being written."""
    seen: list[str] = []

    def look(source: object, target: object, *_: object) -> None:
        seen.extend(open_to_others(next(tmp_path.glob("copy*"))))
        target.write(source.read())  # type: ignore[attr-defined]

    monkeypatch.setattr("service.cli.backup.shutil.copyfileobj", look)
    copy_log(connect(server.url()), tmp_path / "copy")
    assert seen == []
    assert open_to_others(tmp_path / "copy") == []


def test_links_and_missing_files_are_left_alone(tmp_path: Path) -> None:
    """Given a link to a file outside, then that file keeps its mode."""
    outside = tmp_path / "outside"
    outside.write_text("")
    outside.chmod(0o644)
    folder = tmp_path / "var"
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "dangling").symlink_to(tmp_path / "nowhere")
    make_private(folder)
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_processes_of_up_create_private_files(tmp_path: Path) -> None:
    """Given a process that keeps its new files private, then files of its children are private too."""
    script = (
        "import subprocess, sys; from service.event_store.private_files import keep_new_files_private;"
        "keep_new_files_private(); open('mine', 'w'); subprocess.run([sys.executable, '-c', \"open('childs', 'w')\"])"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True, env=environment)
    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("mine", "childs")} == {0o600}

"""Any process can be killed (-9) during a match: acknowledged moves are stored once, and the bot keeps moving."""

import sys
from functools import partial
from pathlib import Path

import pytest

from tests.reliability.players import Client, play_to_end, replay_of
from tests.reliability.stack import COMMAND_MARKS, running_stack

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")


@pytest.mark.full
def test_every_process_can_be_killed_during_a_match(tmp_path: Path) -> None:
    """Kills a process on every other turn; acknowledged moves are stored once, even after a restart."""
    with running_stack(tmp_path / "var", tmp_path / "output") as stack:
        client = Client(stack)
        match = client.create_bot_match("battle_of_the_bakeries")  # its matches have more turns than are needed here
        kills = [partial(stack.kill, name) for name in COMMAND_MARKS]
        replay = play_to_end(client, match, kills, turns=2 * len(kills) + 4)
        stack.wait_until_ready()
    with running_stack(tmp_path / "var", tmp_path / "output") as again:
        assert replay_of(Client(again), match) == replay

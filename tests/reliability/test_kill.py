"""Kill -9 of any process in the middle of a match: what was acknowledged is there, once, and the bot still moves."""

import sys
from functools import partial
from pathlib import Path

import pytest

from tests.reliability.players import Client, play_to_end, replay_of
from tests.reliability.stack import COMMAND_MARKS, running_stack

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="finds the processes in /proc")


def test_every_process_may_be_killed_in_mid_match(tmp_path: Path) -> None:
    """Given a match against the greedy bot, when at every second turn another process is killed, each in its turn, then
    all that was acknowledged is there, once, also behind a stop and a new start."""
    with running_stack(tmp_path / "var", tmp_path / "output") as stack:
        client = Client(stack)
        match = client.create_bot_match("battle_of_the_bakeries")  # its matches are longer than all these turns
        kills = [partial(stack.kill, name) for name in COMMAND_MARKS]
        replay = play_to_end(client, match, kills, turns=2 * len(kills) + 4)
        stack.wait_until_ready()
    with running_stack(tmp_path / "var", tmp_path / "output") as again:
        assert replay_of(Client(again), match) == replay

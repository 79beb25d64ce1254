"""Reproduce the draws of a ply from the revealed seed: what was drawn, and how likely it was."""

from math import prod

import msgspec

from domain.kernel.chance import Seed
from domain.kernel.events import SeedRevealed
from replays.re_execution import Draw, TracedLuck, re_execute
from replays.replay import NotVisible, Replay


class DrawReport(msgspec.Struct, frozen=True):
    """The draws of one ply in order. All values of a draw were equally likely."""

    draws: tuple[Draw, ...]

    @property
    def one_in(self) -> int:
        """The number of equally likely outcomes of these draws."""
        return prod(draw.below for draw in self.draws)


def report_draws(replay: Replay, ply: int) -> DrawReport:
    """Return the draws of a ply, which may be none. Raises NoSuchPly, and NotVisible before the seed is revealed."""
    event = replay.event(ply)
    seed = next((each.seed for each in replay.events if isinstance(each, SeedRevealed)), None)
    if seed is None:
        raise NotVisible("the seed is revealed when the match is over")
    if event.draw is None:
        return DrawReport(())
    luck = TracedLuck(Seed(bytes.fromhex(seed), given=replay.created.given))
    re_execute(replay.at(ply - 1), event, luck)
    return DrawReport(tuple(luck.traced))

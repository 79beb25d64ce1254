"""Reproduce the draws of a ply from the revealed seed: what was drawn, and how likely it was."""

from math import prod

import msgspec

from domain.kernel.events import SeedRevealed
from domain.match.luck import revealed_secrets
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
    revealed = next((each for each in replay.events if isinstance(each, SeedRevealed)), None)
    if revealed is None:
        raise NotVisible("the seed is revealed when the match is over")
    if event.draw is None:
        return DrawReport(())
    then = replay.at(ply - 1)
    luck = TracedLuck(revealed_secrets(then, revealed))
    re_execute(then, event, luck)
    return DrawReport(tuple(luck.traced))

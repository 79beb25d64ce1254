"""The `crumbtrail` commands of the workers."""

from workers.arena.command import arena
from workers.bots.commands import bot
from workers.bots.terminal import play
from workers.processes.dispatcher import main as dispatcher
from workers.processes.worker import main as worker
from workers.projection.rebuild import rebuild

__all__ = ["arena", "bot", "dispatcher", "play", "rebuild", "worker"]

"""The commands of the workers, for `crumbtrail`."""

from workers.arena import arena
from workers.bots.commands import bot
from workers.dispatcher import main as dispatcher
from workers.play import play
from workers.rebuild import rebuild
from workers.worker import main as worker

__all__ = ["arena", "bot", "dispatcher", "play", "rebuild", "worker"]

"""Three log servers with sentinels and failover guards. Any one server can be lost."""

import time
from pathlib import Path
from random import Random

from redis import Redis

from service.event_store.connect import connect
from tests.reliability.servers import Server
from tests.reliability.trio import SentinelTrio


class ThreeServers:
    """The log of a run on three servers. Tests kill one of them at a time."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._trio = SentinelTrio(folder)
        self._trio.wait_until_whole()

    @property
    def settings(self) -> dict[str, str]:
        """The settings of the service."""
        return self._trio.environment

    def client(self) -> Redis:
        """Return a connection to the current primary."""
        client = connect(self._trio.url)
        assert isinstance(client, Redis)
        return client

    def lose_primary(self, seconds: float) -> None:
        """Kill (-9) the primary, and start it again later."""
        self._lose(self._trio.primary(), seconds)

    def lose_replica(self, seconds: float, luck: Random) -> None:
        """Kill (-9) one of the replicas, and start it again later."""
        self._lose(luck.choice(self._trio.replicas()), seconds)

    def _lose(self, server: Server, seconds: float) -> None:
        server.kill()
        time.sleep(seconds)
        server.start()
        self._trio.wait_until_whole()

    def stop(self) -> None:
        """End all servers."""
        self._trio.end()

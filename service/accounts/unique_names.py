"""Makes the names unique that were given before names had to be unique. Runs once for each version of the skeletons.

Of several players with the same name, the one who has been here longest keeps it. The others get a number after the
name, and a notice. Any process may run it at any time, also together with others: every step can be repeated.
"""

import logging
import secrets
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple

from cachetools import LRUCache
from redis import Redis
from redis.exceptions import NoPermissionError

from service.accounts.name_notices import NameNotices
from service.accounts.names import MAX_NAME_LENGTH, InvalidName, is_reserved, skeleton_version
from service.accounts.players import Player, Players
from service.event_store.keys import NAMES_LEASE_KEY, NAMES_VERSION_KEY, player_key, sessions_key
from service.runtime.clock import from_milliseconds

LEASE_SECONDS = 60
"""How long other processes wait for one that has died."""
SCAN_BATCH = 500
MAX_TRACES = 10_000
"""Maximum number of players whose first appearance one check remembers."""
MAX_NUMBER = 99_999
"""The largest number after a name. After it, random names are used."""
FOREVER = datetime.max.replace(tzinfo=UTC)
DUPLICATE = "Another player had the same name first, or one that looks the same."
RESERVED = "Your name could be mistaken for a part of this server."

logger = logging.getLogger("crumbtrail.accounts")


class Renaming(NamedTuple):
    """What `UniqueNames.run` did: how many names it checked, and how many it changed."""

    checked: int
    changed: int


class NameSources(NamedTuple):
    """What a check of names needs. `first_match_at` returns when a player's first match began."""

    redis: Redis
    players: Players
    notices: NameNotices
    first_match_at: Callable[[str], datetime | None]


class UniqueNames:
    """Gives every player's name to exactly one player."""

    def __init__(self, sources: NameSources) -> None:
        self._sources = sources
        self._redis: Any = sources.redis

    def run_once(self) -> bool:
        """Make the names unique unless that was done before. Return False if another process is doing it now.

        Without the permission to list all players, a warning tells the operator what to do. Raises redis-py's errors.
        """
        if self._redis.get(NAMES_VERSION_KEY) == skeleton_version().encode():
            return True
        if not self._redis.set(NAMES_LEASE_KEY, secrets.token_hex(8), nx=True, ex=LEASE_SECONDS):
            return False
        try:
            self.run()
        except NoPermissionError:
            logger.warning(
                "Existing names were not checked for duplicates, because the account on the log server may not use "
                "SCAN. Write new accounts with `crumbtrail acl`, or run `crumbtrail admin check-names` with an "
                "account that may."
            )
        finally:
            self._redis.delete(NAMES_LEASE_KEY)
        return True

    def run(self) -> Renaming:
        """Make all names unique, whether or not it was done before."""
        run, checked = NameCheck(self._sources), 0
        for checked, key in enumerate(self._redis.scan_iter(match=player_key("*"), count=SCAN_BATCH), 1):
            run.settle(key.decode().removeprefix(player_key("")))
            if checked % SCAN_BATCH == 0:
                self._redis.expire(NAMES_LEASE_KEY, LEASE_SECONDS)
        self._redis.set(NAMES_VERSION_KEY, skeleton_version())
        if run.changed:
            logger.warning("%d of %d names were not unique and have been changed.", run.changed, checked)
        return Renaming(checked, run.changed)


class NameCheck:
    """One check of all names. `changed` is the number of names that it has changed."""

    def __init__(self, sources: NameSources) -> None:
        self._redis: Any = sources.redis
        self._players, self._notices = sources.players, sources.notices
        self._first_match_at = sources.first_match_at
        self._numbers: Counter[str] = Counter()
        """The last number that was tried after a name, less one."""
        self._first_traces: LRUCache[str, datetime] = LRUCache(MAX_TRACES)
        self.changed = 0

    def settle(self, number: str) -> None:
        """Give a player the claim to their name, or another name."""
        claims = self._players.name_claims
        while (player := self._players.find(number)) is not None:  # another process may have renamed or erased them
            if is_reserved(player.name):
                self._rename(player, RESERVED)
            elif claims.try_claim(player.id, player.name):
                return
            else:
                holder = self._players.find(claims.holder(player.name, but=player.id) or "")
                if holder is not None:  # otherwise a player was renamed or erased just now
                    self._rename(max(player, holder, key=lambda each: (self._here_since(each.id), each.id)), DUPLICATE)

    def _here_since(self, player: str) -> datetime:
        """Return the earliest trace of a player: a match, a token or a session."""
        known: datetime | None = self._first_traces.get(player)
        if known is None:
            sessions = self._redis.zrange(sessions_key(player), 0, 0, withscores=True)
            traces = [
                self._first_match_at(player),
                *(token.at for token in self._players.tokens(player)[:1]),
                *(from_milliseconds(began * 1000) for _, began in sessions),
            ]
            known = min((each for each in traces if each is not None), default=FOREVER)
            self._first_traces[player] = known
        return known

    def _rename(self, player: Player, reason: str) -> None:
        """Give a player a number after their name, or a random name if it is reserved, and leave a notice."""
        self._notices.leave(player.id, player.name, reason)  # first, so that nobody is renamed without a notice
        while True:
            self._numbers[player.name] += 1
            number = self._numbers[player.name] + 1
            is_numbered = reason == DUPLICATE and number <= MAX_NUMBER
            wanted = with_number(player.name, number) if is_numbered else self._players.free_random_name()
            with suppress(InvalidName):
                self._players.rename(player, wanted)
                self.changed += 1
                return


def with_number(name: str, number: int) -> str:
    """Return a name with a number after it, shortened to fit."""
    ending = f" {number}"
    return name[: MAX_NAME_LENGTH - len(ending)].rstrip() + ending

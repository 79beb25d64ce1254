"""The read models of a server, for tests that need no other part of the service."""

from collections.abc import Sequence

from redis import Redis, RedisCluster

from domain.match.state import Notice
from service.read_models.match_lists import MatchLists
from service.read_models.progress import FeedProgress
from service.read_models.results import ResultFeed
from service.read_models.summary import MatchSummary
from service.read_models.verdicts import AuditVerdicts
from service.read_models.work_lists import WorkLists
from service.read_models.writer import FeedGap, ProjectionChange, ProjectionWriter


class Projections:
    """All read models that are derived from the feeds, and the verdicts of audits."""

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self.writer = ProjectionWriter(redis)
        self.progress = FeedProgress(redis)
        self.lists = MatchLists(redis)
        self.work = WorkLists(redis)
        self.verdicts = AuditVerdicts(redis)
        self.results = ResultFeed(redis)

    def apply(
        self, shard: int, position: int, match: str, row: MatchSummary | None, notices: tuple[Notice, ...] = ()
    ) -> bool:
        """Apply one position. Return False if it was already applied. Raise FeedGap."""
        return self.apply_all(shard, [ProjectionChange(position, match, row, notices)])[0]

    def apply_all(self, shard: int, changes: Sequence[ProjectionChange]) -> list[bool]:
        """Apply consecutive positions of one shard. Raises FeedGap."""
        applied = self.writer.apply_shards({shard: changes})[shard]
        if isinstance(applied, FeedGap):
            raise applied
        return applied

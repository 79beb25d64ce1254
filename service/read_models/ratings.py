"""The ratings: per game, what the rated results come to, one after the other in the order in which matches ended.

A projection like the others, but of a whole game. Each *step* holds one result and the standings of its players before
and behind it, so that the last steps can be undone exactly when a result arrives late, changes or falls away, and the
rest be taken again from there. The *head* names the last step and, by a digest, all before it: who writes says which
head is expected, and of two writers one is told that the other was faster. With every going back a new *turn* begins:
who has read the results in an earlier one may lack the very result that it was for, and is told so as well. Nothing
here says how a result is weighed; that is `workers/projection/ratings.py`.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha1, sha256
from importlib.resources import files
from itertools import chain
from typing import Any, NamedTuple

import msgspec
from redis import Redis, RedisCluster
from redis.exceptions import NoScriptError

from domain.kernel.hash_chain import canonical_json
from service.event_store.keys import rating_key
from service.read_models.shards import try_twice
from service.read_models.summary import RatedResult

RATE_SCRIPT = files("service.read_models").joinpath("rate.lua").read_text(encoding="utf-8")
RATE_SCRIPT_SHA1 = sha1(RATE_SCRIPT.encode(), usedforsecurity=False).hexdigest()
KEY_NAMES = ("head", "steps", "order", "standings", "board")
"""A game's keys that are derived again, in the order of the script."""
GENERATION_KEY = "turn"
"""The script's last key, which is never forgotten: no turn comes twice."""
CONFIDENCE_DEVIATIONS = 2
"""A rating is told with so many standard deviations on either side: in 19 of 20 cases the truth lies between."""


class PlayerRating(msgspec.Struct, frozen=True):
    """What is known of a player's strength in a game: the mean `mu`, the standard deviation `sigma`; and the record."""

    mu: float
    sigma: float
    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def rating(self) -> int:
        """The strength, rounded."""
        return round(self.mu)

    @property
    def uncertainty(self) -> int:
        """How far off it may be, on either side."""
        return round(CONFIDENCE_DEVIATIONS * self.sigma)

    @property
    def lower_bound(self) -> float:
        """What the strength is at least, almost surely: by this the leaders are ranked."""
        return self.mu - CONFIDENCE_DEVIATIONS * self.sigma

    @property
    def match_count(self) -> int:
        """How many matches it comes from."""
        return self.won + self.drawn + self.lost


class RatingStep(msgspec.Struct, frozen=True):
    """One result, and the standings of its players before it (None: it was their first) and behind it.

    `digest` is over this result and all before it.
    """

    result: RatedResult
    before: tuple[PlayerRating | None, ...]
    after: tuple[PlayerRating, ...]
    digest: str


class RatingHead(NamedTuple):
    """How far the ratings of a game go: the place and digest of the last step, empty at the beginning; and the turn."""

    order_key: str = ""
    digest: str = ""
    generation: int = 0

    def as_stored(self) -> str:
        """The last step, as it is stored."""
        return f"{self.order_key} {self.digest}" if self.order_key else ""


class RankedPlayer(msgspec.Struct, frozen=True):
    """A line of a leaderboard."""

    rank: int
    player: str
    player_rating: PlayerRating


_player_rating_decoder = msgspec.json.Decoder(PlayerRating)
_step_decoder = msgspec.json.Decoder(RatingStep)


class Ratings:
    """The ratings of all games. Threads, greenlets and processes may share them.

    Every method raises LogUnavailable when the server does not do its part.
    """

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._redis: Any = redis

    # -- writing ------------------------------------------------------------------------------------------------

    def extend(self, game: str, head: RatingHead, steps: Sequence[RatingStep]) -> bool:
        """Put these steps behind the head; False when it is no longer the head, and then nothing has changed.

        The results must have been read behind the head: then none is missing for which somebody has gone back.
        """
        now = {p: s for step in steps for p, s in zip(step.result.players, step.after, strict=True)}
        return self._write(
            game,
            head,
            head_after(steps[-1], head.generation),
            steps=[each for step in steps for each in (step.result.order_key, msgspec.json.encode(step))],
            order=[entry for step in steps for entry in order_entries(step.result)],
            standings=now,
        )

    def undo(self, game: str, head: RatingHead, steps: Sequence[RatingStep], before: RatingStep | None) -> bool:
        """Take the last steps back, the last one first; `before` stands in front of them. False as in `extend`.

        Even where there are none a new turn begins.
        """
        then = {p: s for step in steps for p, s in zip(step.result.players, step.before, strict=True)}
        return self._write(
            game,
            head,
            head_after(before, head.generation + 1) if before else RatingHead(generation=head.generation + 1),
            forgotten_steps=[step.result.order_key for step in steps],
            forgotten_order=[entry for step in steps for entry in order_entries(step.result)],
            forgotten_players=[player for player, standing in then.items() if standing is None],
            standings={player: standing for player, standing in then.items() if standing is not None},
        )

    def _write(
        self,
        game: str,
        head: RatingHead,
        new: RatingHead,
        *,
        standings: dict[str, PlayerRating],
        steps: Sequence[Any] = (),
        order: Sequence[str] = (),
        forgotten_steps: Sequence[str] = (),
        forgotten_order: Sequence[str] = (),
        forgotten_players: Sequence[str] = (),
    ) -> bool:
        lists: tuple[Sequence[Any], ...] = (
            forgotten_steps,
            forgotten_order,
            steps,
            order,
            forgotten_players,
            [each for player, standing in standings.items() for each in (player, msgspec.json.encode(standing))],
            forgotten_players,
            [each for player, standing in standings.items() for each in (repr(standing.lower_bound), player)],
        )
        heads = [head.as_stored(), head.generation, new.as_stored(), new.generation]
        arguments = [*heads, *chain.from_iterable((len(each), *each) for each in lists)]
        answer = try_twice(lambda: self._run_script([*rating_keys(game), rating_key(game, GENERATION_KEY)], arguments))
        # A repeated call finds its own work done.
        return answer == b"OK" or self.head(game) == new

    def _run_script(self, names: Sequence[str], arguments: Sequence[Any]) -> Any:
        try:
            return self._redis.execute_command("EVALSHA", RATE_SCRIPT_SHA1, len(names), *names, *arguments)
        except NoScriptError:
            return self._redis.execute_command("EVAL", RATE_SCRIPT, len(names), *names, *arguments)

    def reset(self, game: str) -> None:
        """Forget the ratings of a game, to derive them again."""

        def forget() -> None:
            with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.unlink(*rating_keys(game))
                pipeline.incrby(rating_key(game, GENERATION_KEY), 1)
                pipeline.execute()

        try_twice(forget)

    # -- reading ------------------------------------------------------------------------------------------------

    def head(self, game: str) -> RatingHead:
        """How far the ratings of a game go."""

        def ask() -> Any:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.get(rating_key(game, GENERATION_KEY))  # first: with the head of a later turn nobody can write
                pipeline.get(rating_key(game, "head"))
                return pipeline.execute()

        turn, found = try_twice(ask)
        place, digest = found.decode().split(" ") if found else ("", "")
        return RatingHead(place, digest, int(turn or 0))

    def steps_from(self, game: str, first: str, limit: int) -> list[RatingStep]:
        """The newest steps that stand at a place or behind it, the newest first."""
        return self._load_steps(game, "*", f"[*:{first}", limit)

    def step_before(self, game: str, place: str) -> RatingStep | None:
        """The step in front of a place."""
        found = self._load_steps(game, "*", "[*:", 1, end=f"(*:{place}")
        return found[0] if found else None

    def ratings_of(self, game: str, players: Iterable[str]) -> dict[str, PlayerRating]:
        """The standings of those among these players who have one."""
        wanted = list(players)
        found = try_twice(lambda: self._redis.hmget(rating_key(game, "standings"), wanted)) if wanted else []
        return {player: _player_rating_decoder.decode(raw) for player, raw in zip(wanted, found, strict=True) if raw}

    def history(self, game: str, player: str, limit: int = 200) -> list[RatingStep]:
        """The newest steps of a player, the oldest of them first."""
        return self._load_steps(game, player, f"[{player}:", limit)[::-1]

    def leaders(self, game: str, after: int = 0, limit: int = 50) -> list[RankedPlayer]:
        """The leaderboard behind so many ranks: by what a player's strength is at least."""
        board = rating_key(game, "board")
        found = try_twice(lambda: self._redis.zrevrange(board, after, after + limit - 1))
        players = [player.decode() for player in found]
        standings = self.ratings_of(game, players)
        return [RankedPlayer(n, p, standings[p]) for n, p in enumerate(players, after + 1) if p in standings]

    def _load_steps(self, game: str, whose: str, first: str, limit: int, end: str | None = None) -> list[RatingStep]:
        order = rating_key(game, "order")
        last = end or f"({whose}::"
        entries = try_twice(lambda: self._redis.zrevrangebylex(order, last, first, start=0, num=limit))
        places = [entry.decode().partition(":")[2] for entry in entries]
        found = try_twice(lambda: self._redis.hmget(rating_key(game, "steps"), places)) if places else []
        return [_step_decoder.decode(raw) for raw in found if raw]


def rating_keys(game: str) -> list[str]:
    """The keys of a game's ratings that are derived again."""
    return [rating_key(game, name) for name in KEY_NAMES]


def order_entries(result: RatedResult) -> list[str]:
    """Where a step stands in the order of all, and in that of each player."""
    return [f"{whose}:{result.order_key}" for whose in ("*", *result.players)]


def head_after(step: RatingStep, turn: int) -> RatingHead:
    """The head whose last step this is."""
    return RatingHead(step.result.order_key, step.digest, turn)


def chain_digest(digest: str, result: RatedResult) -> str:
    """The digest of a result and of all before it."""
    return sha256(digest.encode() + canonical_json(result)).hexdigest()

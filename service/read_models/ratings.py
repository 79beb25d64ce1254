"""Ratings: for each game, the rated results applied one by one in the order in which the matches ended.

Each *step* stores one result and its players' ratings before and after it. When a result arrives late, changes or is
withdrawn, the last steps are undone exactly and the results are applied again from there. The *head* identifies the
last step and, by a digest, all steps before it. A write names the head that it expects and fails if another writer was
faster. Every undo starts a new *generation*, so a write based on results read in an earlier generation fails as well.
The rating formula is in `workers/projection/rating_formula.py`. Ratings by formula 1, which releases up to 6e72bc9
wrote, have keys of their own. They are kept as they were and can still be read.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha1
from importlib.resources import files
from itertools import chain
from typing import Any

import msgspec
from redis import Redis, RedisCluster
from redis.exceptions import NoScriptError

from service.event_store.keys import rating_key
from service.read_models.rating_records import (
    NO_MEETING,
    Meeting,
    PlayerRating,
    RankedPlayer,
    RatingHead,
    RatingStep,
    head_after,
    order_entries,
)
from service.read_models.rating_trust import RatingTrust, decode_trust, encode_trust
from service.read_models.shards import try_twice

RATE_SCRIPT = files("service.read_models").joinpath("rate.lua").read_text(encoding="utf-8")
RATE_SCRIPT_SHA1 = sha1(RATE_SCRIPT.encode(), usedforsecurity=False).hexdigest()
FORMULA = 2
"""The formula of the ratings that are written."""
FORMULAS = (1, FORMULA)
"""The formulas whose histories can be read."""
KEY_NAMES = tuple(f"{name}:{FORMULA}" for name in ("head", "steps", "order", "standings", "board", "meetings"))
"""A game's keys that can be rebuilt, in the script's order."""
HEAD, STEPS, ORDER, STANDINGS, BOARD, MEETINGS = KEY_NAMES
GENERATION_KEY = f"turn:{FORMULA}"
"""The script's second last key. It is never deleted, so that no generation number is used twice."""
TRUST_KEY = f"trust:{FORMULA}"
"""The script's last key: the founders and excluded players by which the ratings were computed."""


_player_rating_decoder = msgspec.json.Decoder(PlayerRating)
_step_decoder = msgspec.json.Decoder(RatingStep)
_meeting_decoder = msgspec.json.Decoder(Meeting)


class Ratings:
    """The ratings of all games. Threads, greenlets and processes may share them.

    Every method raises LogUnavailable when the server fails.
    """

    def __init__(self, redis: "Redis | RedisCluster") -> None:
        self._redis: Any = redis

    # -- writing ------------------------------------------------------------------------------------------------

    def extend(self, game: str, head: RatingHead, steps: Sequence[RatingStep]) -> bool:
        """Append these steps after the head. Return False, changing nothing, if the head is outdated.

        Read the head before the results. Otherwise, results whose steps were undone in the meantime could be missing.
        """
        now = {p: s for step in steps for p, s in zip(step.result.players, step.after, strict=True)}
        return self._write(
            game,
            head,
            head_after(steps[-1], head),
            steps=[each for step in steps for each in (step.result.order_key, msgspec.json.encode(step))],
            order=[entry for step in steps for entry in order_entries(step.result)],
            standings=now,
            meetings={change.pair: change.after for step in steps for change in step.meetings},
        )

    def undo(
        self,
        game: str,
        head: RatingHead,
        steps: Sequence[RatingStep],
        before: RatingStep | None,
        trust: RatingTrust | None = None,
    ) -> bool:
        """Undo the last steps, given in reverse order. `before` is the step before them. Return False as `extend` does.

        Starts a new generation even if there are no steps. With `trust`, all further steps must be computed by it.
        """
        then_head = RatingHead(generation=head.generation + 1, trust=head.trust if trust is None else trust)
        then = {p: s for step in steps for p, s in zip(step.result.players, step.before, strict=True)}
        return self._write(
            game,
            head,
            head_after(before, then_head) if before else then_head,
            forgotten_steps=[step.result.order_key for step in steps],
            forgotten_order=[entry for step in steps for entry in order_entries(step.result)],
            forgotten_players=[player for player, standing in then.items() if standing is None],
            standings={player: standing for player, standing in then.items() if standing is not None},
            meetings={change.pair: change.before for step in steps for change in step.meetings},
        )

    def _write(
        self,
        game: str,
        head: RatingHead,
        new: RatingHead,
        *,
        standings: dict[str, PlayerRating],
        meetings: dict[str, Meeting],
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
            [*forgotten_players, *(player for player, standing in standings.items() if not standing.is_placed)],
            [
                each
                for player, standing in standings.items()
                if standing.is_placed
                for each in (repr(standing.lower_bound), player)
            ],
            [pair for pair, meeting in meetings.items() if meeting == NO_MEETING],
            [
                each
                for pair, meeting in meetings.items()
                if meeting != NO_MEETING
                for each in (pair, msgspec.json.encode(meeting))
            ],
            [] if new.trust is None or new.trust == head.trust else [encode_trust(new.trust)],
        )
        heads = [head.as_stored(), head.generation, new.as_stored(), new.generation]
        arguments = [*heads, *chain.from_iterable((len(each), *each) for each in lists)]
        names = [*rating_keys(game), rating_key(game, GENERATION_KEY), rating_key(game, TRUST_KEY)]
        answer = try_twice(lambda: self._run_script(names, arguments))
        # After a retry, the first call may already have written the new head.
        return answer == b"OK" or self.head(game) == new

    def _run_script(self, names: Sequence[str], arguments: Sequence[Any]) -> Any:
        try:
            return self._redis.execute_command("EVALSHA", RATE_SCRIPT_SHA1, len(names), *names, *arguments)
        except NoScriptError:
            return self._redis.execute_command("EVAL", RATE_SCRIPT, len(names), *names, *arguments)

    def reset(self, game: str) -> None:
        """Delete the ratings of a game, to rebuild them."""

        def forget() -> None:
            with self._redis.pipeline(transaction=True) as pipeline:
                pipeline.unlink(*rating_keys(game))
                pipeline.incrby(rating_key(game, GENERATION_KEY), 1)
                pipeline.execute()

        try_twice(forget)

    # -- reading ------------------------------------------------------------------------------------------------

    def head(self, game: str) -> RatingHead:
        """Return the head of a game's ratings."""

        def ask() -> Any:
            with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.get(
                    rating_key(game, GENERATION_KEY)
                )  # read first: an old generation with a newer head cannot write
                pipeline.get(rating_key(game, HEAD))
                pipeline.get(rating_key(game, TRUST_KEY))
                return pipeline.execute()

        turn, found, trust = try_twice(ask)
        place, digest, places = found.decode().split(" ") if found else ("", "", "0")
        return RatingHead(place, digest, int(turn or 0), int(places), decode_trust(trust) if trust else None)

    def steps_from(self, game: str, first: str, limit: int) -> list[RatingStep]:
        """Return the newest steps at or after an order key, newest first."""
        return self._load_steps(game, "*", f"[*:{first}", limit)

    def step_before(self, game: str, place: str) -> RatingStep | None:
        """Return the step before an order key."""
        found = self._load_steps(game, "*", "[*:", 1, end=f"(*:{place}")
        return found[0] if found else None

    def first_of(self, game: str, player: str) -> str | None:
        """Return the order key of a player's first step, or None."""
        found = try_twice(
            lambda: self._redis.zrangebylex(rating_key(game, ORDER), f"[{player}:", f"({player}::", start=0, num=1)
        )
        return found[0].decode().partition(":")[2] if found else None

    def ratings_of(self, game: str, players: Iterable[str]) -> dict[str, PlayerRating]:
        """Return the ratings of these players, without unrated players."""
        wanted = list(players)
        found = try_twice(lambda: self._redis.hmget(rating_key(game, STANDINGS), wanted)) if wanted else []
        return {player: _player_rating_decoder.decode(raw) for player, raw in zip(wanted, found, strict=True) if raw}

    def meetings_of(self, game: str, pairs: Iterable[str]) -> dict[str, Meeting]:
        """Return the meetings of these pairs of players, without pairs that have none."""
        wanted = list(pairs)
        found = try_twice(lambda: self._redis.hmget(rating_key(game, MEETINGS), wanted)) if wanted else []
        return {pair: _meeting_decoder.decode(raw) for pair, raw in zip(wanted, found, strict=True) if raw}

    def step_count(self, game: str) -> int:
        """Return how many results of a game are in the ratings."""
        return int(try_twice(lambda: self._redis.hlen(rating_key(game, STEPS))))

    def history(self, game: str, player: str, limit: int = 200, formula: int = FORMULA) -> list[RatingStep]:
        """Return the newest steps of a player by one of the `FORMULAS`, oldest first."""
        return self._load_steps(game, player, f"[{player}:", limit, formula=formula)[::-1]

    def leaders(self, game: str, after: int = 0, limit: int = 50) -> list[RankedPlayer]:
        """Return the leaderboard after a rank, ordered by the lower bound of the rating."""
        board = rating_key(game, BOARD)
        found = try_twice(lambda: self._redis.zrevrange(board, after, after + limit - 1))
        players = [player.decode() for player in found]
        standings = self.ratings_of(game, players)
        return [RankedPlayer(n, p, standings[p]) for n, p in enumerate(players, after + 1) if p in standings]

    def _load_steps(
        self, game: str, whose: str, first: str, limit: int, end: str | None = None, formula: int = FORMULA
    ) -> list[RatingStep]:
        names = ("order", "steps") if formula == 1 else (ORDER, STEPS)
        order, steps = (rating_key(game, name) for name in names)
        last = end or f"({whose}::"
        entries = try_twice(lambda: self._redis.zrevrangebylex(order, last, first, start=0, num=limit))
        places = [entry.decode().partition(":")[2] for entry in entries]
        found = try_twice(lambda: self._redis.hmget(steps, places)) if places else []
        return [_step_decoder.decode(raw) for raw in found if raw]


def rating_keys(game: str) -> list[str]:
    """Return the keys of a game's ratings that can be rebuilt."""
    return [rating_key(game, name) for name in KEY_NAMES]

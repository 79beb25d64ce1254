"""The same key produces the same dice whatever is played: use by use, through whole matches.

`tests/contract/test_draws.py` shows this for the rules of each game. Here the matches are played with `domain.match`,
with takebacks, rulings and forks, and every draw is computed again with nothing but `hmac`.
"""

import hmac
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

import pytest

from domain.kernel.chance import Chance, DrawContext, Fast
from domain.kernel.events import AnyEvent, Moved, Started
from domain.kernel.game import AnyGame
from domain.kernel.luck import MatchSecrets, Streams, StreamUse
from domain.match.commands import AnswerProposal, Propose, RaiseDispute, RecordVerdict, ResolveDispute
from replays.verify import verify
from tests.builders import (
    Agent,
    Table,
    fork_table,
    greedy_agent,
    play_on,
    random_agent,
    replay_file,
    seed_of,
    share_of,
    sit_down,
    step,
)
from tests.contract.cases import GAMES

MATCH, PARENT_PLIES = "m00built", 12
Draws = dict[tuple[str, int], list[tuple[int, int]]]
"""The draws of each use of each purpose: (below, value)."""
every_game = pytest.mark.parametrize(
    "game", [game for game in GAMES if game.luck_protocol == 2], ids=lambda game: game.slug
)
pytestmark = pytest.mark.slow


# -- recording --------------------------------------------------------------------------------------------------------


class RecordingSecrets(MatchSecrets):
    """Secrets that record the draws of every decision. `draws` is replaced before each attempt that must not count."""

    def chance(self, context: DrawContext) -> Chance:
        """Return draws that are recorded."""
        self.last = RecordingStreams(self.key(context.shares), context.uses)
        return self.last


class RecordingStreams(Streams):
    """The draws of one event."""

    def __init__(self, key: bytes, uses: Mapping[str, int]) -> None:
        super().__init__(key, uses)
        self.uses_before = uses
        self.draws: Draws = {}

    def use(self, purpose: str) -> Chance:
        """Return a source that records."""
        return RecordingUse(self, purpose)


class RecordingUse(StreamUse):
    """The draws of one use."""

    def __init__(self, streams: RecordingStreams, purpose: str) -> None:
        super().__init__(streams, purpose)
        self.streams, self.purpose = streams, purpose
        self.found: list[tuple[int, int]] | None = None

    def below(self, n: int) -> int:
        """Draw, and record it."""
        value = super().below(n)
        if self.found is None:
            use = self.streams.uses_before.get(self.purpose, 0) + self.streams.used[self.purpose] - 1
            self.found = self.streams.draws[self.purpose, use] = []
        self.found.append((n, value))
        return value


def recorded(table: Table, events: list[AnyEvent], draws: Draws) -> None:
    """Add the draws of the newest decision. None of them may have been used before."""
    if any(isinstance(event, Moved | Started) for event in events):
        assert isinstance(table.luck, RecordingSecrets)
        new = table.luck.last.draws
        assert not draws.keys() & new.keys()
        draws.update(new)


def expected(key: bytes, purpose: str, use: int) -> Iterator[int]:
    """Return the words of a use, as the specification defines them."""
    for block in count():
        raw = hmac.digest(key, f"draw/2|{purpose}|{use}|{block}".encode(), "sha256")
        yield from (int.from_bytes(raw[at : at + 4], "big") for at in range(0, 32, 4))


def value_of(words: Iterator[int], n: int) -> int:
    """Return the next draw below n."""
    word = next(words)
    while word >= 2**32 - 2**32 % n:
        word = next(words)
    return word % n


# -- matches with one key ---------------------------------------------------------------------------------------------


def key_of_all(seats: int) -> bytes:
    """Return the key of all matches here, as the specification defines it."""
    shares = ",".join(share_of(seat, MATCH) for seat in range(seats))
    return hmac.digest(seed_of("same"), f"crumbtrail/key/2|{MATCH}|{shares}".encode(), "sha256")


def started(game: AnyGame) -> tuple[Table, Draws]:
    """Return a match that has just started, with the key of all matches here."""
    luck = RecordingSecrets(MATCH, seed_of("same"), seed_of("salts"))
    table = sit_down(game, luck=luck, match=MATCH, shares=[True] * game.seat_counts[0])
    draws: Draws = {}
    recorded(table, table.events, draws)
    return table, draws


def played(table: Table, draws: Draws, chance: Chance, agent: Agent = random_agent, moves: int = 10_000) -> None:
    """Play on, up to this many moves, and record the draws."""
    for _ in range(moves):
        if table.match.status == "playing":
            recorded(table, step(table, chance, agent), draws)


def plain_match(game: AnyGame, moves: str = "one", agent: Agent = random_agent) -> tuple[Table, Draws]:
    """Return a match played to its end."""
    table, draws = started(game)
    played(table, draws, Fast(moves), agent)
    return table, draws


def match_with_takebacks(game: AnyGame) -> tuple[Table, Draws]:
    """Return a match in which moves are taken back, and others made instead."""
    table, draws = started(game)
    chance = Fast("takebacks")
    for _ in range(3):
        before = table.match.ply
        played(table, draws, chance, moves=2)
        if table.match.status == "playing":
            table.take_command(Propose(seat=0, what="takeback", to_ply=before))
            number = table.match.ply
            for seat in range(1, len(table.match.seats)):
                table.take_command(AnswerProposal(seat, number, agrees=True))
            assert table.match.retracted_spans
    played(table, draws, chance)
    return table, draws


def match_with_a_ruling(game: AnyGame) -> tuple[Table, Draws]:
    """Return a match that an arbiter sends back to an earlier ply."""
    table, draws = started(game)
    played(table, draws, Fast("ruling"), moves=1)
    before = table.match.ply
    played(table, draws, Fast("ruling"), moves=2)
    if table.match.status == "playing":
        table.take_command(RaiseDispute(0, before, "move", "0" * 64))
        number = table.match.ply
        table.take_command(RecordVerdict(number, holds=True))
        table.take_command(ResolveDispute(number, "rolled_back", "judge", before))
        assert table.match.retracted_spans
    played(table, draws, Fast("after"))
    return table, draws


def fork_in_the_middle(game: AnyGame) -> tuple[Table, Draws]:
    """Return a fork with the same luck, from the middle of a match in which a move was taken back."""
    parent, _ = match_with_takebacks(game)
    then = max(event.ply for event in parent.events[:PARENT_PLIES] if isinstance(event, Moved | Started))
    if any(span.first <= then <= span.last for span in parent.match.retracted_spans):
        then = next(event.ply for event in parent.events if isinstance(event, Started))
    fork = fork_table(parent, then, "same")
    salts = fork.luck.reveal().salts
    assert salts is not None
    fork.luck = RecordingSecrets(MATCH, seed_of("same"), bytes.fromhex(salts))
    draws: Draws = {}
    played(fork, draws, Fast("fork"), greedy_agent)
    return fork, draws


def matches_with_one_key(game: AnyGame) -> dict[str, tuple[Table, Draws]]:
    """Return matches in which everything but the key differs."""
    return {
        "one": plain_match(game),
        "other moves": plain_match(game, "two"),
        "greedy": plain_match(game, "three", greedy_agent),
        "takebacks": match_with_takebacks(game),
        "ruling": match_with_a_ruling(game),
    }


@every_game
def test_every_draw_is_the_one_that_the_key_gives(game: AnyGame) -> None:
    """Given one key, then use u of a purpose has the same numbers in every match, computed here from the key."""
    key = key_of_all(game.seat_counts[0])
    compared: dict[tuple[str, int], set[str]] = {}
    for name, (table, draws) in matches_with_one_key(game).items():
        for (purpose, use), found in draws.items():
            words = expected(key, purpose, use)
            assert [value_of(words, n) for n, _ in found] == [value for _, value in found], (name, purpose, use)
            compared.setdefault((purpose, use), set()).add(name)
        assert uses_by_purpose(draws) == dict(table.match.uses)
    if compared:
        assert max(map(len, compared.values())) == 5, "some use occurs in all matches"


def uses_by_purpose(draws: Draws) -> dict[str, int]:
    """Return the number of uses of each purpose. They are numbered from 0 without gaps."""
    found: dict[str, list[int]] = {}
    for purpose, use in draws:
        found.setdefault(purpose, []).append(use)
    assert all(sorted(uses) == [*range(len(uses))] for uses in found.values())
    return {purpose: len(uses) for purpose, uses in found.items()}


@every_game
def test_matches_with_takebacks_and_rulings_verify(game: AnyGame) -> None:
    for table, _ in (match_with_takebacks(game), match_with_a_ruling(game)):
        report = verify(replay_file(table.events))
        assert report.ok, report.as_text()


@every_game
def test_a_fork_with_the_same_luck_continues_the_streams(game: AnyGame) -> None:
    """Given a fork, then its draws come from the origin's key, starting with the first use not taken by the ply."""
    fork, draws = fork_in_the_middle(game)
    key = key_of_all(game.seat_counts[0])
    assert fork.match.fork is not None
    before: Any = fork.match.fork.uses
    for (purpose, use), found in draws.items():
        words = expected(key, purpose, use)
        assert [value_of(words, n) for n, _ in found] == [value for _, value in found], (purpose, use)
        assert use >= before.get(purpose, 0)
    assert verify(replay_file(play_on(fork, Fast("end")))).ok

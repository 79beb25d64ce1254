"""Plays games by their rules alone, and records every draw with its purpose and use."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec

from domain.kernel.chance import Chance, DrawContext, Fast, Luck, Seed
from domain.kernel.game import AnyGame, Seat
from domain.kernel.luck import MatchSecrets
from tests.builders import LONGEST, Agent, greedy_agent, random_agent, seed_of
from tests.contract.cases import variants_for

MATCH = "m00rules"
RARE = {"battle_of_the_bakeries": (7,)}
"""Seeds of games between greedy players. They contain draws that are missing from the other samples of a game."""


class Draw(NamedTuple):
    """One draw: use number `use` of a purpose, uniform on 0..below-1."""

    purpose: str
    use: int
    below: int
    value: int


class RecordedChance(Chance):
    """Records the draws of a source. A use begins, and counts, with its first draw."""

    def __init__(self, source: Chance, before: Mapping[str, int]) -> None:
        self._source = source
        self.uses = Counter(before)
        self.draws: list[Draw] = []

    def use(self, purpose: str) -> Chance:
        """Return a source that records the purpose and use of its draws."""
        return RecordedUse(self, purpose, self._source.use(purpose))

    def below(self, n: int) -> int:
        """Draw without a purpose, which `Streams` refuses."""
        return self._source.below(n)


class RecordedUse(Chance):
    """One use of a purpose."""

    def __init__(self, record: RecordedChance, purpose: str, source: Chance) -> None:
        self._record = record
        self._purpose = purpose
        self._source = source
        self._use: int | None = None

    def below(self, n: int) -> int:
        """Draw, and record it."""
        value = self._source.below(n)
        if self._use is None:
            self._use = self._record.uses[self._purpose]
            self._record.uses[self._purpose] += 1
        self._record.draws.append(Draw(self._purpose, self._use, n, value))
        return value


class RulesEvent(NamedTuple):
    """The facts of a set-up or move, as JSON, and its draws in the order in which the rules made them."""

    facts: list[Any]
    draws: list[Draw]

    @property
    def uses(self) -> set[tuple[str, int]]:
        """The uses of this event."""
        return {(draw.purpose, draw.use) for draw in self.draws}


class PlayedGame(NamedTuple):
    """A game from its set-up to its end, played by the rules alone."""

    game: AnyGame
    seats: int
    options: Any
    seed: str | int
    events: list[RulesEvent]

    @property
    def draws(self) -> Iterator[Draw]:
        """All draws of the game."""
        for event in self.events:
            yield from event.draws

    @property
    def uses(self) -> dict[tuple[str, int], list[Draw]]:
        """The draws of each use of each purpose."""
        found: dict[tuple[str, int], list[Draw]] = {}
        for draw in self.draws:
            found.setdefault((draw.purpose, draw.use), []).append(draw)
        return found


def luck_of(game: AnyGame, seed: str | int) -> Luck:
    """Return the secrets of a match under the luck protocol of these rules."""
    secret = seed_of(seed)
    return Seed(secret) if game.luck_protocol == 1 else MatchSecrets(MATCH, secret, seed_of(f"salts {seed}"))


def chance_of(
    game: AnyGame, seats: int, seed: str | int, number: int = 0, uses: Mapping[str, int] | None = None
) -> Chance:
    """Return the draws of a game event of the match with this seed."""
    shares = ["none"] * seats if game.luck_protocol == 1 else [None] * seats
    return luck_of(game, seed).chance(DrawContext(MATCH, shares, number, uses or {}))


def play_by_rules(
    game: AnyGame,
    seats: int,
    *,
    options: Mapping[str, Any] | None = None,
    agent: Agent = random_agent,
    seed: str | int = "crumbs",
    moves: str | int = "moves",
    resign_in: int = 0,
) -> PlayedGame:
    """Return a game played to its end. `seed` determines the draws, `moves` the agents' choices."""
    wishes, choices = options or {}, Fast(f"{moves}")
    played = PlayedGame(game, seats, msgspec.to_builtins(game.read_options(wishes)), seed, [])
    uses: Mapping[str, int] = {}

    def record(facts: list[Any], chance: RecordedChance) -> Any:
        played.events.append(RulesEvent(msgspec.json.decode(msgspec.json.encode(facts)), chance.draws))
        return game.decision(facts, state).state

    def next_chance() -> RecordedChance:
        return RecordedChance(chance_of(game, seats, seed, len(played.events), uses), uses)

    chance, state = next_chance(), game.initial
    state = record(game.start(seats, wishes, chance), chance)
    while to_move := game.to_move(state):
        uses, seat = chance.uses, choices.pick(sorted(to_move))
        chance = next_chance()
        move = choose_move(game, state, seat, agent, choices, resign_in)
        state = record(game.decide(state, seat, move, chance), chance)
        assert len(played.events) < LONGEST, f"{game.slug} does not end"
    return played


def choose_move(game: AnyGame, state: Any, seat: Seat, agent: Agent, choices: Chance, resign_in: int) -> Any:
    """Return the agent's move. With `resign_in`, it resigns once in that many moves."""
    if resign_in and choices.below(resign_in) == 0:
        return game.read_move({"type": "resign"})
    return agent(game, game.view(state, seat), seat, game.legal_moves(state, seat), choices)


@cache
def sample_games(game: AnyGame, seats: int) -> tuple[PlayedGame, ...]:
    """Return a game for each variant, played by random and greedy agents in turn, and others with rare events."""
    agents = (random_agent, greedy_agent)
    played = [
        play_by_rules(game, seats, options=options, agent=agents[n % 2], seed=n, moves=n)
        for n, options in enumerate(variants_for(game, seats))
    ]
    rare = [play_by_rules(game, seats, agent=greedy_agent, seed=n, moves=n) for n in RARE.get(game.slug, ())]
    return (*played, *rare, play_by_rules(game, seats, seed="short", resign_in=10))

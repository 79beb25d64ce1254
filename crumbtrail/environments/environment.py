"""A game as a PettingZoo AEC environment.

An agent is a seat. It chooses a move part by part, one action each, and stays the selected agent until its move is
whole; nobody sees anything of a move that is half chosen. Where several seats owe a move at once they choose one after
the other in the order of the seats, from views in which what the others have chosen is hidden.
"""

from collections.abc import Mapping
from typing import Any

import gymnasium
import msgspec
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from crumbtrail.environments.choosing import PartialMove
from crumbtrail.environments.vocabulary import MAX_ACTIONS, vocabulary_of
from domain.kernel.chance import Fast
from domain.kernel.game import Outcome, Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import BadOptions
from domain.kernel.registry import find_game

RENDER_MODES = ("human", "ansi", "svg")
VIEW_BYTES = 1 << 15
"""Bytes reserved for the view of each seat. The largest views seen list 50,000 bytes of moves."""
MAX_CHOSEN_ACTIONS = 64
"""Actions of a half-chosen move that an observation holds, the latest if there are more."""
NO_ACTION = -1
MAX_MOVES = 10_000
"""Moves after which a match is cut off. Every game ends by its own rules long before."""
ILLEGAL_REWARD = -1.0
"""For who takes an action that is not open."""

Observation = dict[str, NDArray[Any]]


class BadAction(ValueError):
    """An action that is not open."""


def env(game: str, seats: int | None = None, options: Mapping[str, Any] | None = None, **more: Any) -> Any:
    """The environment with PettingZoo's usual wrappers: an action that is not open ends the match and costs 1.

    The arguments are those of `raw_env`.
    """
    bare = raw_env(game, seats, options, **more)
    safe = wrappers.TerminateIllegalWrapper(bare, illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(safe))


def decode(observation: Observation) -> dict[str, Any]:
    """The view in an observation, as the HTTP interface and the engine protocol give it."""
    view: dict[str, Any] = msgspec.json.decode(observation["observation"].tobytes().rstrip(b"\0"))
    return view


class raw_env(AECEnv[str, Observation, int]):
    """A game at its newest rules version, played by agents `seat_0`, `seat_1`, ...

    `seats` is a number of seats of the game (the fewest by default), `options` are the game's. `render_mode` is `ansi`
    (the table as text), `svg` (as a picture) or `human` (text, printed after every move); `viewer` is the seat whose
    view is drawn, a spectator's by default. A match is cut off after `most_moves` moves. A view that is longer than
    `view_bytes` (32,768 for each seat by default) is an error. Raises UnknownGame or BadOptions.
    """

    def __init__(
        self,
        game: str,
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        *,
        render_mode: str | None = None,
        viewer: Seat | None = None,
        most_moves: int = MAX_MOVES,
        view_bytes: int | None = None,
    ) -> None:
        super().__init__()
        self.game = find_game(game)
        self.seats = seats or min(self.game.seat_counts)
        self.options = dict(options or {})
        self.game.start(self.seats, self.options, Fast(0))  # refuses what cannot be played
        if viewer is not None and not 0 <= viewer < self.seats:
            raise BadOptions("viewer", f"{self.game.title} has no seat {viewer} at a table of {self.seats}.")
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"there is no render mode {render_mode!r}; there are {', '.join(RENDER_MODES)}")
        self.metadata = {
            "name": f"{self.game.slug}_v{self.game.rules_version}",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.render_mode = render_mode
        self.vocabulary = vocabulary_of(self.game)
        self.possible_agents = [f"seat_{n}" for n in range(self.seats)]
        self.agents: list[str] = []
        self._viewer, self._most_moves = viewer, most_moves
        self._view_bytes = view_bytes or VIEW_BYTES * self.seats
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._observation_spaces = {agent: self._new_observation_space() for agent in self.possible_agents}
        self._action_spaces = {agent: spaces.Discrete(len(self.vocabulary)) for agent in self.possible_agents}
        self._chance: Fast | None = None

    # -- spaces ---------------------------------------------------------------------------------------------------

    def _new_observation_space(self) -> spaces.Dict:
        return spaces.Dict(
            {
                "observation": spaces.Box(0, 255, (self._view_bytes,), np.uint8),
                "chosen": spaces.Box(NO_ACTION, MAX_ACTIONS - 1, (MAX_CHOSEN_ACTIONS,), np.int16),
                "action_mask": spaces.Box(0, 1, (len(self.vocabulary),), np.int8),
            }
        )

    def observation_space(self, agent: str) -> spaces.Dict:
        """`observation`, `chosen` and `action_mask`, the same for all agents."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The actions of the game, the same for all agents; `vocabulary.meaning` says what each stands for."""
        return self._action_spaces[agent]

    # -- a match --------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match: its luck follows from the seed, or without one from the matches before.

        `options` are not used: those of a game belong to the environment, since its views depend on them.
        """
        if seed is not None or self._chance is None:
            self._chance = Fast(seeding.np_random(seed)[1])
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        self.moves = 0
        self._set_state(self.game.decision(self.game.start(self.seats, self.options, self._chance)).state)

    def go_on_from(self, state: Any) -> None:
        """Put the running match into another state of its game; what was half chosen is dropped.

        `game_state` is the true state, hidden things included. Both are for searches, which make up worlds from what
        an agent has seen (`game.determinize`); an agent that reads the state cheats. Raises ValueError for a state in
        which nobody owes a move.
        """
        if not self.game.to_move(state):
            raise ValueError("nobody owes a move in this state; go on from one of a running match")
        self._set_state(state)

    def _set_state(self, state: Any) -> None:
        """Look at this state from now on; the first seat that owes a move is to choose one."""
        self.game_state = state
        self._views: dict[str, NDArray[np.uint8]] = {}
        self._choice: PartialMove | None = None
        if owing := self.game.to_move(state):
            self.agent_selection = self.possible_agents[min(owing)]
            self._choice = PartialMove(self.game, state, min(owing))

    def step(self, action: int | None) -> None:
        """Take an action: a part of a move, or None for an agent whose match is over. Raises BadAction."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert self._choice is not None
        if action is None or int(action) not in self._choice.open:
            open_now = ", ".join(f"{n} {self.vocabulary.meaning(n)}" for n in sorted(self._choice.open))
            raise BadAction(f"{agent} cannot take action {action}; open are: {open_now}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._choice.take(int(action))
        if self._choice.move is not None:
            self._play(self._choice.move)
        self._accumulate_rewards()
        self._deads_step_first()

    def _play(self, move: Any) -> None:
        """Carry out a whole move."""
        assert self._chance is not None
        seat = self._seat_of[self.agent_selection]
        decision = self.game.decided(self.game_state, seat, move, self._chance)
        self.moves += 1
        self._set_state(decision.state)
        if outcome := self.game.outcome(self.game_state):
            self._end(outcome)
        elif self.moves >= self._most_moves:
            self.truncations = dict.fromkeys(self.agents, True)
        if self.render_mode == "human":
            self.render()

    def _end(self, outcome: Outcome) -> None:
        """The match is over: rewards, and the outcome for everyone to read."""
        told = {"outcome": msgspec.to_builtins(outcome)}
        for agent, reward in zip(self.possible_agents, seat_rewards(outcome, self.seats), strict=True):
            self.rewards[agent] = reward
            self.infos[agent] = told
        self.terminations = dict.fromkeys(self.agents, True)

    # -- what an agent sees ---------------------------------------------------------------------------------------

    def observe(self, agent: str) -> Observation:
        """The agent's view, what it has chosen of a move so far, and the actions that are open to it."""
        chosen = np.full(MAX_CHOSEN_ACTIONS, NO_ACTION, np.int16)
        mask = np.zeros(len(self.vocabulary), np.int8)
        if self._choice is not None and agent == self.agent_selection and not self._is_over(agent):
            mask[list(self._choice.open)] = 1
            taken = self._choice.taken[-MAX_CHOSEN_ACTIONS:]
            chosen[: len(taken)] = taken
        return {"observation": self._view(agent).copy(), "chosen": chosen, "action_mask": mask}

    def _is_over(self, agent: str) -> bool:
        return self.terminations.get(agent, True) or self.truncations.get(agent, True)

    def _view(self, agent: str) -> NDArray[np.uint8]:
        """The view as bytes, zeros behind it."""
        if agent not in self._views:
            raw = canonical_json(self.game.view(self.game_state, self._seat_of[agent]))
            if len(raw) > self._view_bytes:
                raise ValueError(f"a view of {len(raw)} bytes does not fit into view_bytes={self._view_bytes}")
            self._views[agent] = np.frombuffer(raw.ljust(self._view_bytes, b"\0"), np.uint8)
        return self._views[agent]

    def render(self) -> str | None:
        """The table, as the viewer sees it: text (`ansi`), a picture (`svg`), or printed text (`human`)."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs a render_mode: human, ansi or svg")
            return None
        view = self.game.view(self.game_state, self._viewer)
        if self.render_mode == "svg":
            return self.game.svg(view, self._viewer)
        text = self.game.text(view, self._viewer)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing is held open."""


def seat_rewards(outcome: Outcome, seats: int) -> list[float]:
    """What a match is worth to each seat; the sum is 0.

    The one winner has 1 and the others share -1, so that with two seats it is 1 and -1. Winners share the win, and a
    match that nobody wins is worth 0 to all.
    """
    winners = outcome.winners or tuple(range(seats))
    shares = [1 / len(winners) if seat in winners else 0.0 for seat in range(seats)]
    return [(seats * share - 1) / (seats - 1) for share in shares]

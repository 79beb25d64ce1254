"""A game as a PettingZoo AEC environment.

An agent is a seat. It chooses a move part by part, with one action per part, and stays the selected agent until the
move is complete. Other agents see nothing of an incomplete move. When several seats owe a move, they choose in seat
order, each with a view that hides what the others have chosen.
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
"""Bytes reserved per seat for a view. The largest views seen contain lists of 50,000 bytes of moves."""
MAX_CHOSEN_ACTIONS = 64
"""The most actions of an incomplete move that an observation contains; older ones are dropped."""
NO_ACTION = -1
MAX_MOVES = 10_000
"""Moves after which a match is truncated. Every game ends by its own rules long before that."""
ILLEGAL_REWARD = -1.0
"""The reward for an unavailable action."""

Observation = dict[str, NDArray[Any]]


class BadAction(ValueError):
    """Raised for an action that is not available now."""


def env(game: str, seats: int | None = None, options: Mapping[str, Any] | None = None, **more: Any) -> Any:
    """Return the environment with PettingZoo's usual wrappers.

    An unavailable action ends the match with a reward of -1. The arguments are those of `raw_env`.
    """
    bare = raw_env(game, seats, options, **more)
    safe = wrappers.TerminateIllegalWrapper(bare, illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(safe))


def decode(observation: Observation) -> dict[str, Any]:
    """Return the view in an observation, in the format of the HTTP API and the engine protocol."""
    view: dict[str, Any] = msgspec.json.decode(observation["observation"].tobytes().rstrip(b"\0"))
    return view


class raw_env(AECEnv[str, Observation, int]):
    """A game at its newest rules version, played by the agents `seat_0`, `seat_1`, ...

    `seats` is the number of seats (the fewest by default), `options` are the game's options. `render_mode` is `ansi`
    (the table as text), `svg` (as a picture) or `human` (text, printed after every move). `viewer` is the seat whose
    view is rendered, a spectator's by default. A match is truncated after `most_moves` moves. A view longer than
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
        self.game.start(self.seats, self.options, Fast(0))  # raises for invalid options
        if viewer is not None and not 0 <= viewer < self.seats:
            raise BadOptions("viewer", f"{self.game.title} has no seat {viewer} in a match with {self.seats} seats.")
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"unknown render mode {render_mode!r}; available: {', '.join(RENDER_MODES)}")
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
        """Return the space of `observation`, `chosen` and `action_mask`, the same for all agents."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the actions of the game, the same for all agents. `vocabulary.meaning` decodes one."""
        return self._action_spaces[agent]

    # -- a match --------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a match. Its randomness is determined by the seed or, without one, continues from earlier matches.

        `options` is ignored: the game's options are fixed for the environment, because its views depend on them.
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
        """Continue the running match from another state of its game. Drops an incomplete move.

        This method and `game_state`, the true state with all hidden information, are meant for searches that sample
        worlds from what an agent has seen (`game.determinize`). An agent must not read the true state.
        Raises ValueError for a state in which no seat owes a move.
        """
        if not self.game.to_move(state):
            raise ValueError("no seat owes a move in this state; use a state of a running match")
        self._set_state(state)

    def _set_state(self, state: Any) -> None:
        """Set the state and let the first seat that owes a move choose one."""
        self.game_state = state
        self._views: dict[str, NDArray[np.uint8]] = {}
        self._choice: PartialMove | None = None
        if owing := self.game.to_move(state):
            self.agent_selection = self.possible_agents[min(owing)]
            self._choice = PartialMove(self.game, state, min(owing))

    def step(self, action: int | None) -> None:
        """Take an action: a part of a move, or None for an agent whose match is over. Raise BadAction."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert self._choice is not None
        if action is None or int(action) not in self._choice.open:
            open_now = ", ".join(f"{n} {self.vocabulary.meaning(n)}" for n in sorted(self._choice.open))
            raise BadAction(f"{agent} cannot take action {action}; available: {open_now}")
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._choice.take(int(action))
        if self._choice.move is not None:
            self._play(self._choice.move)
        self._accumulate_rewards()
        self._deads_step_first()

    def _play(self, move: Any) -> None:
        """Play a complete move."""
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
        """End the match: set the rewards, and put the outcome in every agent's info."""
        info = {"outcome": msgspec.to_builtins(outcome)}
        for agent, reward in zip(self.possible_agents, seat_rewards(outcome, self.seats), strict=True):
            self.rewards[agent] = reward
            self.infos[agent] = info
        self.terminations = dict.fromkeys(self.agents, True)

    # -- observations ---------------------------------------------------------------------------------------

    def observe(self, agent: str) -> Observation:
        """Return the agent's view, the actions it has taken for its current move, and those available next."""
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
        """Return the view as bytes, padded with zeros."""
        if agent not in self._views:
            raw = canonical_json(self.game.view(self.game_state, self._seat_of[agent]))
            if len(raw) > self._view_bytes:
                raise ValueError(f"a view of {len(raw)} bytes does not fit in view_bytes={self._view_bytes}")
            self._views[agent] = np.frombuffer(raw.ljust(self._view_bytes, b"\0"), np.uint8)
        return self._views[agent]

    def render(self) -> str | None:
        """Return the table as the viewer sees it: text (`ansi`) or a picture (`svg`). `human` prints the text."""
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
        """Do nothing: the environment holds no resources."""


def seat_rewards(outcome: Outcome, seats: int) -> list[float]:
    """Return the reward of each seat; they sum to 0.

    A sole winner gets 1 and the others share -1, so with two seats the rewards are 1 and -1. Several winners share the
    win. If nobody wins, everyone gets 0.
    """
    winners = outcome.winners or tuple(range(seats))
    shares = [1 / len(winners) if seat in winners else 0.0 for seat in range(seats)]
    return [(seats * share - 1) / (seats - 1) for share in shares]

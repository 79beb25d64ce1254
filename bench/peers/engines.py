"""Random tic-tac-toe in OpenSpiel (C++ and Python games) and in PettingZoo, in moves per second."""

import importlib
import random
from collections.abc import Callable
from functools import partial

import numpy as np
import pyspiel
from pettingzoo.classic import tictactoe_v3
from turns import per_second, take_turns

choice = random.Random(7).choice


def spiel(name: str) -> Callable[[], int]:
    """Play a random match of an OpenSpiel game."""
    game = pyspiel.load_game(name)

    def match() -> int:
        state, moves = game.new_initial_state(), 0
        while not state.is_terminal():
            state.apply_action(choice(state.legal_actions()))
            moves += 1
        return moves

    return match


def zoo() -> Callable[[], int]:
    """Play a random match of PettingZoo's environment."""
    environment = tictactoe_v3.env()

    def match() -> int:
        environment.reset()
        moves = 0
        for _ in environment.agent_iter():
            observation, _, over, cut, _ = environment.last()
            if over or cut:
                environment.step(None)
            else:
                environment.step(int(choice(np.flatnonzero(observation["action_mask"]))))
                moves += 1
        return moves

    return match


importlib.import_module("open_spiel.python.games.tic_tac_toe")  # which registers it
take_turns(
    {
        "OpenSpiel C++": partial(per_second, spiel("tic_tac_toe")),
        "OpenSpiel Python": partial(per_second, spiel("python_tic_tac_toe")),
        "PettingZoo": partial(per_second, zoo()),
    }
)

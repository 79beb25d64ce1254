"""The games as PettingZoo environments: PettingZoo's own tests, and tests of everything else."""

import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import islice
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import api_test, render_test, seed_test

from crumbtrail import environments
from crumbtrail.environments.choosing import CompleteMove, ListedMoves, Node, PartialMove, legal_move_tree
from crumbtrail.environments.environment import seat_rewards
from crumbtrail.environments.vocabulary import FIRST_CHARACTER, FIRST_NUMBER, FIRST_WORD, MAX_ACTIONS, vocabulary_of
from domain.kernel.chance import Chance, Fast
from domain.kernel.game import AnyGame, Outcome
from domain.kernel.hash_chain import canonical_json
from domain.kernel.refusals import BadOptions
from domain.kernel.registry import UnknownGame, find_game, games

GAMES = list(games().values())
TABLES = [pytest.param(game, seats, id=f"{game.slug}-{seats}") for game in GAMES for seats in game.seat_counts]
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
every_table = pytest.mark.parametrize(("game", "seats"), TABLES)

WIDEST = 1_000
"""Positions with more legal moves than this are only sampled."""
KNOWN_WARNINGS = {
    # PettingZoo recognizes dictionaries with a mask only for its own games, by name
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}


def warned(run: Callable[[], object]) -> set[str]:
    """Return the warnings of one of PettingZoo's tests."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run()
    return {str(one.message) for one in caught}


def choose(observation: Any, chance: Chance) -> int:
    """Return a random available action."""
    return int(chance.pick(np.flatnonzero(observation["action_mask"])))


def moments(game: AnyGame, seats: int, count: int, **options: Any) -> Iterator[tuple[Any, list[Any]]]:
    """Yield states of a random match in which a seat owes a move, with the facts before; all kinds of moves occur."""
    chance = Fast(f"moments {game.slug} {seats}")
    facts = game.start(seats, options, chance)
    state = game.fold(facts)
    for _ in range(count):
        if not (owing := sorted(game.to_move(state))):
            return
        yield state, list(facts)
        moves = list(islice(game.legal_moves(state, owing[0]), WIDEST))
        kind = chance.pick(sorted({type(move).__name__ for move in moves}))
        move = chance.pick([move for move in moves if type(move).__name__ == kind])
        made = game.decide(state, owing[0], move, chance)
        state, facts = game.fold(made, state), facts + made


# -- PettingZoo's own tests -------------------------------------------------------------------------------------------


@every_table
def test_the_environment_passes_pettingzoos_api_test(game: AnyGame, seats: int) -> None:
    assert warned(lambda: api_test(environments.env(game.slug, seats), num_cycles=20)) <= KNOWN_WARNINGS


@every_table
def test_the_same_seed_gives_the_same_match(game: AnyGame, seats: int) -> None:
    assert warned(lambda: seed_test(lambda: environments.env(game.slug, seats), num_cycles=20)) <= KNOWN_WARNINGS


@every_table
def test_the_table_is_rendered(game: AnyGame, seats: int) -> None:
    pictures = {"svg": lambda drawn: drawn.startswith("<svg")}
    render_test(lambda render_mode: environments.env(game.slug, seats, render_mode=render_mode), custom_tests=pictures)


@pytest.mark.full
@every_table
def test_pettingzoos_tests_at_full_counts(game: AnyGame, seats: int) -> None:
    assert warned(lambda: api_test(environments.env(game.slug, seats), num_cycles=1000)) <= KNOWN_WARNINGS
    assert warned(lambda: seed_test(lambda: environments.env(game.slug, seats), num_cycles=500)) <= KNOWN_WARNINGS


# -- whole matches ----------------------------------------------------------------------------------------------------


def play_out(env: Any, seed: int) -> tuple[dict[str, float], Outcome, int]:
    """Play a match with random actions. Return each agent's total reward, the outcome and the number of actions."""
    env.reset(seed=seed)
    chance, got, outcome = Fast(f"actions {seed}"), dict.fromkeys(env.possible_agents, 0.0), None
    for count, agent in enumerate(env.agent_iter()):  # noqa: B007 -- returned at the end
        observation, reward, terminated, truncated, info = env.last()
        got[agent] += reward
        assert env.observation_space(agent).contains(observation)
        assert not truncated
        if terminated:
            outcome = msgspec.convert(info["outcome"], Outcome)
        env.step(None if terminated else choose(observation, chance))
    assert outcome is not None
    return got, outcome, count


@every_game
def test_random_agents_finish_a_match(game: AnyGame) -> None:
    env = environments.env(game.slug)
    got, outcome, actions = play_out(env, 1)
    assert list(got.values()) == seat_rewards(outcome, len(got))
    assert actions >= env.unwrapped.moves


@pytest.mark.full
@every_table
def test_random_agents_finish_many_matches(game: AnyGame, seats: int) -> None:
    env = environments.env(game.slug, seats)
    for seed in range(10):
        got, outcome, _ = play_out(env, seed)
        assert list(got.values()) == seat_rewards(outcome, seats)


@pytest.mark.parametrize(
    ("winners", "seats", "rewards"),
    [
        ((1,), 2, [-1, 1]),
        ((0, 1), 2, [0, 0]),
        ((), 3, [0, 0, 0]),
        ((2,), 3, [-0.5, -0.5, 1]),
        ((0, 3), 4, [1 / 3, -1 / 3, -1 / 3, 1 / 3]),
    ],
)
def test_rewards_add_up_to_zero(winners: tuple[int, ...], seats: int, rewards: list[float]) -> None:
    outcome = Outcome("score", winners, (None,) * seats, (1,) * seats)
    assert seat_rewards(outcome, seats) == pytest.approx(rewards)
    assert sum(rewards) == pytest.approx(0)


def test_a_match_can_be_truncated() -> None:
    env = environments.env("tic_tac_toe", most_moves=3)
    env.reset(seed=0)
    for action in (0, 1, 2):
        assert not any(env.truncations.values())
        env.step(env.unwrapped.vocabulary.of(action))
    assert env.truncations == {"seat_0": True, "seat_1": True}
    assert not any(env.terminations.values())
    assert [env.last()[1] for _ in env.agents] == [0, 0]


def test_randomness_depends_on_the_seed_and_continues_without_one() -> None:
    env = environments.raw_env("take_the_cake")

    def begun(seed: int | None = None) -> bytes:
        env.reset(seed)
        return canonical_json(env.game_state)

    assert begun(1) == begun(1)
    assert begun(1) != begun(2)
    assert begun() != begun()
    begun(1)
    after = begun()
    begun(1)
    assert begun() == after, "matches after a seeded one depend on the seed too"


def test_options_are_those_of_the_game() -> None:
    env = environments.raw_env("mice_cake", options={"start_face": "up"})
    env.reset(seed=0, options={"start_face": "down"})
    assert environments.decode(env.observe("seat_0"))["options"]["start_face"] == "up"
    with pytest.raises(BadOptions, match="start_face: alternate, up, down"):
        environments.raw_env("mice_cake", options={"start_face": "sideways"})
    with pytest.raises(BadOptions, match="is for 2 players"):
        environments.raw_env("mice_cake", 3)
    with pytest.raises(BadOptions, match="no seat 2"):
        environments.raw_env("mice_cake", viewer=2)
    with pytest.raises(ValueError, match="available: human, ansi, svg"):
        environments.raw_env("mice_cake", render_mode="film")
    with pytest.raises(UnknownGame, match="available games: bakers_brawl, "):
        environments.raw_env("muffins")


# -- choosing a move --------------------------------------------------------------------------------------------------


def leaves(node: Node | CompleteMove, actions: int) -> Iterator[Any]:
    """Yield every move that the tree leads to."""
    if isinstance(node, CompleteMove):
        yield node.move
        return
    opened = node.open()
    assert opened
    assert all(0 <= action < actions for action in opened)
    for then in opened.values():
        yield from leaves(then(), actions)


@every_game
def test_there_are_never_more_than_512_actions(game: AnyGame) -> None:
    env = environments.raw_env(game.slug)
    assert len(vocabulary_of(game)) == env.action_space("seat_0").n <= MAX_ACTIONS == 512
    env.reset(seed=0)
    assert env.observe("seat_0")["action_mask"].shape == (len(vocabulary_of(game)),)


@every_game
def test_the_action_masks_lead_to_exactly_the_legal_moves(game: AnyGame) -> None:
    compared = 0
    for seats in {min(game.seat_counts), max(game.seat_counts)}:
        for state, _ in moments(game, seats, 60):
            seat = min(game.to_move(state))
            legal = [canonical_json(move) for move in islice(game.legal_moves(state, seat), WIDEST + 1)]
            if len(legal) > WIDEST:
                continue
            found = [
                canonical_json(move) for move in leaves(legal_move_tree(game, state, seat), len(vocabulary_of(game)))
            ]
            assert sorted(found) == sorted(legal)
            compared += 1
    assert compared >= 5


def test_one_of_hundreds_of_thousands_of_moves_is_chosen_part_by_part() -> None:
    game, chance = find_game("take_the_cake"), Fast("arrangements")
    env = environments.raw_env(game.slug, options={"placement": "agreed"})
    for seed in range(5):
        env.reset(seed)
        env.step(env.vocabulary.of("propose_placement"))
        while env.moves == 0:  # a proposal is accepted, so it was legal
            env.step(choose(env.observe(env.agent_selection), chance))
        talks = environments.decode(env.observe("seat_0"))["talks"]
        assert talks["standing"] != talks["dealt"]


def test_a_part_with_one_possible_value_needs_no_action() -> None:
    game = find_game("mice_cake")
    state = game.fold(game.start(2, {}, Fast(1)))
    choice = PartialMove(game, state, 0)
    columns = []
    while choice.move is None:
        columns.append(max(choice.open))
        choice.take(columns[-1])
    vocabulary = vocabulary_of(game)
    assert [vocabulary.meaning(action) for action in columns] == [4]  # all mice go to A, so nothing is left to choose
    assert msgspec.to_builtins(choice.move)["columns"] == {"A": 4, "B": 0, "C": 0, "D": 0}


def test_an_agent_must_choose_even_its_only_legal_move() -> None:
    game = find_game("battle_of_the_bakeries")
    alone = next(s for s, _ in moments(game, 2, 500) if len(list(game.legal_moves(s, min(game.to_move(s))))) == 1)
    seat = min(game.to_move(alone))
    [move] = game.legal_moves(alone, seat)
    choice = PartialMove(game, alone, seat)
    [action] = choice.open
    assert choice.move is None
    assert vocabulary_of(game).meaning(action) == msgspec.to_builtins(move)["type"]
    choice.take(action)
    assert choice.move == move


class Odd(msgspec.Struct, frozen=True, tag_field="type", tag="odd"):
    """A move with an unusual shape that no game has."""

    thing: Any
    more: int | msgspec.UnsetType = msgspec.UNSET


scalars = st.none() | st.booleans() | st.integers(-300, 70_000) | st.text(max_size=6) | st.sampled_from(["mark", "12"])
things = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
)
odd_moves = st.builds(Odd, things, st.integers(0, 3) | st.just(msgspec.UNSET))


@given(st.lists(odd_moves, min_size=1, max_size=12, unique_by=msgspec.json.encode))
@settings(max_examples=150, deadline=None)
def test_moves_of_any_shape_can_be_chosen(moves: list[Odd]) -> None:
    """Numbers and texts outside the vocabulary, lists and maps of different lengths, absent fields."""
    vocabulary = vocabulary_of(find_game("tic_tac_toe"))
    found = [msgspec.json.encode(move) for move in leaves(ListedMoves(moves, vocabulary), len(vocabulary))]
    assert sorted(found) == sorted(map(msgspec.json.encode, moves))


@every_game
def test_every_action_has_a_different_meaning(game: AnyGame) -> None:
    vocabulary = vocabulary_of(game)
    meanings = [vocabulary.meaning(action) for action in range(len(vocabulary))]
    assert len(set(meanings)) == len(meanings)
    for word in vocabulary.words:
        assert vocabulary.meaning(vocabulary.of(word)) == word
    assert [vocabulary.meaning(vocabulary.of(n)) for n in range(256)] == list(range(256))
    assert "resign" in vocabulary.words
    assert set(game.names) <= set(vocabulary.words)


def test_the_action_numbers_match_the_documentation() -> None:
    assert (FIRST_CHARACTER, FIRST_NUMBER, FIRST_WORD) == (9, 104, 360)


@pytest.mark.parametrize(
    ("slug", "digest"),
    [
        ("bakers_brawl", "fe117432d393"),
        ("battle_of_the_bakeries", "7b687f81543b"),
        ("mice_cake", "59573775245d"),
        ("pie_contest", "ad1dd0753560"),
        ("take_the_cake", "3221db7c267e"),
        ("tic_tac_toe", "d540cabed31f"),
    ],
)
def test_the_vocabulary_of_the_first_rules_version_is_stable(slug: str, digest: str) -> None:
    """Changing the words of the first rules version would invalidate every trained agent."""
    assert sha256(" ".join(vocabulary_of(find_game(slug, 1)).words).encode()).hexdigest()[:12] == digest


def test_an_unavailable_action_ends_the_match_with_a_negative_reward() -> None:
    env = environments.env("tic_tac_toe")
    env.reset(seed=0)
    env.step(env.unwrapped.vocabulary.of(4))
    env.step(env.unwrapped.vocabulary.of(4))
    assert all(env.terminations.values())
    assert {agent: env.rewards[agent] for agent in env.agents} == {"seat_0": 0, "seat_1": -1}


def test_an_unavailable_action_raises_with_the_available_ones() -> None:
    env = environments.raw_env("tic_tac_toe")
    env.reset(seed=0)
    for number in range(3):
        env.step(env.vocabulary.of(number))
    closed, first = env.vocabulary.of(2), env.vocabulary.of(3)
    with pytest.raises(
        environments.BadAction, match=f"seat_1 cannot take action {closed}; available: {first} 3, {first + 1} 4, "
    ):
        env.step(closed)
    with pytest.raises(environments.BadAction):
        env.step(None)
    env.step(np.int64(first))
    assert env.moves == 4


# -- observations -----------------------------------------------------------------------------------------------------


@every_table
def test_an_observation_contains_the_view(game: AnyGame, seats: int) -> None:
    env, chance = environments.raw_env(game.slug, seats), Fast("views")
    env.reset(seed=3)
    for _ in range(40):
        for seat, agent in enumerate(env.possible_agents):
            seen = canonical_json(environments.decode(env.observe(agent)))
            assert seen == canonical_json(game.view(env.game_state, seat))
            assert game.read_view(seen) == game.view(env.game_state, seat)
        if not game.to_move(env.game_state):
            return
        env.step(choose(env.observe(env.agent_selection), chance))


def alike(one: Any, other: Any) -> bool:
    """Return whether two observations are the same."""
    return one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)


@every_table
def test_worlds_with_the_same_view_have_the_same_observations(game: AnyGame, seats: int) -> None:
    """Compares the observation, the available actions, and those available after the first part of a move."""
    env, other, worlds, differ, hidden = (
        environments.raw_env(game.slug, seats),
        environments.raw_env(game.slug, seats),
        0,
        False,
        False,
    )
    env.reset(seed=0)
    other.reset(seed=0)
    for state, facts in islice(moments(game, seats, 80), 0, None, 8):
        for seat, agent in enumerate(env.possible_agents):
            redacted = (game.redact(state, fact, n, seat) for n, fact in enumerate(facts))
            known = [fact for fact in redacted if fact is not None]
            made_up = game.determinize(game.view(state, seat), known, seat, Fast(f"world {worlds}"))
            hidden |= known != facts
            differ |= canonical_json(made_up) != canonical_json(state)
            env.go_on_from(state)
            other.go_on_from(made_up)
            assert alike(env.observe(agent), other.observe(agent))
            worlds += 1
            if env.agent_selection == agent:
                same_parts(env, other, agent, choose(env.observe(agent), Fast(worlds)))
    assert worlds >= 2 * seats
    assert differ or not hidden


def same_parts(env: environments.raw_env, other: environments.raw_env, agent: str, action: int) -> None:
    """Check that an action leaves the same actions available in both environments, until the move is complete."""
    begun = [one.moves for one in (env, other)]
    for one in (env, other):
        one.step(action)
    made = [one.moves - before for one, before in zip((env, other), begun, strict=True)]
    assert made[0] == made[1]
    if made == [0, 0]:
        assert alike(env.observe(agent), other.observe(agent))


def test_an_incomplete_or_secret_move_is_hidden_from_others() -> None:
    """Given two assignments of mice by seat 0, then seat 1 sees the same while it chooses its own."""
    seen = []
    for first in (0, 3):
        env = environments.raw_env("mice_cake")
        env.reset(seed=5)
        before = env.observe("seat_1")
        env.step(env.vocabulary.of(first))
        assert env.agent_selection == "seat_0", "the first part does not complete the move"
        assert [env.vocabulary.meaning(n) for n in env.observe("seat_0")["chosen"] if n >= 0] == [first]
        assert alike(env.observe("seat_1"), before)
        chance = Fast("rest")
        while env.agent_selection == "seat_0":
            env.step(choose(env.observe("seat_0"), chance))
        assert not env.observe("seat_0")["action_mask"].any()
        seen.append(env.observe("seat_1"))
    assert alike(*seen)
    assert seen[0]["action_mask"].any()


def test_an_observation_is_an_independent_copy() -> None:
    env = environments.raw_env("tic_tac_toe")
    env.reset(seed=0)
    observation = env.observe("seat_0")
    kept = {name: array.copy() for name, array in observation.items()}
    observation["observation"][:] = 7
    assert alike(env.observe("seat_0"), kept)
    env.step(env.vocabulary.of(0))
    assert not alike(env.observe("seat_0"), kept)


def test_a_view_that_does_not_fit_raises() -> None:
    env = environments.raw_env("tic_tac_toe", view_bytes=20)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="view_bytes=20"):
        env.observe("seat_0")


def test_a_match_cannot_continue_from_a_final_state() -> None:
    env = environments.raw_env("tic_tac_toe")
    env.reset(seed=0)
    begun = env.game_state
    for cell in (0, 3, 1, 4, 2):
        env.step(env.vocabulary.of(cell))
    ended = env.game_state
    env.reset(seed=0)
    with pytest.raises(ValueError, match="no seat owes a move"):
        env.go_on_from(ended)
    env.step(env.vocabulary.of(0))
    env.go_on_from(begun)
    assert env.agent_selection == "seat_0"
    assert env.observe("seat_0")["action_mask"].sum() == 9


def test_a_table_is_rendered_as_its_viewer_sees_it() -> None:
    drawn = {}
    for viewer in (None, 0, 1):
        env = environments.raw_env("take_the_cake", render_mode="ansi", viewer=viewer)
        env.reset(seed=0)
        drawn[viewer] = env.render()
        assert drawn[viewer] == env.game.text(env.game.view(env.game_state, viewer), viewer)
    assert len(set(drawn.values())) == 3


# -- the optional dependencies ----------------------------------------------------------------------------------------


def run_without(modules: tuple[str, ...], code: str) -> subprocess.CompletedProcess[str]:
    """Run a program as if these modules were not installed."""
    hidden = f"import sys; sys.modules.update(dict.fromkeys({modules!r}))\n"
    return subprocess.run([sys.executable, "-c", hidden + code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("missing", ["pettingzoo", "gymnasium", "numpy"])
def test_without_the_extra_the_import_error_names_what_to_install(missing: str) -> None:
    ran = run_without((missing,), "import crumbtrail.environments")
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1].endswith("Install it with: pip install 'crumbtrail[rl]'")
    assert missing in ran.stderr.splitlines()[-1]


def test_the_commands_do_not_need_the_extra() -> None:
    code = "import service.cli, workers.cli, workers.processes.dispatcher, workers.processes.worker, domain.bots.search"
    ran = run_without(("pettingzoo", "gymnasium", "numpy"), code)
    assert ran.returncode == 0, ran.stderr

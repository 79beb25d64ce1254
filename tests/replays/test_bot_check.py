"""House bots' decisions are repeated from the replay alone: an honest bot passes, and a cheating one is caught."""

from collections.abc import Callable
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from msgspec import UNSET
from msgspec.structs import replace

from domain.bots.levels import LEVELS, BotInput, budget_of
from domain.kernel.events import Moved, SeatTaken, without_retracted
from domain.kernel.registry import find_game, games
from domain.match.bots import bot_decision
from domain.match.commands import AnswerProposal, Create, ForkSource, HandOver, Play, Propose, SeatSpec
from domain.match.decide import decide
from domain.match.lobby import create
from domain.match.luck import fork_from, with_new_salts
from replays.bot_check import SAMPLE_SIZE, bot_moves, check_bots, listed, sample
from replays.redaction import redact_event
from replays.replay import Replay
from replays.verify import verify
from service.cli.verify import verify as verify_command
from tests.builders import EPOCH, Table, fold, play_match, replay_file, secrets_of, sit_down

Chooser = Callable[[Table, int, str], Any]
"""Chooses a bot's move: (table, seat, the 32 bytes in hex)."""


def seated(game: str, *seats: str, name: str = "m00bots") -> Table:
    """Return a match that has just started, with a bot of a level or a person (`p1`) in each seat."""
    wishes = tuple(SeatSpec("bot", level=who) if who in LEVELS else SeatSpec("human", player=who) for who in seats)
    luck = secrets_of(find_game(game), "bots", match=name)
    events, match = create(Create(match=name, game=game, creator="p0", options={}, seats=wishes), EPOCH, luck)
    return Table(luck, match, list(events))


def honest(table: Table, seat: int, seed: str) -> Any:
    """Return the move that the bot's strategy makes from what its seat sees."""
    match, game = table.match, table.match.rules
    facts = [fact for e in without_retracted(table.events) for fact in redact_event(e, match, seat).facts]
    view, legal = game.view(match.state, seat), game.legal_moves(match.state, seat)
    level = match.seats[seat].acting_bot_level or "random"
    bot_input = BotInput(game=game, view=view, seat=seat, legal=legal, facts=lambda: facts, seed=seed)
    return LEVELS[level].choose(bot_input, budget_of(LEVELS[level], game, view), None).move


def play_turn(table: Table, choose: Chooser = honest, **how: Any) -> None:
    """Let the service play the next turn of a bot."""
    seat = min(seat for seat in table.match.to_move if table.match.seats[seat].acting_bot_level is not None)
    seed = bot_decision(table.match, seat, table.luck)
    assert seed is not None
    move = msgspec.to_builtins(choose(table, seat, seed))
    table.take_command(Play(seat, move, **({"seen": table.match.ply} | how)))


def play_with_person(game: str, level: str, turns: int, name: str = "m00bots") -> Table:
    """Return a match of a bot against a person, who makes the first legal move, after this many turns or at its end."""
    table = seated(game, level, "p1", name=name)
    for _ in range(turns):
        if table.match.status == "playing":
            seat = min(table.match.to_move)
            play_turn(table) if seat == 0 else table.play(seat, lowest(table, seat))
    return table


def played_out(table: Table, choose: Chooser = honest) -> Replay:
    """Let bots play a match to its end."""
    while table.match.status == "playing":
        play_turn(table, choose)
    return Replay(tuple(table.events))


def resigned(table: Table, seat: int = 1) -> Replay:
    """End a match by a resignation of this seat, unless it is over."""
    if table.match.status == "playing":
        table.play(seat, {"type": "resign"})
    return Replay(tuple(table.events))


@pytest.mark.parametrize("game", games())
@pytest.mark.parametrize("level", ["random", "easy", "greedy"])
def test_an_honest_bot_passes_in_every_game(game: str, level: str) -> None:
    table = play_with_person(game, level, turns=25)
    made = table.match.move_counts[0]
    layer = check_bots(resigned(table), everything=True)
    assert (layer.status, layer.sentence) == ("ok", made_again(made))


def made_again(moves: int) -> str:
    """Return the report on this many moves whose decisions were all repeated."""
    return f"House bots made {moves} moves. Repeating them gave the same moves."


def test_a_bot_that_peeks_is_found() -> None:
    """Given a bot that tries all its moves with the real dice, against the assignment that its opponent has hidden."""

    def peek(table: Table, seat: int, seed: str) -> Any:
        if seat == 0:
            return honest(table, seat, seed)
        before, events, game = table.match, list(table.events), table.match.rules

        def pips(move: Any) -> int:
            table.play(seat, move)
            won = int(game.view(table.match.state, seat).pips.blue)
            table.match, table.events = before, list(events)
            return won

        return max(game.legal_moves(before.state, seat), key=pips)

    table = seated("mice_cake", "greedy", "greedy")
    for _ in range(12):
        play_turn(table, peek)
    layer = check_bots(resigned(table), everything=True)
    assert layer.status == "failed"
    assert layer.divergence
    assert layer.divergence.rule == "bots.move"


def test_a_service_that_grinds_the_luck_of_its_bot_is_found() -> None:
    """Given a service that tries different bytes until its random bot takes the middle."""

    def grind(table: Table, seat: int, seed: str) -> Any:
        if seat == 1 or table.match.move_counts[0]:
            return honest(table, seat, seed)
        tries = (honest(table, seat, sha256(f"{n}".encode()).hexdigest()) for n in count())
        return next(move for move in tries if move.cell == 4)

    for name in ("m00a", "m00b", "m00c"):
        table = seated("tic_tac_toe", "random", "random", name=name)
        luckless = honest(table, 0, bot_decision(table.match, 0, table.luck) or "").cell != 4
        layer = check_bots(played_out(table, grind))
        assert (layer.status == "failed") == luckless, "a move that the true bytes also lead to proves nothing"
        if layer.divergence:
            assert (layer.divergence.ply, layer.divergence.rule) == (5, "bots.move")
            assert '"cell":4' in layer.divergence.found


def test_a_version_that_is_not_installed_is_not_checked() -> None:
    """Given a replay of a later version, whose moves differ, then no move is called wrong."""
    replay = played_out(seated("tic_tac_toe", "greedy", "random"), lambda table, seat, seed: lowest(table, seat))
    assert check_bots(replay).status == "failed"
    later = [replace(e, bot=f"{e.level}/7") if isinstance(e, SeatTaken) else e for e in replay.events]
    layer = check_bots(Replay(tuple(later)))
    assert layer.status == "not_checked"
    assert "were made by greedy/7, random/7, which is not installed here." in layer.sentence


def lowest(table: Table, seat: int) -> Any:
    """Return the first legal move."""
    return next(iter(table.match.rules.legal_moves(table.match.state, seat)))


def test_moves_of_the_service_are_listed() -> None:
    table = seated("tic_tac_toe", "greedy", "greedy")
    play_turn(table, lambda table, seat, seed: lowest(table, seat), fallback=True)
    layer = check_bots(played_out(table))
    assert layer.status == "partly"
    assert layer.sentence.endswith("The server chose 1 move instead of a strategy: ply 5.")
    assert listed([3]) == "ply 3"
    assert listed(range(1, 13)) == "plies 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more"


def test_a_bot_must_have_decided_in_its_own_turn() -> None:
    """Given a service that lets a bot decide on an earlier position because it prefers the resulting move."""
    table = seated("tic_tac_toe", "greedy", "greedy")
    for _ in range(2):
        play_turn(table)
    play_turn(table, lambda table, seat, seed: lowest(table, seat), seen=4)
    layer = check_bots(played_out(table))
    assert layer.divergence
    assert (layer.divergence.ply, layer.divergence.rule, layer.divergence.found) == (7, "bots.seen", "4")


def test_moves_of_persons_and_moves_taken_back_count_for_a_bots_luck() -> None:
    """Given a person who moves, takes the move back, moves again and hands the seat to a bot.

    The bot's first decision is then the third of its seat.
    """
    table = seated("tic_tac_toe", "p0", "p1")
    table.play(0, {"type": "mark", "cell": 0})
    proposed = table.take_command(Propose(seat=0, what="takeback", to_ply=table.match.ply - 1))
    table.take_command(AnswerProposal(1, proposed[0].ply, True))
    table.play(0, {"type": "mark", "cell": 4})
    table.play(1, {"type": "mark", "cell": 1})
    table.take_command(HandOver(0, "random"))
    assert table.match.move_counts == (2, 1)
    shares = table.match.shares
    assert bot_decision(table.match, 0, table.luck) == table.luck.bot_decision("m00bots", shares, 0, 2).hex()  # type: ignore[attr-defined]
    play_turn(table)
    layer = check_bots(resigned(table, 1))
    assert (layer.status, layer.sentence[:24]) == ("ok", "House bots made 1 move. ")


def test_events_in_between_give_a_bot_no_second_chance() -> None:
    """Given a bot's turn during which a player makes a proposal, then the bot has the same 32 bytes."""
    table = seated("tic_tac_toe", "p0", "greedy", name="m00same")
    table.play(0, {"type": "mark", "cell": 0})
    before = bot_decision(table.match, 1, table.luck)
    table.take_command(HandOver(0, "random"))
    assert bot_decision(table.match, 1, table.luck) == before


def test_a_fork_with_the_same_luck_gives_its_bots_luck_of_their_own() -> None:
    table = play_with_person("mice_cake", "greedy", turns=6)
    parent = resigned(table)
    then = fold(parent.events[:8])
    facts = tuple(fact for event in parent.events[:8] for fact in event.facts)
    seats = (SeatSpec("bot", level="greedy"), SeatSpec("human", player="q1"))
    source = ForkSource(fork_from(then, "same"), then.rules_version, facts)
    command = Create(match="m00fork", game=then.game, creator="q0", options=then.options, seats=seats, fork=source)
    luck = with_new_salts(then, table.luck, sha256(b"salts").digest())
    events, match = create(command, EPOCH, luck)
    fork = Table(luck, match, list(events))
    assert bot_decision(match, 0, luck) == table.luck.bot_decision("m00fork", then.shares, 0, 0).hex()  # type: ignore[attr-defined]
    assert bot_decision(match, 0, luck) != bot_decision(then, 0, table.luck)
    while fork.match.move_counts[0] < 3:
        seat = min(fork.match.to_move)
        play_turn(fork) if seat == 0 else fork.play(seat, lowest(fork, seat))
    layer = check_bots(resigned(fork))
    assert (layer.status, layer.sentence) == ("ok", made_again(3))


def test_a_long_match_is_sampled_always_in_the_same_way() -> None:
    table = play_with_person("battle_of_the_bakeries", "greedy", turns=100)
    replay, made = resigned(table), table.match.move_counts[0]
    layer = check_bots(replay)
    assert layer.status == "partly"
    assert layer.sentence == (
        f"Repeating {SAMPLE_SIZE} of {made} moves of house bots gave the same moves. "
        f"{made - SAMPLE_SIZE} were not in the sample; `--bots all` repeats them."
    )
    assert check_bots(replay, everything=True).status == "ok"
    moves = list(bot_moves(replay))
    assert sample(moves, "a") == sample(moves, "a") != sample(moves, "b")


def test_a_resignation_that_no_strategy_decided_is_listed() -> None:
    """Given a service that resigns for its bot, then the report says so. Running out of time is not a decision."""
    table = play_with_person("tic_tac_toe", "greedy", turns=2)
    made, _ = decide(table.match, Play(0, {"type": "resign"}), EPOCH, table.luck)
    layer = check_bots(Replay((*table.events, *made)))
    assert layer.status == "partly"
    assert layer.sentence.endswith("The server chose 1 move instead of a strategy: ply 7.")


def test_only_matches_of_protocol_2_that_are_over_can_be_checked() -> None:
    old = Replay(tuple(play_match(find_game("tic_tac_toe", 1))))
    assert check_bots(old).status == "not_checked"
    running = seated("tic_tac_toe", "greedy", "random")
    play_turn(running)
    assert check_bots(Replay(tuple(running.events))).status == "not_checked"
    people = Replay(tuple(play_match(find_game("tic_tac_toe"))))
    assert check_bots(people).sentence == "House bots made no moves."


def test_under_protocol_1_no_move_says_what_was_seen() -> None:
    table = sit_down(find_game("tic_tac_toe", 1))
    assert bot_decision(table.match, 0, table.luck) is None
    made = table.take_command(Play(0, {"type": "mark", "cell": 0}, seen=4, fallback=True))
    assert isinstance(made[0], Moved)
    assert (made[0].seen, made[0].fallback) == (UNSET, UNSET)


def run(*words: str) -> tuple[int, str]:
    """Return the exit code and output of `crumbtrail verify`."""
    result = CliRunner().invoke(verify_command, [*words])
    return result.exit_code, result.output


def test_the_command_repeats_bots_decisions(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_bytes(replay_file(played_out(seated("tic_tac_toe", "greedy", "random")).events))
    cheat = played_out(seated("tic_tac_toe", "greedy", "greedy"), lambda table, seat, seed: lowest(table, seat))
    bad.write_bytes(replay_file(cheat.events))
    assert verify(bad.read_bytes()).ok, "its moves are legal"
    for words in (["--bots"], ["--bots", "all"], ["--bots=all"], ["--bots=sample"]):
        for files in ([str(good)], [str(good), str(good)]):
            code, text = run(*words, *files)
            assert (code, "bots        ok" in text) == (0, True), text
            assert run(*files, *words) == (code, text)
    assert "bots  " not in run(str(good))[1]
    code, text = run("--bots", str(bad))
    assert code == 1
    assert "A house bot made a different move from the one its strategy makes" in text
    assert "[rule bots.move]" in text
    assert run(str(bad))[0] == 0

"""Replay files of matches with disputes, rulings and forks: honest files verify, forged files are found."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.chance import Fast
from domain.kernel.events import PlannedSeat
from domain.kernel.registry import all_versions, find_game, games
from domain.match.commands import RaiseDispute, RecordVerdict, ResolveDispute
from replays import standalone_verify
from replays.file import encode_replay, read_replay
from replays.fork_check import check_fork
from replays.verify import verify, verify_log
from tests.builders import Table, fork_table, greedy_agent, log_lines, play_on, replay_file, seed_of, sit_down, step
from tests.domain.match.test_disputes import CLAIM, raise_heard_dispute, submit
from tests.replays.forge import Entries, forge_replay, of_kind, rechain, reseal

GAMES = list(games().values())
every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.slug)
every_old_game = pytest.mark.parametrize(
    "game", [game for game in all_versions() if game.luck_protocol == 1], ids=lambda game: game.slug
)
GAME = find_game("tic_tac_toe")


def rolled_back(game: Any) -> Table:
    """Return a running match in which an arbiter rolled back a move."""
    table, chance = sit_down(game), Fast("court")
    for _ in range(3):
        step(table, chance, greedy_agent)
    number = raise_heard_dispute(table, table.match.ply)
    submit(table, ResolveDispute(number, "rolled_back", "judge", number - 2))
    return table


def judged(game: Any, ruling: Any = "stands", ply: int | None = None) -> Table:
    """Return such a match played to its end, then disputed and resolved again."""
    table = rolled_back(game)
    play_on(table, Fast("end"), greedy_agent)
    submit(table, ResolveDispute(raise_heard_dispute(table, 5, holds=False), ruling, "judge", ply))
    return table


@pytest.mark.slow
@every_game
@pytest.mark.parametrize(("ruling", "ply"), [("stands", None), ("annulled", None), ("result_of", 5)])
def test_a_match_with_rulings_verifies_in_all_layers(game: Any, ruling: str, ply: int | None) -> None:
    raw = replay_file(judged(game, ruling, ply).events)
    report = verify(raw)
    assert report.ok, report.as_text()
    layers, wrong = standalone_verify.verify(raw)
    assert wrong is None, layers
    assert list(read_replay(raw).events) == judged(game, ruling, ply).events


@every_game
def test_a_running_match_with_a_rollback_shows_its_retracted_plies(game: Any) -> None:
    table = rolled_back(game)
    raw = replay_file(table.events)
    report = verify(raw)
    assert (report.verdict, report.first) == ("unfinished", None), report.as_text()
    shown = read_replay(raw).events
    assert len(shown) == len(table.events)
    # A spectator still sees what was shown of the retracted plies before the ruling.
    before = read_replay(replay_file(table.events[:-1])).events
    assert shown[:-1] == before


@every_game
def test_the_server_audits_a_running_match_with_its_seed(game: Any) -> None:
    table = rolled_back(game)
    report = verify_log(framed(table), table.secrets)
    states = {layer.name: layer.status for layer in report.layers}
    assert report.first is None, report.as_text()
    assert {name for name, status in states.items() if status != "ok"} == {"signature", "fold", "score"}
    # A wrong seed is found, though nothing has been revealed yet.
    assert verify_log(framed(table), bytes(64)).first is not None


def framed(table: Table) -> bytes:
    """Return the log's own lines in the frame of a file."""
    header, *_, closing = encode_replay(table.events)
    return b"".join([header, *(line + b"\n" for line in log_lines(table.events)), closing])


def ruling_before_verdict(events: Entries) -> Entries:
    return [event for event in events if event["kind"] != "audited"]


def ruling_of_nothing(events: Entries) -> None:
    of_kind(events, "resolved")[-1]["dispute"] = 3


def another_ply(events: Entries) -> None:
    of_kind(events, "resolved")[0]["to_ply"] -= 1


def back_to_the_seats(events: Entries) -> None:
    of_kind(events, "resolved")[0]["to_ply"] = 2


def players_own_ruling(events: Entries) -> None:
    of_kind(events, "resolved")[-1]["arbiter"] = "p0"


def disputed_twice(events: Entries) -> Entries:
    at = events.index(of_kind(events, "disputed")[0])
    return [*events[: at + 1], dict(events[at]), *events[at + 1 :]]


def disputed_ahead(events: Entries) -> None:
    of_kind(events, "disputed")[0]["target"] = 999


def seatless_dispute(events: Entries) -> None:
    of_kind(events, "disputed")[0]["seat"] = None


def better_score(events: Entries) -> None:
    scores = of_kind(events, "resolved")[-1]["outcome"]["scores"]
    scores[0] = (scores[0] or 0) + 1


def unasked_score(events: Entries) -> None:
    of_kind(events, "resolved")[0]["outcome"] = of_kind(events, "ended")[0]["outcome"]


@pytest.mark.slow
@every_game
@pytest.mark.parametrize(
    ("change", "layers", "rules"),
    [(ruling_before_verdict, {"lifecycle"}, {"lifecycle.court"}),
     (ruling_of_nothing, {"lifecycle"}, {"lifecycle.court"}),
     (another_ply, {"moves", "draws", "fold", "lifecycle"}, None),
     (back_to_the_seats, {"lifecycle"}, {"lifecycle.court"}),
     (players_own_ruling, {"lifecycle"}, {"lifecycle.court"}),
     (disputed_twice, {"lifecycle"}, {"lifecycle.court"}), (disputed_ahead, {"lifecycle"}, {"lifecycle.court"}),
     (seatless_dispute, {"lifecycle"}, {"lifecycle.court", "lifecycle.shape"}),
     (better_score, {"fold"}, {"fold.ruling"}), (unasked_score, {"fold"}, {"fold.ruling"})],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_a_forged_ruling_is_found_though_the_chain_is_intact(
    game: Any, change: Callable[[Entries], Any], layers: set[str], rules: set[str] | None
) -> None:
    raw = reframed(replay_file(judged(game, "result_of", 5).events), change)
    report = verify(raw)
    failed = {layer.name for layer in report.layers if layer.status == "failed"}
    assert failed & layers, report.as_text()
    assert report.first is not None
    if rules is not None:
        assert report.first.rule in rules


def reframed(raw: bytes, change: Callable[[Entries], Any]) -> bytes:
    """Return the file after a change, with chain, salts and closing line adjusted; counters are unchanged."""

    def seal(events: Entries) -> Entries:
        counts = [event["first_fact"] for event in events]
        draws = [event["draw"] for event in events]
        reseal(events)
        for event, count, draw in zip(events, counts, draws, strict=True):
            event["first_fact"], event["draw"] = count, draw
        return rechain(events)

    return forge_replay(raw, change, seal=seal)


# -- forks --------------------------------------------------------------------------------------------------------


@every_game
@pytest.mark.parametrize("luck", ["same", "new"])
def test_a_fork_verifies_on_its_own(game: Any, luck: str) -> None:
    table = fork_table(judged(game), 6, luck)
    open_report = verify(replay_file(table.events))
    assert open_report.first is None, open_report.as_text()
    play_on(table, Fast("fork"), greedy_agent)
    raw = replay_file(table.events)
    report = verify(raw)
    assert report.ok, report.as_text()
    assert "Forked from ply 6" in next(layer.sentence for layer in report.layers if layer.name == "moves")
    layers, wrong = standalone_verify.verify(raw)
    assert wrong is None, layers


def claim_new_luck(events: Entries) -> None:
    events[0]["fork"]["luck"] = "new"


def claim_new_luck_in_the_right_form(events: Entries) -> None:
    fork = events[0]["fork"]
    events[0]["fork"] = {"luck": "new"} | {name: fork[name] for name in ("match", "ply", "head")}


@every_game
@pytest.mark.parametrize(
    ("change", "rule"), [(claim_new_luck, "luck.protocol"), (claim_new_luck_in_the_right_form, "luck.commitment")]
)
def test_a_fork_with_the_wrong_luck_is_found(game: Any, change: Callable[[Entries], Any], rule: str) -> None:
    table = fork_table(judged(game), 6, "same")
    play_on(table, Fast("fork"), greedy_agent)
    report = verify(reframed(replay_file(table.events), change))
    assert report.first is not None
    assert report.first.rule == rule


@every_old_game
def test_a_fork_of_protocol_1_with_the_wrong_luck_is_found_by_its_draws(game: Any) -> None:
    table = fork_table(judged(game), 6, "same")
    play_on(table, Fast("fork"), greedy_agent)
    report = verify(reframed(replay_file(table.events), claim_new_luck))
    drew = next(layer.sentence for layer in verify(replay_file(table.events)).layers if layer.name == "draws")
    assert (report.first is None) == drew.startswith("0 draws"), report.as_text()


@every_game
def test_a_fork_is_checked_against_the_match_it_comes_from(game: Any) -> None:
    parent = judged(game)
    honest = fork_table(parent, 6, "new")
    assert check_fork(honest.events, parent.events).status == "ok"
    # A different ply, match or fact is found.
    assert check_fork(fork_table(parent, 5, "new").events[:1], parent.events[:4]).status == "failed"
    other = rolled_back(game)
    other.events[0] = replace(other.events[0], match="m00other")
    assert "a different match" in check_fork(honest.events, other.events).sentence
    created = honest.events[0]
    short = [replace(created, facts=created.facts[:-1]), *honest.events[1:]]
    assert "does not start with the facts" in check_fork(short, parent.events).sentence
    moved = [replace(created, fork=replace(created.fork, head="00" * 32)), *honest.events[1:]]  # type: ignore[attr-defined]
    assert "a different hash" in check_fork(moved, parent.events).sentence
    assert check_fork(parent.events, parent.events).sentence == "This is not a fork."


OLD = find_game("bakers_brawl", 1)
NEW = find_game("bakers_brawl")
OTHER_LUCK = [
    (OLD, "new", {}, {"draws": 99}, "a different `fork.draws`"),
    (OLD, "new", {}, {"origin": "m00other"}, "a different `fork.origin`"),
    (OLD, "same", {}, {"client_seeds": ("x", "y")}, "a different `fork.client_seeds`"),
    (OLD, "same", {}, {"luck": "new"}, "new luck but has the old seed"),
    (OLD, "new", {}, {"luck": "same"}, "same luck but has a different `commitment`"),
    (OLD, "same", {"given": True}, {}, "same luck but has a different `given`"),
    (NEW, "same", {}, {"uses": {"deck": 99}}, "a different `fork.uses`"),
    (NEW, "same", {}, {"origin": "m00other"}, "a different `fork.origin`"),
    (NEW, "same", {}, {"shares": (None, "ab" * 32)}, "a different `fork.shares`"),
    (NEW, "same", {}, {"commitment": "ab" * 32}, "a different `fork.commitment`"),
    (NEW, "same", {}, {"draws": 3}, "a different `fork.draws`"),
    (NEW, "new", {}, {"luck": "same"}, "a different `fork.origin`"),
    (NEW, "same", {"commitment": "ab" * 32}, {}, "same luck but has a different `commitment`"),
    (NEW, "same", {"given": True}, {}, "same luck but has a different `given`"),
    (NEW, "new", {"seats": (PlannedSeat("human"),) * 7}, {}, "a different `number of seats`"),
]


@pytest.mark.parametrize(
    ("game", "luck", "created", "fork", "words"),
    OTHER_LUCK,
    ids=[f"v{each[0].rules_version} {each[-1]}" for each in OTHER_LUCK],
)
def test_a_false_claim_about_the_luck_of_a_fork_is_found(
    game: Any, luck: Any, created: dict[str, Any], fork: dict[str, Any], words: str
) -> None:
    # given: a fork whose first event makes a false claim about its luck
    parent = judged(game)
    first: Any = fork_table(parent, 6, luck).events[0]
    false = replace(first, fork=replace(first.fork, **fork), **created)
    # then
    assert check_fork([first], parent.events).status == "ok"
    assert words in check_fork([false], parent.events).sentence


def test_a_fork_that_claims_new_luck_but_has_the_old_seed_is_found() -> None:
    """Given a running fork whose commitment contains its own id, then the seed that the parent revealed shows it."""
    parent = judged(NEW)
    fork = fork_table(parent, 6, "new", seed=seed_of("crumbs"))
    assert fork.events[0].commitment != parent.events[0].commitment  # type: ignore[attr-defined]
    assert "new luck but has the old seed" in check_fork(fork.events[:1], parent.events).sentence


def test_a_fork_that_reveals_the_seed_of_its_running_parent_is_found() -> None:
    parent = rolled_back(NEW)
    fork = fork_table(parent, 6, "new", seed=seed_of("crumbs"))
    assert check_fork(fork.events, parent.events).status == "ok"
    play_on(fork, Fast("fork"), greedy_agent)
    assert "new luck but has the old seed" in check_fork(fork.events, parent.events).sentence


def test_a_fork_of_a_fork_takes_its_luck_from_the_first_match() -> None:
    parent = fork_table(judged(GAMES[-1]), 6, "same")
    play_on(parent, Fast("fork"), greedy_agent)
    ply = len(parent.match.seats) + 2
    fork = fork_table(parent, ply, "same", name="m00second")
    first: Any = fork.events[0]
    false = replace(first, fork=replace(first.fork, origin=parent.match.id))
    assert first.fork.origin == "m00built"
    assert check_fork([first], parent.events).status == "ok"
    assert "a different `fork.origin`" in check_fork([false], parent.events).sentence
    play_on(fork, Fast("second"), greedy_agent)
    assert verify(replay_file(fork.events)).ok


def test_a_dispute_is_public_and_its_claim_is_only_a_digest() -> None:
    table = sit_down(GAME)
    step(table, Fast(1))
    submit(table, RaiseDispute(0, 5, "other", CLAIM))
    submit(table, RecordVerdict(table.match.ply, holds=True))
    for event in read_replay(replay_file(table.events)).events[-2:]:
        assert event.salt is None
        assert event.hash
    assert CLAIM.encode() in replay_file(table.events)

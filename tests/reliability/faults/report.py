"""The figures of a run, as quoted in `docs/reliability.md`."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from tests.reliability.faults.checker import CHANNELS, Violation
from tests.reliability.faults.history import Channel, History, MatchRecord
from tests.reliability.faults.nemesis import FAULT_KINDS

LOSSES = frozenset(("acknowledged", "created"))
DOUBLES = frozenset(("once",))


def figures(histories: Sequence[History], violations: Iterable[Violation]) -> str:
    """Return moves, faults, losses, duplicates and waits of these runs, one per line."""
    found = Counter(violation.rule for violation in violations)
    ops = [op for history in histories for op in history.ops]
    moves = [op for op in ops if op.kind == "move"]
    records = [record for history in histories for record in history.matches]
    lines = [
        ("seeds", ", ".join(str(history.seed) for history in histories)),
        ("minutes under faults", f"{sum(history.ended - history.began for history in histories) / 60:.1f}"),
        ("faults", sum(len(history.harms) for history in histories)),
        ("matches; finished and audited", f"{len(records)}; {sum(record.verdict == 'ok' for record in records)}"),
        ("events in the log", sum(len(record.lines) for record in records)),
        ("requests of clients", len(ops)),
        ("moves acknowledged", sum(op.done for op in moves)),
        ("moves that needed more than one try", sum(op.tries > 1 for op in moves if op.done)),
        ("moves refused", sum(op.status is not None and not op.done for op in moves)),
        ("acknowledged and lost", sum(found[rule] for rule in LOSSES)),
        ("carried out twice, or although refused", sum(found[rule] for rule in DOUBLES)),
        ("broken promises of any other kind", found.total() - sum(found[rule] for rule in LOSSES | DOUBLES)),
        ("emails; webhook calls", "; ".join(str(count_taken(histories, channel)) for channel in CHANNELS)),
        (
            "orders given; moves made by orders",
            f"{sum(op.kind == 'order' and op.done for op in ops)}; {count_ordered_moves(records)}",
        ),
        ("rated results", sum(is_rated(record) for record in records)),
        *(
            (f"{kind} (s): median, 99th percentile, longest", percentiles(waiting_times(histories, kind)))
            for kind in WAITS
        ),
    ]
    return "\n".join(f"{name:<48} {value}" for name, value in lines)


def count_taken(histories: Iterable[History], channel: Channel) -> int:
    """Return the number of emails or calls received."""
    return sum(each.channel == channel for history in histories for each in history.taken)


def count_ordered_moves(records: Iterable[MatchRecord]) -> int:
    """Return the number of moves made by standing orders."""
    return sum('"cause":' in line for record in records for line in record.lines)


def is_rated(record: MatchRecord) -> bool:
    """Return whether the match has a result that counts towards the ratings."""
    return bool(record.folded and record.folded["rated"] and record.folded["outcome"])


WAITS = ("bot", "deadline", "audit")


def waiting_times(histories: Iterable[History], kind: str) -> list[float]:
    """Return all completed waits of a kind in seconds, outages included."""
    records = (record for history in histories for record in history.matches)
    return [wait.done - wait.since for r in records for wait in r.waits if wait.kind == kind and wait.done is not None]


def percentiles(seconds: Sequence[float]) -> str:
    """Return median, 99th percentile and maximum, with the count."""
    if not seconds:
        return "none"
    ordered = sorted(seconds)
    return (
        " ".join(f"{ordered[int(share * (len(ordered) - 1))]:.2f}" for share in (0.5, 0.99, 1)) + f" of {len(ordered)}"
    )


def recoveries(histories: Sequence[History]) -> str:
    """Return for every kind of fault the count, and the times from its end to the next acknowledged move."""
    found: dict[str, list[float]] = defaultdict(list)
    for history in histories:
        answers = sorted((op for op in history.ops if op.kind == "move" and op.done), key=lambda op: op.ended)
        for harm in history.harms:
            following = next((op.ended - harm.ended for op in answers if op.ended > harm.ended), None)
            if following is not None:
                found[harm.name].append(following)
    lines = [f"{'fault':<22} {'what is done':<76} times  next move after (s): median, longest"]
    for name, kind in FAULT_KINDS.items():
        if times := sorted(found[name]):
            lines.append(f"{name:<22} {kind.words:<76} {len(times):>5}  {times[len(times) // 2]:.2f} {times[-1]:.2f}")
    return "\n".join(lines)


def mutants_table(catches: dict[str, list[str]]) -> str:
    """Return a table of mutants and the rules that caught each."""
    return "\n".join(f"{name:<32} {', '.join(rules) or 'NOT CAUGHT'}" for name, rules in catches.items())

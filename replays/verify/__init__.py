"""Check a replay file layer by layer, using only the file, the rules and the seed that the file reveals.

`file`        the form of the file: every line is canonical, header and closing line agree with the events
`chain`       plies run from 1 to n without a gap, each event links to the one before it, every hash is recomputed
`signature`   the closing line is signed, by which key, and whether the signature is valid
`lifecycle`   every event is allowed where it is: created, seats taken, started when full, moves, ended, seed revealed
`seed`        the seed is the one committed to, and salts and client seeds follow from it
`components`  the component data is that of the rules version
`draws`       every random outcome is what the seed gives
`moves`       every move, re-executed under its rules version, has the same facts, byte for byte
`fold`        draws and facts are counted correctly, and the facts fold to the published outcome
`score`       the independent scorer, from the facts alone, agrees with the engine line by line
`clocks`      time never goes back, automatic events have the time of their cause, deadlines are kept
`authorship`  each event comes from a seat that may cause it and that a player or a bot held at that time

One module checks one layer. `moves` checks draws and moves in one pass: where facts differ, it looks for the one draw
that explains the difference.
"""

from collections.abc import Callable, Iterable

import msgspec

from domain.kernel.refusals import Refused
from replays.file import kind_of, parse_file, parse_log
from replays.report import DivergenceError, Layer, Report, build_report
from replays.signature import SignaturePolicy
from replays.verify.authorship import check_authorship
from replays.verify.case import Case
from replays.verify.chain import check_chain
from replays.verify.clocks import check_clocks
from replays.verify.components import check_components
from replays.verify.file import check_file
from replays.verify.fold import check_fold
from replays.verify.lifecycle import check_lifecycle
from replays.verify.moves import check_moves
from replays.verify.score import check_score
from replays.verify.seed import check_seed
from replays.verify.signature import check_signature

__all__ = ["CHECKS", "LAYERS", "RULES_ERRORS", "Case", "audit", "run", "verify"]

Check = Callable[[Case], list[Layer]]

CHECKS: tuple[tuple[tuple[str, ...], Check], ...] = (
    (("file",), check_file),
    (("chain",), check_chain),
    (("signature",), check_signature),
    (("lifecycle",), check_lifecycle),
    (("seed",), check_seed),
    (("components",), check_components),
    (("draws", "moves"), check_moves),
    (("fold",), check_fold),
    (("score",), check_score),
    (("clocks",), check_clocks),
    (("authorship",), check_authorship),
)
"""The checks in order, each with the layers it reports."""
LAYERS = tuple(name for names, _ in CHECKS for name in names)
RULES_ERRORS: tuple[type[Exception], ...] = (
    ArithmeticError, AssertionError, AttributeError, LookupError, NameError, Refused, RuntimeError, StopIteration,
    TypeError, ValueError, msgspec.MsgspecError,
)  # fmt: skip
"""Errors that rules and scorers may raise on forged or damaged data.

Other errors (timeout, out of memory, an unreadable file, an interrupt) say nothing about a match and are passed on to
the caller."""


def verify(raw: bytes | Iterable[bytes], trust: SignaturePolicy | None = None) -> Report:
    """Return the report on a replay file, given whole or in pieces. Never raises because of the file's content.

    `trust` says how signatures are checked and which keys are known. Without it they are not checked.
    """
    try:
        file = parse_file(raw)
    except DivergenceError as error:
        return unreadable_report(error)
    return run_checks(Case(file, trust))


def verify_log(raw: bytes, secrets: bytes | None = None) -> Report:
    """Return the report on a match from the log's own lines in a frame, without the size limits of files.

    The server passes the stored `secrets` of a running match. Only layer, ply and rule of that report may be published
    before the match ends.
    """
    try:
        file = parse_log(raw)
    except DivergenceError as error:
        return unreadable_report(error)
    return run_checks(Case(file, known_secrets=secrets))


def run_checks(case: Case) -> Report:
    """Return the report on a file that could be read."""
    layers: list[Layer] = []
    for names, check in CHECKS:
        layers += run_check(case, names, check)
        case.failed |= {layer.name for layer in layers if layer.status == "failed"}
    header = case.file.header
    return build_report(
        layers, match=header.match, game=header.game, rules_version=header.rules_version, events=len(case.events)
    )


def unreadable_report(error: DivergenceError) -> Report:
    """Return the report on a file that could not be read."""
    broken = Layer("file", "failed", "The file cannot be read.", error.divergence)
    rest = [Layer(name, "not_checked", "The file cannot be read.") for name in LAYERS[1:]]
    return build_report([broken, *rest], match=None, game=None, rules_version=None, events=0)


def run_check(case: Case, names: tuple[str, ...], check: Check) -> list[Layer]:
    """Run one check and return its layers. After a divergence the last one is failed and the others are not checked."""
    *others, last = names
    try:
        return check(case)
    except DivergenceError as error:
        divergence = error.divergence
    except RULES_ERRORS:  # a forged file may contain facts that the rules or the scorer cannot process
        divergence = case.diverged(
            case.current,
            last,
            "an event that the rules can process",
            f"`{kind_of(case.current)}`, which they cannot",
            "The rules cannot process this event.",
        ).divergence
    failed = Layer(last, "failed", divergence.sentence, divergence)
    return [*(Layer(name, "not_checked", f"The layer `{last}` failed.") for name in others), failed]

"""Functions on the draw tables of both luck protocols. `docs/draws.md` describes the steps of a table."""

from collections.abc import Iterable, Iterator

import msgspec

from domain.kernel.game import DrawTable, Step

DRAWING_VERBS = frozenset(("dice", "below", "pick", "shuffle", "spread"))
"""The verbs of steps that draw. In a table of protocol 2, the purpose follows the verb."""
TERMS_BEFORE_STEPS = {"when": 2, "each": 1}
"""The verbs of steps that contain other steps, and how many terms come before those."""


def drawing_steps(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps that draw, including those inside other steps."""
    for verb, *arguments in steps:
        if verb in DRAWING_VERBS:
            yield (verb, *arguments)
        elif verb in TERMS_BEFORE_STEPS:
            for inner in arguments[TERMS_BEFORE_STEPS[verb] :]:
                yield from drawing_steps(inner)


def without_purposes(table: DrawTable, **different: tuple[Step, ...]) -> DrawTable:
    """Return the protocol 1 table of rules that make the same draws in the same order.

    For facts that differ in more than the purposes, `different` has the steps.
    """
    if unknown := set(different) - set(table.facts):
        raise ValueError(f"the table has no such facts: {', '.join(sorted(unknown))}")
    facts = {kind: steps_without_purposes(steps) for kind, steps in table.facts.items()}
    return msgspec.structs.replace(table, protocol=1, facts={**facts, **different})


def steps_without_purposes(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps, and those inside them, without purposes."""
    return tuple(map(without_purpose, steps))


def without_purpose(step: Step) -> Step:
    """Return a step, and the steps inside it, without purposes."""
    verb, *arguments = step
    if verb in DRAWING_VERBS:
        return (verb, *arguments[1:])
    if verb not in TERMS_BEFORE_STEPS:
        return step
    terms = TERMS_BEFORE_STEPS[verb]
    return (verb, *arguments[:terms], *map(steps_without_purposes, arguments[terms:]))

"""`crumbtrail engine`: the rules for programs in any language, one JSON line in, one out."""

import sys

import click

from replays.engine_protocol import Engine, request_lines


@click.command()
def engine() -> None:
    """Speak the engine protocol on standard input and output (docs/engine-protocol.md)."""
    answering = Engine()
    for line in request_lines(sys.stdin.buffer):
        if line.strip():
            sys.stdout.buffer.write(answering.answer(line) + b"\n")
            sys.stdout.buffer.flush()

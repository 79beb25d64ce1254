"""`crumbtrail engine`: the rules for programs in any language, as JSON lines on standard input and output."""

import sys

import click

from replays.engine_protocol import Engine, request_lines


@click.command()
def engine() -> None:
    """Run the engine protocol on stdin and stdout. See docs/engine-protocol.md."""
    answering = Engine()
    for line in request_lines(sys.stdin.buffer):
        if line.strip():
            sys.stdout.buffer.write(answering.answer(line) + b"\n")
            sys.stdout.buffer.flush()

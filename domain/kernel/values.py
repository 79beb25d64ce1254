"""The base class of all values in the domain."""

import msgspec


class Value(msgspec.Struct, frozen=True, gc=False):
    """An immutable struct that the cyclic garbage collector ignores.

    A value can only refer to values that existed before it, so it is never part of a cycle. Tracking values took up to
    a third of the time of a long replay.
    """

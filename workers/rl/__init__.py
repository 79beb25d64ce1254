"""The former location of `crumbtrail.environments`. Imports still work, with a deprecation warning."""

from warnings import warn

from crumbtrail.environments import BadAction, decode, env, raw_env

__all__ = ["BadAction", "decode", "env", "raw_env"]

warn("workers.rl has moved: use `from crumbtrail import environments`", DeprecationWarning, stacklevel=2)

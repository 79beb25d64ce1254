"""The former place of `crumbtrail.environments`. Imports from here still work, with a deprecation warning."""

from warnings import warn

from crumbtrail.environments import BadAction, decode, env, raw_env

__all__ = ["BadAction", "decode", "env", "raw_env"]

warn("workers.rl has moved: use `from crumbtrail import environments`", DeprecationWarning, stacklevel=2)

"""The games as PettingZoo environments for learning programs: `pip install 'crumbtrail[rl]'`.

    from crumbtrail import environments
    env = environments.env("mice_cake")

See `docs/reinforcement-learning.md` for how to use them. The rest of Crumbtrail does not need this package or its
dependencies.
"""

try:
    import gymnasium as _gymnasium  # noqa: F401
    import numpy as _numpy  # noqa: F401
    import pettingzoo as _pettingzoo  # noqa: F401
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"The PettingZoo environments need {missing.name}, which is not installed. "
        "Install it with: pip install 'crumbtrail[rl]'",
        name=missing.name,
    ) from missing

from crumbtrail.environments.environment import BadAction, decode, env, raw_env

__all__ = ["BadAction", "decode", "env", "raw_env"]

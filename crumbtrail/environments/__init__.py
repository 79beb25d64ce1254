"""The games as PettingZoo environments, for programs that learn: `pip install 'crumbtrail[rl]'`.

    from crumbtrail import environments
    env = environments.env("mice_cake")

How to use them: `docs/reinforcement-learning.md`. Nothing else imports this package, and the rest of Crumbtrail needs
none of its dependencies.
"""

try:
    import gymnasium as _gymnasium  # noqa: F401
    import numpy as _numpy  # noqa: F401
    import pettingzoo as _pettingzoo  # noqa: F401
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"The PettingZoo environments need {missing.name}, which is not installed; "
        "install it with: pip install 'crumbtrail[rl]'",
        name=missing.name,
    ) from missing

from crumbtrail.environments.environment import BadAction, decode, env, raw_env

__all__ = ["BadAction", "decode", "env", "raw_env"]

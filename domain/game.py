"""The former location of `domain.kernel.game`. Imports from here still work, with a deprecation warning."""

from warnings import warn

from domain.kernel.game import *  # noqa: F403
from domain.kernel.json_input import *  # noqa: F403
from domain.kernel.refusals import *  # noqa: F403

warn("domain.game has moved: import from crumbtrail.games instead", DeprecationWarning, stacklevel=2)

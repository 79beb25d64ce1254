"""The former location of `domain.kernel.values`. Imports from here still work, with a deprecation warning."""

from warnings import warn

from domain.kernel.values import *  # noqa: F403

warn("domain.value has moved: import from crumbtrail.games instead", DeprecationWarning, stacklevel=2)

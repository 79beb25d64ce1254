"""The former location of `domain.kernel.chance`. Imports from here still work, with a deprecation warning."""

from warnings import warn

from domain.kernel.chance import *  # noqa: F403

warn("domain.chance has moved: import from crumbtrail.games instead", DeprecationWarning, stacklevel=2)

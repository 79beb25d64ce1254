"""The former location of `domain.kernel.svg`. Imports from here still work, with a deprecation warning."""

from warnings import warn

from domain.kernel.svg import *  # noqa: F403

warn("domain.svg has moved: import from domain.kernel.svg instead", DeprecationWarning, stacklevel=2)

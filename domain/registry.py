"""The former location of `domain.kernel.registry`. Imports from here still work, with a deprecation warning."""

from warnings import warn

from domain.kernel.registry import *  # noqa: F403
from domain.kernel.registry import all_versions as versions  # noqa: F401 -- its former name

warn("domain.registry has moved: import from crumbtrail.games instead", DeprecationWarning, stacklevel=2)

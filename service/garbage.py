"""How often a process that serves looks for garbage: less often than Python by itself, since little of it needs that.

Nearly all that a request leaves behind is freed at once, without any search. Python's own pace (every 700 objects) took
a twentieth of a web process, mostly to look at matches in its caches again and again, and a look at all of them held
everybody up for 60 ms.
"""

import gc

YOUNG, MIDDLE, OLD = 5_000, 10, 50
"""New objects between two looks at them; looks at the new ones to one at the middle-aged; of these, to one at all."""


def begin_to_serve() -> None:
    """Called when a process has made what lives as long as itself: that is not looked through any more."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, MIDDLE, OLD)

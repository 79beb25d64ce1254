"""The layer `components`: the component data (cards, boards) is that of the rules version."""

from replays.report import Layer
from replays.verify.case import Case


def check_components(case: Case) -> list[Layer]:
    """Check that the digest in the first event is that of the installed component data."""
    sentence = "The match was played with different components (cards, boards) from those of this rules version."
    case.require(case.created, "components", case.game.components_digest, case.created.components, sentence)
    what = f"{case.game.title}, rules version {case.game.rules_version}: the components match."
    return [Layer("components", "ok", what)]

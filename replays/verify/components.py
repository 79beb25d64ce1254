"""The layer `components`: the component data (cards, boards) is that of the rules version."""

from replays.report import Layer
from replays.verify.case import Case


def check_components(case: Case) -> list[Layer]:
    """Checks that the digest in the first event is that of the component data at hand."""
    sentence = "The match was played with other components (cards, boards) than this rules version has."
    case.require(case.created, "components", case.game.components_digest, case.created.components, sentence)
    what = f"{case.game.title}, rules version {case.game.rules_version}: the components are the same."
    return [Layer("components", "ok", what)]

"""Why a move is refused (rules, section 5): a fixed sentence for each reason, lest a refusal tells what is hidden."""

from domain.kernel.refusals import IllegalMove

SENTENCES = {
    "game_over": "The contest is over; nothing can be moved any more.",
    "already_out": "You have resigned from this contest; you can only watch it now.",
    "not_your_turn": "It is not your turn; wait until it comes to you.",
    "choice_pending": "A choice is still open; it has to be made before anything else is played.",
    "wrong_phase": "This move is not for now: cards are trimmed at the end of a turn, and played or dived for before.",
    "no_choice": "Nothing is asked of you at the moment.",
    "pick_count": "Pick exactly as many different options as the question asks for.",
    "bad_pick": "That is not one of the options that you were given.",
    "not_in_hand": "You can only use cards that are in your hand.",
    "kitchen_full": "Your Kitchen holds five Ingredients already; there is no room for another one.",
    "already_played": "Dumpster diving takes the place of your play: it can only be the first thing of your turn.",
    "wrong_count": "A dive is paid with two different cards of your hand.",
    "trim_count": "Trash exactly as many different cards as you hold beyond seven.",
    "not_in_trash": "A dive takes a card that lies in the Trash.",
}
CODES = {"pick_count": "wrong_count", "trim_count": "wrong_count"}
"""Reasons that share the code of another."""


def refuse(reason: str, rule: str) -> IllegalMove:
    """The refusal for this reason, under this rule."""
    return IllegalMove(CODES.get(reason, reason), rule, SENTENCES[reason])

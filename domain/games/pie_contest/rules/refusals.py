"""Error messages for refused moves (rules, section 5): one fixed text per reason, so none reveals a hidden card."""

from domain.kernel.refusals import IllegalMove

SENTENCES = {
    "game_over": "The contest is over. No more moves are possible.",
    "already_out": "You have resigned from this contest. You can still watch it.",
    "not_your_turn": "It is not your turn. Wait for the active player to finish.",
    "choice_pending": "A choice is still open. It has to be made before you can make this move.",
    "wrong_phase": "You can't make this move now. Play, dive or pass first. Trim your hand at the end of your turn.",
    "no_choice": "There is nothing for you to choose right now. Check whose turn it is.",
    "pick_count": "Pick exactly the number of options asked for, each only once.",
    "bad_pick": "That is not one of your options. Pick one from the list.",
    "not_in_hand": "You can only use cards from your hand. Choose another card.",
    "kitchen_full": "Your Kitchen already holds five Ingredients. Play an Action instead, or pass.",
    "already_played": "You can only dive as the first thing in your turn. Play a card or pass.",
    "wrong_count": "To dive, trash exactly two different cards from your hand.",
    "trim_count": "Trash exactly as many cards as you hold over seven, each only once.",
    "not_in_trash": "You can't take that card from the Trash. Choose another one.",
}
CODES = {"pick_count": "wrong_count", "trim_count": "wrong_count"}
"""Error codes that differ from the reason."""


def refuse(reason: str, rule: str) -> IllegalMove:
    """Return the error for this reason, with its code, rule and message."""
    return IllegalMove(CODES.get(reason, reason), rule, SENTENCES[reason])

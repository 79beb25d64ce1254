"""Why a move is refused (rules, 5.1): one fixed sentence for each code, so that no refusal can tell what is hidden."""

from domain.kernel.refusals import IllegalMove

SENTENCES = {
    "game_over": "The game is over; nothing can be moved any more.",
    "not_your_turn": "It is the other seat's turn; wait until it has moved.",
    "wrong_phase": "This move does not belong to the present step of the game; choose one of the legal moves.",
    "card_gone": "No card lies there any more; choose a position that still holds one.",
    "card_face_up": "That card lies face up already; choose one that lies face down.",
    "must_flip_fresh": "The first card after a roll must be one that nobody has turned over this round.",
    "must_flip_more": "The roll asks for more cards; turn over another one before you stop.",
    "slot_filled": "A cake lies in that slot already; choose an empty one.",
    "slot_sold": "That cake is sold already; choose an unsold cake of your opponent.",
    "stale_full": "That cake bears four stale cards, which is the most; choose another unsold cake.",
}


def refuse(code: str, rule: str) -> IllegalMove:
    """The refusal of this code, under this rule."""
    return IllegalMove(code, rule, SENTENCES[code])

"""Error messages for refused moves (rules, 5.1): one fixed text per code, so that none can reveal a hidden card."""

from domain.kernel.refusals import IllegalMove

SENTENCES = {
    "game_over": "The match is over. No more moves are possible.",
    "not_your_turn": "It is your opponent's turn. Wait until they have moved.",
    "wrong_phase": "You can't make this move now. Choose one of the legal moves.",
    "card_gone": "The card at that position is gone. Choose a position that still has one.",
    "card_face_up": "That card is already face up. Choose one that is face down.",
    "must_flip_fresh": "After a roll, the first card must be new this round. Choose one that no one has turned over.",
    "must_flip_more": "Your roll requires more cards. Turn over another one before you stop.",
    "slot_filled": "That slot already holds a cake. Choose an empty slot.",
    "slot_sold": "That cake is already sold. Choose one of your opponent's unsold cakes.",
    "stale_full": "That cake already has four stale cards. Choose another unsold cake.",
}


def refuse(code: str, rule: str) -> IllegalMove:
    """Return the error with the message of this code."""
    return IllegalMove(code, rule, SENTENCES[code])

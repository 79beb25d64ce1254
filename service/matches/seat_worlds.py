"""Worlds that a seat can't tell from the real one, in which dry runs, hints and refused moves are decided.

The time that rules take may depend on what an opponent hides. Work that a player can repeat at will is therefore never
done on the real state. A world is made only from the seat's view and facts and a secret of the service, so two matches
that look the same to a seat have the same world.
"""

import hashlib
import hmac
from typing import Any

from msgspec.structs import replace

from domain.kernel.chance import Luck
from domain.kernel.game import Seat
from domain.kernel.hash_chain import canonical_json
from domain.kernel.table import Foreseen
from domain.match.information import determinized, predict_move
from domain.match.luck import new_secrets
from domain.match.state import AnyMatch
from service.matches.repository import MatchRepository


class SeatWorlds:
    """Creates the worlds for the seats of a match."""

    def __init__(self, repository: MatchRepository, secret: bytes) -> None:
        self._repository = repository
        self._secret = secret

    def world_for(self, match: AnyMatch, seat: Seat) -> tuple[AnyMatch, Luck]:
        """Return the match in a world that this seat can't tell from the real one, and luck that is not the match's."""
        seed = self._seed(match, seat)
        luck = new_secrets(match.rules, match.id, seed, seed, given=match.has_given_seed)
        if match.status != "playing":
            return match, luck  # nothing is hidden before the start or after the end
        state = determinized(match, seat, self._repository.known_facts(match, seat), seed.hex())
        return replace(match, state=state), luck

    def foresee(self, match: AnyMatch, seat: Seat, move: Any) -> Foreseen:
        """Return the certain effects of a legal move, the same in all worlds that this seat can't tell apart."""
        known = self._repository.known_facts(match, seat)
        return predict_move(match, seat, move, known, self._seed(match, seat).hex())

    def _seed(self, match: AnyMatch, seat: Seat) -> bytes:
        """Return the seed of the seat's worlds. It depends on what the seat sees and on a secret."""
        seen = match.rules.view(match.state, seat) if match.draw_count else None
        view = hashlib.sha256(canonical_json(seen)).hexdigest()
        return hmac.digest(self._secret, f"dry/2|{match.id}|{seat}|{view}".encode(), "sha256")

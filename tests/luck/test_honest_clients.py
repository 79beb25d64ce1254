"""Honest clients of a service that cheats with the shares send only one share, and notice the cheating.

Each cheat here would choose the luck if a client made a second share, opened for another table or did not compare.
"""

from itertools import takewhile
from typing import Any

import pytest
from msgspec.structs import replace

from domain.kernel.chance import Luck
from domain.kernel.events import LuckLevel, SeatTaken, ShareOpened
from domain.kernel.hash_chain import seal_events
from domain.kernel.luck import sha256
from domain.match.clock import lobby_closing_time
from domain.match.commands import CloseLobby, OpenShare, TakeSeat
from domain.match.history import fold
from domain.match.opening import full_table_hash
from replays.standalone_verify import verify as verify_alone
from replays.verify import verify
from tests.builders import Table, secrets_of
from tests.luck.client import ATTEMPTS, Entry, HonestClient, Refused, Unavailable
from tests.luck.operators import ALLY, FAVOURITE, GUEST, TRIES, GrindingOperator, Operator

MATCH = "m0honest"


def seated(operator: Operator, level: LuckLevel, *, full: bool = True) -> HonestClient:
    """Return a guest who has sat down in a new match, with or without the ally."""
    guest = HonestClient("guest")
    operator.create(MATCH, level)
    guest.sit(operator, MATCH, [GUEST])
    if full:
        operator.ally_sits(MATCH)
    return guest


def luck_error(raw: bytes) -> str | None:
    """Return the rule that a forged file breaks. Script and engine must agree."""
    wrong, report = verify_alone(raw)[1], verify(raw)
    assert (wrong is None) == report.ok, report.as_text()
    if wrong is not None:
        rules = [layer.divergence.rule for layer in report.layers if layer.divergence is not None]
        assert wrong.rule in rules
    return wrong and str(wrong.rule)


def values(operator: Operator, name: str) -> set[str]:
    """Return all distinct values that clients have sent."""
    return {body[name] for body in operator.received if name in body}


# -- a table that is not full -----------------------------------------------------------------------------------------


class EarlyOperator(GrindingOperator):
    """Shows a full table with an invented seal, and lets the ally choose its share once the guest has opened."""

    invents = True

    def events(self, match: str) -> list[Entry]:
        """Return the events, and one that never happened."""
        events = super().events(match)
        if self.invents:
            fake = next(event for event in events if event["kind"] == "seat_taken")
            events.append({**fake, "seat": FAVOURITE, "player": ALLY, "seal": sha256("invented")})
        return events

    def open(self, match: str, player: str, body: Entry) -> None:
        """Accept the share, seat the ally, and write the opening as if it had been made for this table."""
        self.received.append(body)
        self.invents = False
        self.ally_sits(match)
        table = self.tables[match]
        self.execute(match, OpenShare(player, full_table_hash(table.match), body["share"]))
        self.ally_opens(match)

    def known_share(self, match: str) -> str:
        """Return the share that the guest has opened."""
        return str(self.received[-1]["share"])


def test_a_table_that_was_shown_full_too_early_is_found_at_the_end() -> None:
    """The service wins, and the file verifies. Only the client's own `table` shows it."""
    operator = EarlyOperator()
    guest = seated(operator, "sealed", full=False)
    guest.open(operator, MATCH)
    assert operator.finish(MATCH)
    assert luck_error(operator.file(MATCH)) is None
    assert guest.check(MATCH, operator.file(MATCH)) == ["table"]


def test_a_table_with_an_open_seat_gets_no_share() -> None:
    operator = Operator()
    guest = seated(operator, "sealed", full=False)
    with pytest.raises(Refused, match="not full"):
        guest.open(operator, MATCH)
    assert values(operator, "share") == set()


# -- another commitment -----------------------------------------------------------------------------------------------


class ForgetfulOperator(Operator):
    """Switches to the commitment of a second seed at some point."""

    def choose_secrets(self, match: str) -> Luck:
        """Return different secrets for each creation."""
        return secrets_of(self.game, f"seed {len(self.received)} of {match}", match=match)

    def recreate(self, match: str, level: LuckLevel) -> None:
        """Commit again after a request."""
        self.received.append({})
        self.create(match, level)


def test_a_second_commitment_gets_nothing() -> None:
    """Given a refused seat, when the match later has a different commitment, then the client stops."""
    operator, guest = ForgetfulOperator(), HonestClient("guest")
    operator.create(MATCH, "open")
    operator.ally_sits(MATCH)
    with pytest.raises(Refused):
        guest.sit(operator, MATCH, [FAVOURITE])
    operator.recreate(MATCH, "open")
    with pytest.raises(Refused, match="commitment"):
        guest.sit(operator, MATCH, [GUEST])
    assert len(values(operator, "share")) == 1
    assert guest.complaints == ["commitment"]


def test_another_commitment_at_the_opening_gets_no_share() -> None:
    operator = ForgetfulOperator()
    guest = seated(operator, "sealed")
    table = operator.tables[MATCH]
    operator.recreate(MATCH, "sealed")
    for event in table.events[1:]:  # the same seals under the other commitment
        if isinstance(event, SeatTaken):
            body = {"commitment": operator.tables[MATCH].match.commitment, "seal": event.seal}
            operator.execute(MATCH, TakeSeat(event.seat, event.player or "", **body))
    with pytest.raises(Refused, match="commitment"):
        guest.open(operator, MATCH)
    assert values(operator, "share") == set()


def test_another_seal_at_the_opening_gets_no_share() -> None:
    operator = Operator()
    guest = seated(operator, "sealed")
    table = operator.tables[MATCH]
    table.events[1] = replace(table.events[1], seal=sha256("another"))
    with pytest.raises(Refused, match="seal"):
        guest.open(operator, MATCH)
    assert values(operator, "share") == set()


def test_another_commitment_at_the_end_is_found() -> None:
    """The service plays the match again with a seed that it likes. That file verifies, but the client complains."""
    operator = Operator()
    guest = seated(operator, "open")
    shares = [seat.share for seat in operator.tables[MATCH].match.seats]
    operator.tables[MATCH] = played_again(operator, shares)
    assert luck_error(operator.file(MATCH)) is None
    assert guest.check(MATCH, operator.file(MATCH)) == ["commitment"]


def played_again(operator: Operator, shares: list[str | None]) -> Table:
    """Return the match with the same shares and a seed that makes the favourite win."""
    tried = (secrets_of(operator.game, f"liked {n}", match=MATCH) for n in range(TRIES))
    luck = next(luck for luck in tried if operator.would_win(MATCH, luck, shares))
    operator.tables[MATCH] = operator.new_table(MATCH, "open", luck)
    for seat, player in ((GUEST, "guest"), (FAVOURITE, ALLY)):
        body = {"commitment": luck.commitment(), "share": shares[seat]}
        operator.execute(MATCH, TakeSeat(seat, player, **body))
    assert operator.finish(MATCH)
    return operator.tables[MATCH]


# -- a seat that is filled again --------------------------------------------------------------------------------------


def refill(operator: GrindingOperator, share: str) -> Table:
    """Forge the log: the ally sits down again, with a share that wins against the one that the guest has opened."""
    table = operator.tables[MATCH]
    before = [*takewhile(lambda event: getattr(event, "player", None) != ALLY, table.events)]
    tried = (sha256(f"refilled {n}") for n in range(TRIES))
    operator.allys_share = next(one for one in tried if operator.would_win(MATCH, table.luck, (share, one)))
    operator.tables[MATCH] = Table(table.luck, fold(before), before)
    operator.ally_share = lambda match: operator.allys_share  # type: ignore[method-assign]
    operator.ally_sits(MATCH)
    return operator.tables[MATCH]


def test_a_refilled_seat_does_not_fit_the_table_of_the_opening() -> None:
    """Given a forged log that keeps the guest's opening as it was, then every verifier refuses it."""
    operator = GrindingOperator()
    guest = seated(operator, "sealed")
    guest.open(operator, MATCH)
    opened = operator.tables[MATCH].events[-1]
    assert isinstance(opened, ShareOpened)
    table = refill(operator, opened.share)
    table.take(seal_events([replace(opened, ply=table.match.ply + 1)], table.match.head_hash, table.luck))
    operator.ally_opens(MATCH)
    assert operator.finish(MATCH)
    assert luck_error(operator.file(MATCH)) == "luck.table"
    assert guest.check(MATCH, operator.file(MATCH)) == ["file"]


def test_a_refilled_seat_with_a_rewritten_opening_is_found_by_the_client() -> None:
    operator = GrindingOperator()
    guest = seated(operator, "sealed")
    guest.open(operator, MATCH)
    share = guest.kept[MATCH].share
    table = refill(operator, share)
    with pytest.raises(Refused, match="table"):
        guest.open(operator, MATCH)
    operator.execute(MATCH, OpenShare("guest", full_table_hash(table.match), share))
    operator.ally_opens(MATCH)
    assert operator.finish(MATCH)
    assert luck_error(operator.file(MATCH)) is None
    assert guest.check(MATCH, operator.file(MATCH)) == ["table", "table"]
    assert len(values(operator, "table")) == 1


# -- refusals until a share is liked ----------------------------------------------------------------------------------


class PickyOperator(Operator):
    """Answers 503 or "seat taken" to requests with a share that it dislikes."""

    def __init__(self, refused: str, answer: type[Exception]) -> None:
        super().__init__()
        self.refused = refused
        self.answer = answer

    def sit(self, match: str, seat: int, player: str, body: Entry) -> None:
        """Seat a player, or refuse."""
        self.refuse("sit", body)
        super().sit(match, seat, player, body)

    def open(self, match: str, player: str, body: Entry) -> None:
        """Open a share, or refuse."""
        self.refuse("open", body)
        super().open(match, player, body)

    def refuse(self, request: str, body: Entry) -> None:
        """Refuse this kind of request, but keep its content."""
        if request == self.refused:
            self.received.append(body)
            raise self.answer("seat_taken")


@pytest.mark.parametrize("answer", [Unavailable, Refused])
def test_a_refused_client_sends_the_same_share_again(answer: Any) -> None:
    """The share is the same at every seat and on every attempt. So a refusal can only discard luck, not redraw it."""
    operator, guest = PickyOperator("sit", answer), HonestClient("guest")
    operator.create(MATCH, "open")
    for _ in range(3):
        with pytest.raises((Refused, Unavailable)):
            guest.sit(operator, MATCH, [GUEST, FAVOURITE])
    assert len(operator.received) >= 3
    assert len(values(operator, "share")) == 1


def test_an_opening_that_is_not_accepted_is_repeated_and_reported() -> None:
    operator = PickyOperator("open", Unavailable)
    guest = seated(operator, "sealed")
    for _ in range(2):
        with pytest.raises(Unavailable):
            guest.open(operator, MATCH)
    openings = [body for body in operator.received if "table" in body]
    assert openings == [openings[0]] * (2 * ATTEMPTS)
    table = operator.tables[MATCH]
    operator.ally_opens(MATCH)
    table.take_command(CloseLobby(), now=lobby_closing_time(table.match))
    assert guest.check(MATCH, operator.file(MATCH)) == ["not accepted"]

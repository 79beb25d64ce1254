"""Operators who run our own code: an honest one, and some who cheat for the player at the seat `FAVOURITE`.

Every operator creates, seats, opens and plays with `domain.match`, like the service. A cheat overrides what it does
differently. It may draw and compute without limit, and it knows how everybody will play: all players are greedy.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from domain.bots.levels import LEVELS, BotInput
from domain.kernel.chance import Fast, Luck
from domain.kernel.events import LuckLevel
from domain.kernel.game import AnyGame, Seat
from domain.kernel.luck import Share, share_seal
from domain.kernel.refusals import MatchRefused
from domain.kernel.registry import find_game
from domain.match.bots import bot_decision
from domain.match.clock import lobby_closing_time
from domain.match.commands import CloseLobby, Create, LoseShare, OpenShare, SeatSpec, TakeSeat
from domain.match.lobby import create_under_rules
from domain.match.opening import full_table_hash
from domain.match.state import AnyMatch
from replays.redaction import redact_events
from tests.builders import EPOCH, Table, replay_file, secrets_of
from tests.luck.client import Entry, Refused

MICE = find_game("mice_cake")
FAVOURITE, GUEST = 1, 0
ALLY = "ally"
TRIES = 30
"""How many seeds or shares a cheat tries. Each one wins about half of the matches."""


class Operator:
    """An honest operator."""

    def __init__(self, game: AnyGame = MICE, bot: str | None = None) -> None:
        self.game = game
        self.bot = bot
        """The level of the house bot at the seat `FAVOURITE`. Without one, the operator's ally sits there."""
        self.tables: dict[str, Table] = {}
        self.received: list[Entry] = []
        """The bodies of all requests to sit down or to open."""

    # -- requests

    def create(self, match: str, level: LuckLevel) -> None:
        """Create a match of two seats."""
        self.tables[match] = self.new_table(match, level, self.choose_secrets(match))

    def show(self, match: str) -> Entry:
        """Return the public terms of the luck."""
        now = self.tables[match].match
        assert now.luck is not None
        return {"luck": {"commitment": now.commitment, "level": now.luck.level}}

    def sit(self, match: str, seat: Seat, player: str, body: Entry) -> None:
        """Seat a player."""
        self.received.append(body)
        self.execute(match, TakeSeat(seat, player, **body))

    def events(self, match: str) -> list[Entry]:
        """Return the events as a spectator sees them."""
        table = self.tables[match]
        return list(msgspec.to_builtins(redact_events(table.events, table.match, None, table.past)))

    def open(self, match: str, player: str, body: Entry) -> None:
        """Open a share."""
        self.received.append(body)
        self.execute(match, OpenShare(player, **body))

    def file(self, match: str) -> bytes:
        """Return the replay file."""
        return replay_file(self.tables[match].events)

    def execute(self, match: str, command: Any) -> None:
        """Decide a command with our own code. Raises Refused with the code of the refusal."""
        try:
            self.tables[match].take_command(command)
        except MatchRefused as refusal:
            raise Refused(refusal.code) from None

    # -- the operator's own part

    def choose_secrets(self, match: str) -> Luck:
        """Return the secrets of a new match."""
        return secrets_of(self.game, f"seed of {match}", match=match)

    def ally_share(self, match: str) -> str:
        """Return the share of the ally, who sits down now."""
        return number_share(match, 0)

    def ally_sits(self, match: str) -> None:
        """Let the ally sit down."""
        now, share = self.tables[match].match, self.ally_share(match)
        self.allys_share = share
        body = {"commitment": now.commitment, "share": share}
        if now.luck is not None and now.luck.level == "sealed":
            seal = share_seal(match, FAVOURITE, now.commitment, share)
            body = {"commitment": now.commitment, "seal": seal}
        self.execute(match, TakeSeat(FAVOURITE, ALLY, **body))

    def ally_opens(self, match: str) -> None:
        """Let the ally open its share."""
        self.execute(match, OpenShare(ALLY, full_table_hash(self.tables[match].match), self.allys_share))

    def finish(self, match: str) -> bool:
        """Play the match to its end, and return whether the favourite has won."""
        return play_to_the_end(self.tables[match], self.bot_choices)

    def bot_choices(self, table: Table, seat: Seat) -> list[str]:
        """Return the luck (hex) that the house bot may use. An honest operator has no choice."""
        return own_luck(table, seat)

    # -- what an operator can compute

    def new_table(self, match: str, level: LuckLevel, luck: Luck) -> Table:
        """Return a new match, with the house bot at its seat."""
        seats = [SeatSpec("open"), SeatSpec("open")]
        if self.bot is not None:
            seats[FAVOURITE] = SeatSpec("bot", level=self.bot)
        command = Create(match=match, game=self.game.slug, creator="ann", options={}, seats=tuple(seats), level=level)
        events, made = create_under_rules(self.game, command, EPOCH, luck)
        return Table(luck, made, events)

    def would_win(self, match: str, luck: Luck, shares: Sequence[Share]) -> bool:
        """Return whether the favourite would win a match with these secrets and shares."""
        table = self.new_table(match, "open", luck)
        for seat in table.match.open_seats:
            share = shares[seat]
            given = {} if share is None else {"commitment": table.match.commitment, "share": share}
            table.take_command(TakeSeat(seat, f"p{seat}", **given))
        return play_to_the_end(table, own_luck)


def number_share(match: str, number: int) -> str:
    """Return a share."""
    return sha256(f"share {number} of the ally in {match}".encode()).hexdigest()


BotChoices = Callable[[Table, Seat], list[str]]


def own_luck(table: Table, seat: Seat) -> list[str]:
    """Return the only luck that the house bot should use."""
    decision = bot_decision(table.match, seat, table.luck)
    return [] if decision is None else [decision]


def play_to_the_end(table: Table, bot_choices: BotChoices) -> bool:
    """Play a match to its end, and return whether the favourite is the only winner."""
    while table.match.status == "playing":
        seat = min(table.match.to_move)
        table.play(seat, choose_move(table, seat, bot_choices))
    return table.match.outcome is not None and table.match.outcome.winners == (FAVOURITE,)


def choose_move(table: Table, seat: Seat, bot_choices: BotChoices) -> Any:
    """Return the move of a greedy player, or of a house bot with the luck that makes it look best."""
    now, game = table.match, table.match.rules
    level = now.seats[seat].level
    if level is None:
        legal = game.legal_moves(now.state, seat)
        return game.greedy(game.view(now.state, seat), seat, legal, Fast(f"{now.id} {now.draw_count}"))
    moves = [bot_move(now, seat, level, luck) for luck in bot_choices(table, seat)]
    best = bot_move(now, seat, "greedy", "00" * 32)
    return best if best in moves else moves[0]


def bot_move(now: AnyMatch, seat: Seat, level: str, luck: str) -> Any:
    """Return the move of a house bot of this level with this luck."""
    game = now.rules
    seen = BotInput(game, game.view(now.state, seat), seat, game.legal_moves(now.state, seat), tuple, luck)
    return LEVELS[level].choose(seen, None, None).move


# -- cheats -----------------------------------------------------------------------------------------------------------


class GrindingOperator(Operator):
    """Tries seeds before the commitment and shares for its ally, using all it knows by then, and guesses the rest."""

    def choose_secrets(self, match: str) -> Luck:
        """Return secrets that would make the favourite win if the guest gave the share that we guess."""
        tried = (secrets_of(self.game, f"seed {n} of {match}", match=match) for n in range(TRIES))
        guessed = (guessed_share(match), None if self.bot else number_share(match, 0))
        return next(luck for luck in tried if self.would_win(match, luck, guessed))

    def ally_share(self, match: str) -> str:
        """Return a share that makes the favourite win if the guest's share is the one that we know or guess."""
        table, known = self.tables[match], self.known_share(match)
        tried = (number_share(match, n) for n in range(TRIES))
        return next(share for share in tried if self.would_win(match, table.luck, (known, share)))

    def known_share(self, match: str) -> str:
        """Return the guest's share if it is public, otherwise a guess."""
        return self.tables[match].match.seats[GUEST].share or guessed_share(match)


def guessed_share(match: str) -> str:
    """Return a guess for the guest's share."""
    return sha256(f"guess in {match}".encode()).hexdigest()


class Discarded(Exception):
    """The table was discarded."""


class DiscardingOperator(Operator):
    """Discards a sealed table when the guest's open share shows that the favourite would not win."""

    def ally_opens(self, match: str) -> None:
        """Open if the favourite wins. Otherwise, say that the share is lost, or let the time run out."""
        table = self.tables[match]
        if self.would_win(match, table.luck, (table.match.seats[GUEST].share, self.allys_share)):
            super().ally_opens(match)
            return
        if len(self.tables) % 2:
            table.take_command(LoseShare(ALLY))
        else:
            table.take_command(CloseLobby(), now=lobby_closing_time(table.match))
        raise Discarded(match)


class BotGrindingOperator(Operator):
    """Lets the house bot decide with different luck until its move looks best."""

    def bot_choices(self, table: Table, seat: Seat) -> list[str]:
        """Return the bot's luck, and luck that the operator would prefer."""
        return [*super().bot_choices(table, seat), *(number_share(f"{table.match.ply}", n) for n in range(8))]

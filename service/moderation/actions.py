"""What moderators do to players. Every action is written to the moderation log before it is carried out."""

from collections.abc import Callable
from datetime import datetime, timedelta

from service.accounts.name_notices import NameNotices
from service.accounts.players import Player, Players
from service.accounts.sessions import Sessions
from service.moderation.journal import OPERATOR, Action, Entry, ModerationLog
from service.moderation.moderators import Moderators
from service.moderation.reports import Report, Reports
from service.moderation.sanctions import Sanction, SanctionKind, Sanctions
from service.read_models.rating_trust import TrustStore
from service.runtime.clock import Clock

MAX_REASON = 300
"""The longest reason, in characters."""
MAX_DAYS = 3650
"""The longest sanction that has an end, in days."""


class ActionRefused(ValueError):
    """The action isn't possible; the text says why, and what to do."""


class ModerationActions:
    """The actions of moderators and of the operator, who acts as OPERATOR.

    `erase_orders` removes a player's standing orders and `remove_webhook` their webhook. `leave_lobbies` takes a player
    out of matches that have not started.
    """

    def __init__(
        self,
        players: Players,
        sessions: Sessions,
        notices: NameNotices,
        moderators: Moderators,
        sanctions: Sanctions,
        reports: Reports,
        log: ModerationLog,
        clock: Clock,
        erase_orders: Callable[[str], None],
        remove_webhook: Callable[[str], None],
        leave_lobbies: Callable[[str], None],
        trust: TrustStore,
    ) -> None:
        self._players = players
        self._sessions = sessions
        self._notices = notices
        self._moderators = moderators
        self._sanctions = sanctions
        self._reports = reports
        self._log = log
        self._clock = clock
        self._erase_orders = erase_orders
        self._remove_webhook = remove_webhook
        self._leave_lobbies = leave_lobbies
        self._trust = trust

    def grant(self, player: str) -> Player:
        """Make a player a moderator. Only the command line calls this. Raises ActionRefused."""
        known = self._require_player(player)
        self._record(OPERATOR, "grant", player, "Appointed by the operator.")
        self._moderators.add(player)
        return known

    def revoke(self, player: str) -> None:
        """Take the role from a player. Only the command line calls this."""
        self._record(OPERATOR, "revoke", player, "Removed by the operator.")
        self._moderators.remove(player)

    def add_founder(self, player: str) -> Player:
        """Make a player a founder of the leaderboards. Only the command line calls this. Raises ActionRefused."""
        known = self._require_player(player)
        self._record(OPERATOR, "add_founder", player, "Named by the operator.")
        self._trust.add_founder(player)
        return known

    def remove_founder(self, player: str) -> None:
        """Make a founder an ordinary player. Only the command line calls this."""
        self._record(OPERATOR, "remove_founder", player, "Removed by the operator.")
        self._trust.remove_founder(player)

    def rename(self, by: str, player: str, name: str, reason: str) -> Player:
        """Give a player another name, or a random one if `name` is empty. The player sees a notice.

        Raises ActionRefused, InvalidName, NameTaken.
        """
        known, words = self._require_target(by, player), require_reason(reason)
        wanted = name.strip() or self._players.free_random_name()
        self._record(by, "rename", player, words)
        renamed = self._players.rename(known, wanted)
        self._notices.leave(player, known.name, f"A moderator changed your name. Reason: {words}")
        return renamed

    def impose(
        self, by: str, player: str, kind: SanctionKind, reason: str, days: int | None, *, cheated: bool = False
    ) -> Sanction:
        """Mute, suspend or ban a player for some days, or (None) without a time limit. Raises ActionRefused.

        A ban ends all sessions and tokens, deletes standing orders and the webhook, and removes the player from matches
        that have not started. Running matches end when the time of the banned player's seat runs out. With `cheated`,
        the results of the player count for nobody, until the ban is lifted.
        """
        self._require_target(by, player)
        words = require_reason(reason)
        if days is not None and not 1 <= days <= MAX_DAYS:
            raise ActionRefused(f"A sanction lasts 1 to {MAX_DAYS} days, or has no time limit.")
        if cheated and (kind != "ban" or days is not None):
            raise ActionRefused("Only a ban without a time limit takes a player's results out of the ratings.")
        now = self._clock.now()
        until = None if days is None else now + timedelta(days=days)
        sanction = Sanction(kind=kind, reason=words, by=by, at=now, until=until, cheated=cheated)
        self._record(by, kind, player, words, until=until, cheated=cheated)
        self._sanctions.impose(player, sanction)
        if kind == "ban":
            self._trust.exclude(player) if cheated else self._trust.readmit(player)
            self.shut_out(player)
        return sanction

    def shut_out(self, player: str) -> None:
        """End everything that acts for a banned player. Idempotent, so that an interrupted ban can be repeated."""
        self._sessions.end_all(player)
        self._players.revoke_all(player)
        self._erase_orders(player)
        self._remove_webhook(player)
        self._leave_lobbies(player)
        self._players.revoke_all(player)  # again, because a request that was still running may have created a token

    def lift(self, by: str, player: str, kind: SanctionKind, reason: str) -> None:
        """Lift a sanction. Raises ActionRefused if there is none in force."""
        self._require_target(by, player)
        words = require_reason(reason)
        if all(each.kind != kind for each in self._sanctions.of(player)):
            raise ActionRefused("This player has no such sanction now.")
        self._record(by, "lift", player, words, sanction=kind)
        self._sanctions.lift(player, kind)
        if kind == "ban":
            self._trust.readmit(player)

    def close_report(self, by: str, report: str, outcome: str) -> Report:
        """Close a report with a note. Raises ActionRefused if there is no such open report."""
        found, words = self._reports.find(report), require_reason(outcome)
        if found is None or not found.is_open:
            raise ActionRefused("There is no open report with this id. Another moderator may have closed it.")
        if found.about == by:
            raise ActionRefused("This report is about you. Another moderator has to close it.")
        self._record(by, "close_report", found.about, words, report=report)
        self._reports.close(found, by, words)
        return found

    def _require_player(self, player: str) -> Player:
        known = self._players.find(player)
        if known is None:
            raise ActionRefused("There is no such player, or they have erased their account.")
        return known

    def _require_target(self, by: str, player: str) -> Player:
        """Return the player. Raises ActionRefused if there is none, or if `by` may not act against them."""
        if by == player:
            raise ActionRefused("You can't moderate yourself.")
        if by != OPERATOR and self._moderators.is_moderator(player):
            raise ActionRefused("This player is a moderator. Only the operator can act here, on the command line.")
        return self._require_player(player)

    def _record(
        self,
        by: str,
        action: Action,
        player: str,
        reason: str,
        *,
        until: datetime | None = None,
        sanction: str | None = None,
        report: str | None = None,
        cheated: bool = False,
    ) -> None:
        now = self._clock.now()
        self._log.append(
            Entry(
                at=now,
                by=by,
                action=action,
                player=player,
                reason=reason,
                until=until,
                sanction=sanction,
                report=report,
                cheated=cheated,
            )
        )


def require_reason(text: str) -> str:
    """Return a reason without surrounding spaces. Raises ActionRefused if it is missing or too long."""
    words = " ".join(text.split())
    if not words:
        raise ActionRefused("Enter a reason. The player and other moderators can read it.")
    if len(words) > MAX_REASON:
        raise ActionRefused(f"Your reason has {len(words)} characters. Shorten it to {MAX_REASON}.")
    return words

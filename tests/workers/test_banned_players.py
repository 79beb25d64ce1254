"""Matches that a banned player created or joined while being banned are closed, although no list knew them."""

from redis import Redis

from domain.match.commands import SeatSpec, TakeSeat
from domain.match.state import AnyMatch
from service.bootstrap import Services
from service.matches.results import IdempotencyKey
from service.moderation.journal import OPERATOR
from tests.waiting import wait_until
from tests.workers.crew import ServiceProcesses
from workers.handlers import matches as handlers


def lobby(services: Services, creator: str, game: str = "tic_tac_toe", seats: int = 2) -> AnyMatch:
    wishes = [SeatSpec("human", player=creator), *[SeatSpec("open")] * (seats - 1)]
    return services.matches.creation.create(creator, game, wishes, {}).match


def test_a_job_takes_banned_players_out_of_a_match_that_has_not_started(services: Services, redis: Redis) -> None:
    eve, _ = services.accounts.players.register("Eve")
    own, other = lobby(services, eve.id), lobby(services, "p_ann", "pie_contest", 3)
    taken = services.matches.commands.submit(other.id, TakeSeat(1, eve.id), IdempotencyKey(eve.id, "sit")).match
    for match in (own, taken):  # nobody is banned yet
        handlers.expire(match.id, match.ply)
        assert services.matches.repository.load(match.id).ply == match.ply
    services.moderation.actions.impose(OPERATOR, eve.id, "ban", "Insults.", None)
    for match in (own, taken):
        handlers.expire(match.id, match.ply)
        handlers.expire(match.id, match.ply)
    assert services.matches.repository.load(own.id).status == "over"
    after = services.matches.repository.load(other.id)
    assert (after.status, after.seats[0].player, after.seats[1].player) == ("open", "p_ann", None)


def test_the_dispatcher_closes_a_lobby_that_appears_after_the_ban(running: ServiceProcesses) -> None:
    """Given a request that was still running when its author was banned, then its match is cancelled."""
    services = running.services
    eve, _ = services.accounts.players.register("Eve")
    match = lobby(services, eve.id)
    services.moderation.actions.impose(OPERATOR, eve.id, "ban", "Insults.", None)
    wait_until(lambda: services.matches.repository.load(match.id).status == "over", 60)

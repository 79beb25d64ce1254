"""Ids of matches: whoever knows that of a private match may look at it, so nobody can compute one."""

from domain.match.commands import Play, SeatSpec
from domain.match.state import AnyMatch
from service.bootstrap import Services, build_services, load_shared_secret
from service.event_store.embedded import EmbeddedServer
from service.event_store.keys import match_id_for
from service.matches.results import IdempotencyKey
from service.runtime.settings import Settings
from service.web.pages.rematch import REMATCH_AUTHOR
from service.wsgi import create_app

SEATS = [SeatSpec("human", player="p_ann"), SeatSpec("human", player="p_ann")]


def guess_match_id(author: str, key: str) -> str:
    """What somebody computes who knows who creates a match, guesses the key, and has read the code."""
    return match_id_for(IdempotencyKey(author, key).digest())


def create_match(services: Services, key: str = "match-1") -> AnyMatch:
    return services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}, key=key, private=True).match


def test_the_id_of_a_private_match_cannot_be_computed_by_others(own_server: EmbeddedServer) -> None:
    """Given a private match under a key that is easily guessed, then an id that follows from both leads nowhere."""
    services = build_services(Settings(log_url=own_server.url()))
    match, stranger = create_match(services), create_app(services).test_client()
    assert stranger.get(f"/api/v1/matches/{match.id}").status_code == 200
    assert stranger.get(f"/api/v1/matches/{guess_match_id('p_ann', 'match-1')}").status_code == 404


def test_the_id_of_a_rematch_cannot_be_computed_by_others(own_server: EmbeddedServer) -> None:
    services = build_services(Settings(log_url=own_server.url()))
    match = create_match(services)
    services.matches.commands.submit(match.id, Play(0, {"type": "resign"}), IdempotencyKey("p_ann", "resign"))
    rematch = services.matches.creation.create(
        "p_ann", "tic_tac_toe", SEATS, {}, by=IdempotencyKey(REMATCH_AUTHOR, match.id), private=True
    ).match
    assert rematch.id == services.matches.creation.derive_match_id(IdempotencyKey(REMATCH_AUTHOR, match.id))
    assert rematch.id != guess_match_id(REMATCH_AUTHOR, match.id)


def test_a_repeated_creation_is_the_same_match_in_another_process_and_after_a_restart(
    own_server: EmbeddedServer,
) -> None:
    first = create_match(build_services(Settings(log_url=own_server.url())))
    assert create_match(build_services(Settings(log_url=own_server.url()))).id == first.id
    own_server.kill()
    own_server.start()
    again = build_services(Settings(log_url=own_server.url()))
    assert create_match(again).id == first.id
    assert again.matches.repository.load(first.id).ply == first.ply


def test_behind_a_renewal_of_the_secret_matches_stay_and_new_ones_have_other_ids(own_server: EmbeddedServer) -> None:
    services = build_services(Settings(log_url=own_server.url()))
    first = create_match(services)
    services.runtime.redis.delete("ct:secret")
    renewed = build_services(Settings(log_url=own_server.url()))
    assert load_shared_secret(renewed.runtime.redis) == renewed.runtime.secret != services.runtime.secret
    assert renewed.matches.repository.load(first.id).ply == first.ply
    assert create_match(renewed).id != first.id

"""Match ids: anyone with the id of an unlisted match can watch it, so ids must not be computable."""

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
    """Return the id computed by someone who knows the creator and the code, and guesses the key."""
    return match_id_for(IdempotencyKey(author, key).digest())


def create_match(services: Services, key: str = "match-1") -> AnyMatch:
    return services.matches.creation.create("p_ann", "tic_tac_toe", SEATS, {}, key=key, private=True).match


def test_the_id_of_an_unlisted_match_cannot_be_computed(own_server: EmbeddedServer) -> None:
    """Given an unlisted match with a key that is easy to guess, then an id computed from author and key is unknown."""
    services = build_services(Settings(log_url=own_server.url()))
    match, client = create_match(services), create_app(services).test_client()
    assert client.get(f"/api/v1/matches/{match.id}").status_code == 200
    assert client.get(f"/api/v1/matches/{guess_match_id('p_ann', 'match-1')}").status_code == 404


def test_the_id_of_a_rematch_cannot_be_computed(own_server: EmbeddedServer) -> None:
    services = build_services(Settings(log_url=own_server.url()))
    match = create_match(services)
    services.matches.commands.submit(match.id, Play(0, {"type": "resign"}), IdempotencyKey("p_ann", "resign"))
    rematch = services.matches.creation.create(
        "p_ann", "tic_tac_toe", SEATS, {}, by=IdempotencyKey(REMATCH_AUTHOR, match.id), private=True
    ).match
    assert rematch.id == services.matches.creation.derive_match_id(IdempotencyKey(REMATCH_AUTHOR, match.id))
    assert rematch.id != guess_match_id(REMATCH_AUTHOR, match.id)


def test_a_repeated_creation_returns_the_same_match_in_another_process_and_after_a_restart(
    own_server: EmbeddedServer,
) -> None:
    first = create_match(build_services(Settings(log_url=own_server.url())))
    assert create_match(build_services(Settings(log_url=own_server.url()))).id == first.id
    own_server.kill()
    own_server.start()
    again = build_services(Settings(log_url=own_server.url()))
    assert create_match(again).id == first.id
    assert again.matches.repository.load(first.id).ply == first.ply


def test_after_renewing_the_secret_matches_stay_and_new_ones_get_other_ids(own_server: EmbeddedServer) -> None:
    services = build_services(Settings(log_url=own_server.url()))
    first = create_match(services)
    services.runtime.redis.delete("ct:secret")
    renewed = build_services(Settings(log_url=own_server.url()))
    assert load_shared_secret(renewed.runtime.redis) == renewed.runtime.secret != services.runtime.secret
    assert renewed.matches.repository.load(first.id).ply == first.ply
    assert create_match(renewed).id != first.id

"""Names that were given before names had to be unique: the oldest holder keeps the name, the others get a notice."""

import threading
from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from freezegun import freeze_time
from redis import Redis

from domain.match.commands import SeatSpec
from service.accounts.names import NameTaken, is_reserved, skeletons
from service.accounts.players import Player
from service.accounts.unique_names import DUPLICATE, RESERVED, with_number
from service.bootstrap import Services
from service.event_store.keys import NAMES_KEY, NAMES_LEASE_KEY, NAMES_VERSION_KEY, player_key
from service.event_store.server_accounts import LOG_ACCOUNT
from workers.processes.name_check import check_until_done
from workers.projection.projector import Projector

START = datetime(2026, 3, 1, 8, tzinfo=UTC)


@pytest.fixture
def services(lasting_services: Services, redis: Redis) -> Services:
    """The services on an empty log."""
    return lasting_services


def released_player(services: Services, number: int, name: str) -> Player:
    """Store a player as earlier releases did: a record and nothing else."""
    player = Player(f"p_{number:016x}", name)
    services.runtime.redis.set(player_key(player.id), msgspec.json.encode(player))
    return player


def name_of(services: Services, player: Player) -> str:
    found = services.accounts.players.find(player.id)
    assert found is not None
    return found.name


def test_the_player_who_has_been_here_longest_keeps_the_name(services: Services) -> None:
    with freeze_time(START) as frozen:
        # given: three players with names that look alike; one has a token, one a session, and one played first of all
        spellings = ("Nutty Bagel", "nutty bagel", "Nutty Bage1")
        newest, middle, oldest = (released_player(services, n, name) for n, name in enumerate(spellings))
        seats = (SeatSpec("human", player=oldest.id), SeatSpec("bot", level="random"))
        services.matches.creation.create(oldest.id, "tic_tac_toe", seats, {})
        Projector(services.log, services.read_models.writer, services.read_models.progress).catch_up()
        frozen.tick(timedelta(days=1))
        services.accounts.players.new_token(middle.id, "play", "Phone")
        frozen.tick(timedelta(days=1))
        services.accounts.sessions.begin(newest.id)
        # when
        services.accounts.unique_names.run_once()
    # then
    assert name_of(services, oldest) == "Nutty Bage1"
    assert len({skeleton for each in (newest, middle, oldest) for skeleton in skeletons(name_of(services, each))}) == 3
    assert services.accounts.name_notices.find(oldest.id) is None
    for renamed, former in ((newest, "Nutty Bagel"), (middle, "nutty bagel")):
        notice = services.accounts.name_notices.find(renamed.id)
        assert notice is not None
        assert (notice.former, notice.reason) == (former, DUPLICATE)
    with pytest.raises(NameTaken):
        services.accounts.players.create("NUTTY BAGEL")


def test_many_guests_with_one_name_all_get_different_ones(services: Services) -> None:
    guests = [released_player(services, number, "Golden Waffle") for number in range(60)]
    done = services.accounts.unique_names.run()
    assert (done.checked, done.changed) == (60, 59)
    names = [name_of(services, guest) for guest in guests]
    assert len({skeleton for name in names for skeleton in skeletons(name)}) == 60
    assert "Golden Waffle" in names


def test_reserved_names_become_random_ones(services: Services) -> None:
    admin = released_player(services, 1, "Admin")
    services.accounts.unique_names.run()
    assert not is_reserved(name_of(services, admin))
    notice = services.accounts.name_notices.find(admin.id)
    assert notice is not None
    assert (notice.former, notice.reason) == ("Admin", RESERVED)


def test_it_runs_once_for_each_version_of_the_skeletons(services: Services, redis: Redis) -> None:
    ann = released_player(services, 1, "Ann")
    assert services.accounts.unique_names.run_once()
    later = released_player(services, 2, "Ann")
    assert services.accounts.unique_names.run_once()
    assert name_of(services, later) == "Ann", "it ran twice"
    # when: the data has changed, or the operator asks for it
    redis.set(NAMES_VERSION_KEY, "0/old")
    assert services.accounts.unique_names.run_once()
    assert {name_of(services, ann), name_of(services, later)} == {"Ann", "Ann 2"}
    assert services.accounts.unique_names.run().changed == 0


def test_two_processes_and_one_that_died_leave_no_duplicates(services: Services, redis: Redis) -> None:
    # given: duplicates, and a claim of a process that died halfway
    guests = [released_player(services, number, "Minty Scone") for number in range(40)]
    services.accounts.players.name_claims.claim(guests[7].id, "Minty Scone")
    # when: two processes run at the same time, although one holds the lease
    threads = [threading.Thread(target=services.accounts.unique_names.run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # then: all names differ, each player has the claim to theirs, and nobody else has one
    names = [name_of(services, guest) for guest in guests]
    assert len({skeleton for name in names for skeleton in skeletons(name)}) == len(guests)
    for guest in guests:
        assert services.accounts.players.name_claims.holder(name_of(services, guest)) == guest.id
    assert services.accounts.unique_names.run().changed == 0


def test_a_process_waits_while_another_one_checks_the_names(services: Services, redis: Redis) -> None:
    released_player(services, 1, "Ann")
    redis.set(NAMES_LEASE_KEY, "other", ex=60)
    assert services.accounts.unique_names.run_once() is False
    assert redis.hlen(NAMES_KEY) == 0
    # when: the other process has died, and its lease has run out
    redis.delete(NAMES_LEASE_KEY)
    check_until_done(services.accounts.unique_names, retry_seconds=0.01)
    assert redis.hlen(NAMES_KEY) == 1


def test_a_newcomer_who_took_the_name_during_the_check_gives_it_back(services: Services) -> None:
    with freeze_time(START) as frozen:
        veteran = released_player(services, 1, "Ann")
        services.accounts.players.new_token(veteran.id, "play", "Phone")
        frozen.tick(timedelta(days=30))
        newcomer, _ = services.accounts.players.register("Ann")
        services.accounts.unique_names.run()
    assert (name_of(services, veteran), name_of(services, newcomer)) == ("Ann", "Ann 2")


def test_without_the_permission_to_list_players_the_operator_gets_a_warning(
    services: Services, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    # given: accounts that an earlier release wrote, without SCAN
    redis.execute_command("ACL", "SETUSER", "default", "-scan")
    try:
        assert services.accounts.unique_names.run_once()
    finally:
        redis.execute_command("ACL", "SETUSER", "default", "+scan")
    assert "crumbtrail admin check-names" in caplog.text
    assert redis.get(NAMES_VERSION_KEY) is None
    assert "+scan" in LOG_ACCOUNT.acl_line("secret").split()


def test_a_long_name_gets_a_number_that_fits() -> None:
    assert with_number("m" * 40, 12) == "m" * 37 + " 12"

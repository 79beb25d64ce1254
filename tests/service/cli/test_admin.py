"""`crumbtrail admin`: moderators, sanctions, reports, the log and the names, on the command line."""

import pytest
from click.testing import CliRunner, Result
from redis import Redis

from service.bootstrap import Services, build_services
from service.cli.main import main
from service.event_store.embedded import EmbeddedServer
from service.runtime.settings import Settings
from tests.players import namesake


def admin(*words: str) -> Result:
    return CliRunner().invoke(main, ["admin", *words])


@pytest.fixture
def services(server: EmbeddedServer, redis: Redis, monkeypatch: pytest.MonkeyPatch) -> Services:
    """Return the services that the commands use."""
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", server.url())
    return build_services(Settings(log_url=server.url()))


def test_moderators_are_appointed_and_removed(services: Services) -> None:
    mona = services.accounts.players.create("Mona")
    granted = admin("grant", mona.id)
    assert (granted.exit_code, "Mona is now a moderator." in granted.output) == (0, True)
    assert "no confirmed email address" in granted.output
    assert admin("moderators").output == f"{mona.id}  Mona\n"
    assert admin("revoke", mona.id).exit_code == 0
    assert admin("moderators").output == ""
    assert not services.moderation.moderators.is_moderator(mona.id)


@pytest.mark.parametrize("kind", ["mute", "suspend", "ban"])
def test_a_sanction_is_imposed_shown_lifted_and_logged(services: Services, kind: str) -> None:
    bob, token = services.accounts.players.register("Bob")
    imposed = admin(kind, bob.id, "--days", "3", "--reason", "Rude texts.")
    assert imposed.exit_code == 0, imposed.output
    assert [each.kind for each in services.moderation.sanctions.of(bob.id)] == [kind]
    shown = admin("show", "B0B").output
    assert f"{bob.id}  Bob" in shown
    assert "by operator: Rude texts." in shown
    assert (services.accounts.players.find_token(token) is None) is (kind == "ban")
    lifted = admin("lift", bob.id, kind, "--reason", "Enough.")
    assert lifted.exit_code == 0, lifted.output
    assert services.moderation.sanctions.of(bob.id) == []
    assert admin("lift", bob.id, kind, "--reason", "Again.").exit_code == 1
    lines = admin("log").output.splitlines()
    assert len(lines) == 2
    assert f"operator  lift {kind} {bob.id}: Enough." in lines[0]
    assert f"operator  {kind} {bob.id} until " in lines[1]


def test_founders_are_named_listed_and_removed(services: Services) -> None:
    """Given fewer founders than a leaderboard needs, then the command says how many are missing."""
    players = [services.accounts.players.create(name) for name in ("Ann", "Bob", "Cid", "Dora", "Eve", "Fay")]
    outputs = [admin("add-founder", player.id).output for player in players]
    assert outputs[0].startswith("Ann is now a founder.\nName 5 more,")
    assert outputs[5] == "Fay is now a founder.\n"
    assert services.read_models.rating_trust.current().founders == {player.id for player in players}
    assert f"{players[1].id}  Bob" in admin("founders").output
    assert admin("remove-founder", players[1].id).exit_code == 0
    assert f"{players[1].id}  Bob" not in admin("founders").output
    assert "operator  remove_founder" in admin("log").output.splitlines()[0]
    assert admin("add-founder", "p_nobody").exit_code == 1


def test_a_ban_for_cheating_excludes_the_player_until_it_is_lifted(services: Services) -> None:
    bob = services.accounts.players.create("Bob")
    banned = admin("ban", bob.id, "--cheated", "--reason", "Uses a program.")
    assert (banned.exit_code, "out of the ratings" in banned.output) == (0, True)
    assert services.read_models.rating_trust.current().excluded == {bob.id}
    assert "ban (results don't count)" in admin("log").output
    admin("lift", bob.id, "ban", "--reason", "A mistake.")
    assert services.read_models.rating_trust.current().excluded == frozenset()
    assert admin("ban", bob.id, "--cheated", "--days", "3", "--reason", "x").exit_code == 1
    assert admin("mute", bob.id, "--cheated", "--reason", "x").exit_code == 2


def test_a_player_is_renamed(services: Services) -> None:
    bob, _ = services.accounts.players.create("Rude Words"), services.accounts.players.create("Ann")
    taken = admin("rename", bob.id, "--name", "ANN", "--reason", "An insult.")
    assert taken.exit_code == 1
    assert "belongs to another player" in taken.output
    assert admin("rename", bob.id, "--reason", "An insult.").exit_code == 0
    found = services.accounts.players.find(bob.id)
    assert found is not None
    assert found.name != "Rude Words"


def test_reports_are_listed_and_closed(services: Services) -> None:
    ann, bob = (services.accounts.players.create(name).id for name in ("Ann", "Bob"))
    report = services.moderation.reports.add(ann, bob, "stalling", "He never moves.")
    listed = admin("reports").output
    assert report.id in listed
    assert "He never moves." in listed
    assert admin("close-report", report.id, "--note", "Warned.").exit_code == 0
    assert admin("reports").output == ""
    assert "closed: Warned." in admin("show", bob).output
    assert admin("close-report", report.id, "--note", "Again.").exit_code == 1


def test_names_are_made_unique_again(services: Services) -> None:
    for _ in range(3):
        namesake(services, "Nutty Bagel")
    assert admin("check-names").output == "3 names checked, 2 changed.\n"
    assert admin("check-names").output == "3 names checked, 0 changed.\n"


@pytest.mark.parametrize(
    "words",
    [("grant", "p_nobody"), ("show", "Nobody"), ("ban", "p_nobody", "--reason", "x"),
     ("close-report", "r_x", "--note", "x"), ("rename", "p_nobody", "--reason", "x"),
     ("lift", "p_nobody", "ban", "--reason", "x")],
)  # fmt: skip
def test_what_does_not_exist_is_refused_in_one_line(services: Services, words: tuple[str, ...]) -> None:
    refused = admin(*words)
    assert refused.exit_code == 1
    assert refused.output.startswith("Error: There is no ")
    assert refused.output.count("\n") == 1


def test_without_a_reason_nothing_happens(services: Services) -> None:
    bob = services.accounts.players.create("Bob").id
    assert admin("ban", bob).exit_code == 2
    assert "Enter a reason." in admin("ban", bob, "--reason", " ").output
    assert services.moderation.sanctions.of(bob) == []
    assert admin("log").output == ""


def test_an_unreachable_server_is_reported_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRUMBTRAIL_LOG_URL", "unix:///nowhere/server.sock")
    refused = admin("reports")
    assert refused.exit_code == 1
    assert "Traceback" not in refused.output

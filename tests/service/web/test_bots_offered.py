"""Third-party bots in the lobby: anyone can join their matches, and they are marked as bots."""

from collections.abc import Callable

import pytest
from flask import Flask

from service.bootstrap import Services
from tests.service.web.visitors import Visitor

API = "/api/v1"


@pytest.fixture
def robot(app: Flask) -> dict[str, str]:
    """The headers of a program registered as a bot."""
    made = app.test_client().post(f"{API}/players", json={"name": "Robo", "bot": True})
    assert made.json["player"] == {"id": made.json["player"]["id"], "name": "Robo", "bot": True}
    return {"Authorization": f"Bearer {made.json['token']}"}


def test_a_bot_offers_a_match_and_a_person_joins(
    app: Flask, ann: Visitor, robot: dict[str, str], project: Callable[[], None], services: Services
) -> None:
    payload = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "open"}]}
    made = app.test_client().post(f"{API}/matches", json=payload, headers=robot)
    assert made.status_code == 201, made.text
    match = made.json["match"]["id"]
    project()
    lobby = ann.open("/")
    assert "Robo (bot)" in lobby.text
    room = ann.named("Ann").open(f"/matches/{match}")
    table = ann.send(room.form("/seats/1"))
    assert services.matches.repository.load(match).status == "playing"
    assert "Robo (bot)" in table.text


def test_a_bots_token_has_the_bot_scope(app: Flask, robot: dict[str, str]) -> None:
    client = app.test_client()
    me = client.get(f"{API}/me", headers=robot).json["player"]
    assert (me["name"], me["bot"]) == ("Robo", True)
    payload = {"game": "tic_tac_toe", "seats": [{"kind": "me"}, {"kind": "bot", "level": "random"}]}
    match = client.post(f"{API}/matches", json=payload, headers=robot).json["match"]
    assert [seat["player_name"] for seat in match["seats"]] == ["Robo (bot)", None]
    claim = {"ply": 4, "ground": "move", "claim": "Was that so?"}
    assert client.post(f"{API}/matches/{match['id']}/disputes", json=claim, headers=robot).status_code == 403


@pytest.mark.parametrize("bot", [1, "yes", None])
def test_the_bot_field_must_be_a_boolean(app: Flask, bot: object) -> None:
    assert app.test_client().post(f"{API}/players", json={"name": "Robo", "bot": bot}).status_code == 422

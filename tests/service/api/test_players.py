"""Players and their tokens, and the headers of every answer."""

import pytest
from flask import Flask
from hypothesis import given
from hypothesis import strategies as st

from service.accounts.names import MAX_NAME_LENGTH, InvalidName, is_invisible, normalize_name
from service.bootstrap import Services
from tests.service.api.builders import PREFIX, anonymous, assert_problem, new_match, register, started_match


def test_a_registered_player_is_identified_by_the_token(app: Flask, services: Services) -> None:
    answer = anonymous(app).post("/players", {"name": " Ann  O'Hara "})
    assert answer.status_code == 201
    player, token = answer.json["player"], answer.json["token"]
    assert anonymous(app).get("/me", Authorization=f"Bearer {token}").json == {"player": player}
    redis = services.runtime.redis
    stored = [redis.get(key) if redis.type(key) == b"string" else repr(redis.hgetall(key)).encode()
              for key in redis.keys("ct:*")]  # fmt: skip
    assert not any(token.encode() in value for value in stored), "tokens are stored hashed"
    assert not any(token.encode() in key for key in services.runtime.redis.scan_iter())


@pytest.mark.parametrize(
    "name", ["", " ", "x" * 41, "a\tb", "\u200b", "\u202eevil", "x" * 5000, "\u3164", "\u2800", "Ann\ufe0f"]
)
def test_an_invalid_name_is_refused(app: Flask, name: str) -> None:
    answer = anonymous(app).post("/players", {"name": name})
    assert answer.status_code == 422
    assert answer.json["code"] in ("bad_name", "invalid")


INVISIBLE = (
    "\u3164", "\u2800", "\u115f", "\u1160", "\u034f", "\ufe0f", "\ufe00", "\uffa0", "\u17b4", "\u180b", "\u180f",
    "\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u2028", "\u00a0", "\u3000", "\u2003", "\u202e", "\x7f", "\x00",
    "\ufffc", "\U000e0001", "\U000e0100", "\U0001d159", "\U00016fe4", "\ue000",
)  # fmt: skip


@pytest.mark.parametrize("invisible", INVISIBLE, ids=ascii)
def test_a_name_contains_no_invisible_characters(invisible: str) -> None:
    """Players with similar names can be distinguished, and no name is blank.

    Characters that are spaces are only tested inside a name, because spaces at its ends are removed.
    """
    ends = (invisible, f"Ann{invisible}") if invisible.strip() else ()
    for name in (f"A{invisible}nn", f"Ann {invisible} Bob", f"x{invisible * 3}x", *ends):
        with pytest.raises(InvalidName) as refused:
            normalize_name(name)
        assert f"U+{ord(invisible):04X}" in str(refused.value)
    with pytest.raises(InvalidName):
        normalize_name(invisible)


@pytest.mark.parametrize("mark", ["\u0301", "\u20dd", "\u0301Ann"])
def test_a_name_does_not_start_with_a_combining_mark(mark: str) -> None:
    with pytest.raises(InvalidName, match="not with a combining accent"):
        normalize_name(mark)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (" Ann  O'Hara ", "Ann O'Hara"),
        ("Jose\u0301", "José"),
        ("Zoë (2nd) & Co. №1", "Zoë (2nd) & Co. №1"),
        ("山田 太郎", "山田 太郎"),
        ("한글", "한글"),
        ("ประภาส", "ประภาส"),
        ("हिन्दी", "हिन्दी"),
        ("🍰 baker", "🍰 baker"),
    ],
)
def test_names_in_all_scripts_are_kept(text: str, kept: str) -> None:
    assert normalize_name(text) == kept


@given(st.text(max_size=45))
def test_a_normalized_name_is_visible_and_stable(text: str) -> None:
    try:
        name = normalize_name(text)
    except InvalidName:
        return
    assert 1 <= len(name) <= MAX_NAME_LENGTH
    assert not any(map(is_invisible, name.replace(" ", "")))
    assert (normalize_name(name), name.strip(), "  " in name) == (name, name, False)


@pytest.mark.parametrize("body", [{}, {"name": 5}, {"name": None}, {"name": "Ann", "age": 5}])
def test_a_registration_needs_a_valid_name(app: Flask, body: dict) -> None:
    assert_problem(anonymous(app).post("/players", body), 422, "invalid")


def test_no_cookie_is_set_or_honoured(app: Flask, services: Services) -> None:
    match, (ann, _) = started_match(app, "mice_cake")
    client = app.test_client()
    with client.session_transaction() as session:
        session["player"], session["secret"] = ann.id, services.accounts.sessions.begin(ann.id)
    for answer in (
        client.get(f"{PREFIX}/me"),
        client.get(f"{PREFIX}/me/turns"),
        client.get(f"{PREFIX}/matches/{match}/legal-moves"),
        client.post(f"{PREFIX}/matches/{match}/moves", json={"type": "resign"}),
    ):
        assert answer.status_code == 401
        assert "Set-Cookie" not in answer.headers
    assert client.get(f"{PREFIX}/matches/{match}").json["you"] == []


def test_every_answer_has_the_api_headers(app: Flask) -> None:
    ann = register(app)
    match = new_match(ann)["match"]["id"]
    for answer in (
        ann.get("/me"),
        ann.get(f"/matches/{match}"),
        ann.get("/nothing"),
        ann.post("/players", {}),
        ann.get("/openapi.json"),
        ann.send("DELETE", "/games"),
        app.test_client().get("/healthz"),
        app.test_client().get("/metrics"),
    ):
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert "no-store" in answer.headers["Cache-Control"]
        assert "Authorization" in answer.headers["Vary"]


def test_a_name_that_looks_like_another_is_refused_with_suggestions(app: Flask) -> None:
    # given
    register(app, "Ann")
    # when: with a Cyrillic letter, without a space, and the name of a role
    taken = anonymous(app).post("/players", {"name": "\u0410NN"})
    reserved = anonymous(app).post("/players", {"name": "admin"})
    # then
    for answer, code in ((taken, "name_taken"), (reserved, "name_reserved")):
        assert_problem(answer, 409, code)
        suggested = answer.json["suggestions"]
        assert len(suggested) == 3
        assert anonymous(app).post("/players", {"name": suggested[0]}).status_code == 201

"""A browser without JavaScript for tests: it opens pages, reads them and submits their forms, without disabled fields.

ann = Visitor(app)
page = ann.open("/")
page = ann.send(page.form("/play"), press="greedy")         # follows the redirect to the table
page = ann.send(page.form("/moves"), A="2", B="2")
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from service.bootstrap import Services
from tests.players import share_name

VOID_TAGS = {"input", "meta", "link", "br", "img", "hr", "col"}
INVISIBLE_TAGS = {"script", "style", "title", "desc"}


@dataclass
class Form:
    """A form with its action, initial field values, and the values of its choices and buttons."""

    action: str
    method: str
    fields: dict[str, str] = field(default_factory=dict)
    choices: dict[str, list[str]] = field(default_factory=dict)
    buttons: dict[str, list[str]] = field(default_factory=dict)


class PageParser(HTMLParser):
    """Parses the forms, links, texts and tags of a page, and records mismatched tags."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.forms: list[Form] = []
        self.links: list[str] = []
        self.words: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.faults: list[str] = []
        self._open: list[str] = []
        self._form: Form | None = None
        self._select = ""
        self._disabled = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append((tag, attributes))
        if tag not in VOID_TAGS:
            self._open.append(tag)
        if tag == "form":
            self._form = Form(attributes.get("action") or self.path, attributes.get("method", "get"))
            self.forms.append(self._form)
        elif tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        elif tag == "fieldset" and ("disabled" in attributes or self._disabled):
            self._disabled += 1
        elif self._form is not None and "disabled" not in attributes and not self._disabled:
            self._note(self._form, tag, attributes)

    def _note(self, form: Form, tag: str, attributes: dict[str, str]) -> None:
        name, value = attributes.get("name", ""), attributes.get("value", "")
        if tag == "button" and name:
            form.buttons.setdefault(name, []).append(value)
        elif tag == "textarea":
            form.fields[name] = ""
        elif tag == "select":
            self._select = name
        elif tag == "option":
            form.choices.setdefault(self._select, []).append(attributes.get("value", ""))
            if "selected" in attributes or self._select not in form.fields:
                form.fields[self._select] = attributes.get("value", "")
        elif tag == "input" and attributes.get("type") in ("radio", "checkbox"):
            form.choices.setdefault(name, []).append(value)
            if "checked" in attributes:
                form.fields[name] = value
        elif tag == "input" and attributes.get("type") != "file":
            form.fields[name] = value

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"unexpected </{tag}> on line {self.getpos()[0]}")
        if tag == "form":
            self._form = None
        elif tag == "fieldset" and self._disabled:
            self._disabled -= 1

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in INVISIBLE_TAGS:
            self.words.append(data)


class Page:
    """A response, parsed as a page."""

    def __init__(self, response: TestResponse) -> None:
        self.status = response.status_code
        self.headers = response.headers
        self.path = response.request.path
        self.html = response.get_data(as_text=True)
        self.reader = PageParser(self.path)
        self.reader.feed(self.html)

    @property
    def text(self) -> str:
        """Return the text of the page on one line."""
        return re.sub(r"\s+", " ", " ".join(self.reader.words))

    @property
    def title(self) -> str:
        """Return the page title."""
        found = re.search(r"<title>(.*?)</title>", self.html)
        return found[1] if found else ""

    def forms(self, action: str) -> list[Form]:
        """Return the POST forms whose action contains this text."""
        return [form for form in self.reader.forms if action in form.action and form.method == "post"]

    def form(self, action: str) -> Form:
        """Return the first form whose action contains this text."""
        found = self.forms(action)
        assert found, f"no form for {action}; there are {[form.action for form in self.reader.forms]}"
        return found[0]

    def link(self, part: str) -> str:
        """Return the first link whose URL contains this text."""
        return next(link for link in self.reader.links if part in link)

    def all(self, tag: str) -> Iterator[dict[str, str]]:
        """Yield the attributes of every tag with this name."""
        return (attributes for name, attributes in self.reader.tags if name == tag)


class Visitor:
    """A person with their own browser."""

    def __init__(self, app: Flask, **environment: Any) -> None:
        self.client = app.test_client()
        self.environment = environment

    def sign_in(self, services: Services, player: str) -> None:
        """Start a session for this player in the browser."""
        with self.client.session_transaction() as session:
            session["player"], session["secret"] = player, services.accounts.sessions.begin(player)

    def open(self, path: str, **headers: str) -> Page:
        """Open a URL and follow redirects."""
        return Page(self.client.get(path, headers=headers, follow_redirects=True, **self.environment))

    def send(self, form: Form, press: str | None = None, **fields: str) -> Page:
        """Submit a form with some fields changed and follow redirects. `press` is the value of a button."""
        return Page(self.post(form, press, follow_redirects=True, **fields))

    def post(self, form: Form, press: str | None = None, follow_redirects: bool = False, **fields: str) -> TestResponse:
        """Submit a form, by default without following redirects."""
        pressed = {name: press for name, values in form.buttons.items() if press in values and press is not None}
        data = {**form.fields, **pressed, **fields}
        return self.client.post(form.action, data=data, follow_redirects=follow_redirects, **self.environment)

    def named(self, name: str) -> "Visitor":
        """Change the visitor's name and return the visitor.

        If the name is taken, the visitor gets it anyway, as in earlier releases, so that two worlds can look the same.
        """
        if "belongs to another player" in self.send(self.open("/name").form("/name"), name=name).text:
            with self.client.session_transaction() as session:
                share_name(self.client.application.extensions["crumbtrail"], session["player"], name)
        return self

    def new_match(self, game: str = "mice_cake", **fields: str) -> Page:
        """Create a match with the form and return its page. Options are given by name."""
        form = self.open(f"/new/{game}").form(f"/new/{game}")
        named = {f"option-{name}" if f"option-{name}" in form.fields else name: value for name, value in fields.items()}
        return self.send(form, **named)


def match_id_of(page: Page) -> str:
    """Return the id of the match shown on a page."""
    found = re.search(r"/(?:matches|join)/([0-9a-z]{18})", page.path)
    assert found, page.path
    return found[1]


def two_player_match(app: Flask, **fields: str) -> tuple[str, Visitor, Visitor]:
    """Return a match between two visitors: the creator in seat 0, and a second player who was invited."""
    ann, bob = Visitor(app).named("Ann"), Visitor(app).named("Bob")
    room = ann.new_match(seat0="me", seat1="friend", **fields)
    link = next(value["value"] for value in room.all("input") if "/join/" in value.get("value", ""))
    invitation = bob.open(link)
    bob.send(invitation.form("/join/"))
    return match_id_of(room), ann, bob

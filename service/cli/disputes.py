"""`crumbtrail disputes`: manage the statements of disputes."""

import click

from domain.kernel.refusals import MatchRefused
from domain.match.disputes import find_dispute
from service.cli.keys import connect_services
from service.event_store.errors import MatchNotFound


@click.group()
def disputes() -> None:
    """Manage disputes."""


@disputes.command()
@click.argument("match")
@click.argument("number", type=int)
def erase(match: str, number: int) -> None:
    """Erase the text of dispute NUMBER of MATCH. The dispute itself, its verdict and its ruling stay in the log."""
    services = connect_services()
    try:
        dispute = find_dispute(services.matches.repository.load(match), number)
    except (MatchRefused, MatchNotFound) as error:
        raise click.ClickException(str(error)) from None
    services.disputes.statements.erase(match, dispute.claim_digest)
    click.echo(f"Erased the text of dispute {number}.")

"""`crumbtrail arbiters`: who may resolve disputes."""

import click

from service.cli.keys import connect_services


@click.group()
def arbiters() -> None:
    """Who may resolve disputes on this server."""


@arbiters.command("list")
def list_arbiters() -> None:
    """Show all arbiters."""
    services = connect_services()
    names = services.accounts.players.names(set(services.accounts.arbiters.player_ids()))
    for player in services.accounts.arbiters.player_ids():
        click.echo(f"{player}  {names.get(player, '(no name)')}")


@arbiters.command()
@click.argument("player")
def add(player: str) -> None:
    """Give the role to PLAYER (an id, as the page of disputes shows it)."""
    services = connect_services()
    found = services.accounts.players.find(player)
    if found is None:
        raise click.ClickException(f"there is no player {player}; the page /disputes shows everybody their id")
    services.accounts.arbiters.add(player)
    click.echo(f"{found.name} is an arbiter now.")


@arbiters.command()
@click.argument("player")
def remove(player: str) -> None:
    """Take the role from PLAYER. What was resolved stays resolved."""
    connect_services().accounts.arbiters.remove(player)
    click.echo(f"{player} is no arbiter.")

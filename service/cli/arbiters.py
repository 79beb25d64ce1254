"""`crumbtrail arbiters`: manage the players who may resolve disputes."""

import click

from service.cli.keys import connect_services


@click.group()
def arbiters() -> None:
    """Manage the players who may resolve disputes."""


@arbiters.command("list")
def list_arbiters() -> None:
    """List all arbiters."""
    services = connect_services()
    names = services.accounts.players.names(set(services.accounts.arbiters.player_ids()))
    for player in services.accounts.arbiters.player_ids():
        click.echo(f"{player}  {names.get(player, '(no name)')}")


@arbiters.command()
@click.argument("player")
def add(player: str) -> None:
    """Make PLAYER (a player id) an arbiter. Players find their id on the page /disputes."""
    services = connect_services()
    found = services.accounts.players.find(player)
    if found is None:
        raise click.ClickException(f"There is no player {player}. Players find their id on the page /disputes.")
    services.accounts.arbiters.add(player)
    click.echo(f"{found.name} is now an arbiter.")


@arbiters.command()
@click.argument("player")
def remove(player: str) -> None:
    """Remove PLAYER from the arbiters. Earlier rulings remain in force."""
    connect_services().accounts.arbiters.remove(player)
    click.echo(f"{player} is not an arbiter.")

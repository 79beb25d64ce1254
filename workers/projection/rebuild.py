"""`crumbtrail rebuild`: rebuilds all data derived from the logs."""

import sys

import click

from domain.kernel.registry import games
from service.bootstrap import Services
from service.cli.keys import connect_services
from service.event_store.keys import SHARDS
from workers.projection.projector import Progress, Projector
from workers.projection.ratings import Rater


@click.command()
def rebuild() -> None:
    """Rebuild all lists and ratings from the log.

    This deletes the lists, inboxes, records and ratings first. No match or move can be lost. The service can keep
    running while its lists fill up again.
    """
    services = connect_services()
    length = sum(services.log.feed_head(shard) for shard in range(SHARDS))
    with click.progressbar(length=length, label="Reading the feeds", file=sys.stderr) as bar:
        rebuild_projections(services, bar.update)
    results = services.read_models.results.count_results(games())
    with click.progressbar(length=results, label="Rating", file=sys.stderr) as bar:
        rebuild_ratings(services, bar.update)
    click.echo(f"Rebuilt from {length} announcements and {results} rated results.")


def rebuild_projections(services: Services, progress: Progress = lambda positions: None) -> None:
    """Rebuild the projections of all shards. Raises LogUnavailable."""
    Projector(
        services.log, services.read_models.writer, services.read_models.progress, services.matches.imported.contains
    ).rebuild(progress)


def rebuild_ratings(services: Services, progress: Progress = lambda results: None) -> None:
    """Rebuild the ratings of all games. Raises LogUnavailable."""
    models = services.read_models
    Rater(models.results, models.ratings, models.rating_trust.current).rebuild(games(), progress)

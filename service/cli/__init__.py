"""The command line: `crumbtrail`."""

from service.cli.main import main

__all__ = ["main"]

"""`python -m service.cli` is `crumbtrail`."""

from service.cli.main import main

main(prog_name="crumbtrail")

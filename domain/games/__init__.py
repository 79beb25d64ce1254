"""One folder for one game, each with the same rooms (see `docs/add-a-game.md`)."""

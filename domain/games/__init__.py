"""One folder per game, all with the same structure (see `docs/add-a-game.md`)."""

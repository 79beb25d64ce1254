"""The rules: components, moves and facts, decider, reducer, views and scores."""

"""The rules: moves, facts, decider, reducer, views and scoring."""

"""The rules: components, moves, facts, decider, reducer, views and scoring."""

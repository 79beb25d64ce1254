"""The match around a game, itself a decider.

`decide(match, command, now, luck)` returns the events of a command with the match they fold to; `evolve(match, event)`
folds one event of the log. `state`, `commands` and `guards` are used by everything else here; `clock`, `disputes`,
`handover`, `proposals`, `lobby` and `play` each hold the rules of one feature. Time and luck come in as arguments.
"""

"""The match: everything around a game, such as seats, clocks, proposals and disputes.

`decide(match, command, now, luck)` returns the events of a command with the match they fold to; `evolve(match, event)`
folds one event of the log. All other modules here use `state`, `commands` and `guards`; `clock`, `disputes`,
`handover`, `proposals`, `lobby` and `play` each implement one feature. Time and luck are passed as arguments.
"""

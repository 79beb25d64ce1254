"""Nothing lost, nothing doubled: the whole service under faults, and a checker of what it did.

`ground` is what is tested: servers, proxy, clock and `crumbtrail up`. `clients` play on it and keep a record, `nemesis`
breaks it, `truth` reads what stands in the log afterwards. All of this makes a `history`, which is plain data, and
`checker` says what is wrong with it. `planted` and `mutants` are faults of our own making, which the checker must find.
"""

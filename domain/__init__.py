"""The rules: pure functions over immutable values. No input or output, no clock, no global random."""

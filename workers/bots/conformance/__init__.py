"""The conformance check for bots: real matches through a proxy with planned faults."""

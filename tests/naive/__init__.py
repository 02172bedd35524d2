"""Slow twins of the engine, written from the rule text and sharing nothing with it: the oracles of the tests."""

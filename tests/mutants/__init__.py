"""Seeded faults: each is put into a copy of the tree, and some test there has to fail."""

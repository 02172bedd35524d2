"""How fast, how much memory: measured, never asserted."""

"""The tile-count evaluator: tables, shanten, effective tiles, best discards, hand types, exact counts."""

"""Fuzzing of everything that reads what people type: tiles, rulesets, score cases, run manifests, command lines."""

"""The questions people ask of a run, each answered by tables and sentences."""

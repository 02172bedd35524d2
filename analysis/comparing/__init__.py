"""What a change of the rules changes, on the same walls."""

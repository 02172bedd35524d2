"""The columns of a run, and the folder that holds them."""

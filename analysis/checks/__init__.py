"""What is known exactly, and what it says about a run."""

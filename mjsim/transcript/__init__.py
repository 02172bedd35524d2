"""One deal again, as events and as text that a person can read."""

"""How much better one player is than another."""

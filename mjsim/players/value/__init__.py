"""The player ``value``: weighs what a hand can become by price and chance (docs/players.md)."""

"""Fitting the constants of the player ``value``: ``python -m mjsim.fitting``."""

"""Score cases: one finished deal, described by its tiles, and what each seat then wins or loses."""

from mjsim.scoring.answer import score

__all__ = ["score"]

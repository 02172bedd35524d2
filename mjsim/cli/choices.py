"""What options let one choose from."""

from typing import Final, Literal

Format = Literal["table", "json", "csv", "md"]
ReportFormat = Literal["html", "json", "csv", "md"]
Lang = Literal["en", "zh"]
CoveragePlayers = Literal["noisy", "fast", "both"]

#: `mjsim.players.DEFAULT`, whose module `--help` does not wait for.
PLAYERS: Final = "value"

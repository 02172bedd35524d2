"""What options let one choose from."""

from typing import Literal

Format = Literal["table", "json", "csv", "md"]
ReportFormat = Literal["html", "json", "csv", "md"]
Lang = Literal["en", "zh"]
CoveragePlayers = Literal["noisy", "fast", "both"]

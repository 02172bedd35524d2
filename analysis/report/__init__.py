"""Reports: whole pages that need nothing else, byte for byte the same for the same deals."""

from analysis.display.templates import TEMPLATES
from analysis.report.comparison_page import comparison_page, write_comparison
from analysis.report.index_page import index_page, write_index
from analysis.report.run_page import report, write_report

__all__ = [
    "TEMPLATES",
    "comparison_page",
    "index_page",
    "report",
    "write_comparison",
    "write_index",
    "write_report",
]

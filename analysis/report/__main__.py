"""``python -m analysis.report DIR`` writes the index of the reports in a folder."""

import argparse
import sys
from pathlib import Path

from analysis.report import write_index
from mjsim.errors import RunError


def main(arguments: list[str]) -> int:
    """Write the index of a folder; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m analysis.report", description="Write the index of some reports.")
    parser.add_argument("folder", type=Path, metavar="DIR", help="A folder of reports.")
    folder = parser.parse_args(arguments).folder
    try:
        print(f"{write_index(folder)}: index of {folder}")
    except RunError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

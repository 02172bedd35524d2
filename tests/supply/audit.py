"""Known vulnerabilities of what is locked, by pip-audit: ``python -m tests.supply.audit PIP_AUDIT LOCK...``.

Status 0: every package was looked up, and nothing is known. 1: something is known. 3: not everything could be looked
up, as where the service that knows cannot be reached, which is no answer.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final

NO_ANSWER: Final = 3


def verdict(report: Mapping[str, Any] | None, complaint: str = "") -> tuple[int, str]:
    """Exit status and words for what pip-audit reported; None where it reported nothing.

    >>> verdict({"dependencies": [{"name": "a", "version": "1", "vulns": []}]})
    (0, 'No vulnerability is known in 1 package.')
    >>> verdict(None, "connection refused")
    (3, 'NOT AUDITED: the vulnerability service cannot be reached from here: connection refused')
    """
    if report is None:
        return NO_ANSWER, f"NOT AUDITED: the vulnerability service cannot be reached from here: {complaint}"
    packages: Sequence[Mapping[str, Any]] = report["dependencies"]
    skipped = [each["name"] for each in packages if "skip_reason" in each]
    known = [
        f"{each['name']} {each['version']}: {found['id']}, mended in {', '.join(found['fix_versions']) or 'no version'}"
        for each in packages
        for found in each.get("vulns", ())
    ]
    if known:
        return 1, "\n".join(known)
    if skipped:
        some = f"{len(skipped)} of {len(packages)} packages"
        return NO_ANSWER, f"NOT AUDITED: the index in use here knows nothing of the vulnerabilities of {some}."
    return 0, f"No vulnerability is known in {len(packages)} package{'s' * (len(packages) != 1)}."


def main() -> int:
    """Audit the lock files that are named."""
    program, *files = sys.argv[1:]
    command = [program, "--disable-pip", "--require-hashes", "--progress-spinner=off", "--format=json"]
    worst = 0
    for file in files:
        done = subprocess.run([*command, "--requirement", file], capture_output=True, text=True, check=False)
        report = json.loads(done.stdout) if done.stdout.startswith("{") else None
        status, words = verdict(report, (done.stderr.strip().splitlines() or ["no reason given"])[-1])
        print(f"{file}: {words}")
        worst = max(worst, status)
    return worst


if __name__ == "__main__":
    sys.exit(main())

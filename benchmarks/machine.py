"""The machine and the software that a measurement was taken with."""

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm


def machine() -> dict[str, Any]:
    """What the system tells about itself."""
    return {
        "cpu": _cpu_model(),
        "llvm_cpu": llvm.get_host_cpu_name(),
        "cores": os.cpu_count(),
        "caches": _caches(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "llvm": ".".join(map(str, llvm.llvm_version_info)),
        **{name: metadata.version(name) for name in ("numba", "llvmlite", "numpy", "polars")},
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
    }


def described(found: dict[str, Any]) -> str:
    """A machine in one sentence."""
    caches = ", ".join(f"{level} {size}" for level, size in found["caches"].items())
    return (
        f"{found['cpu']} ({found['llvm_cpu']} to LLVM), {found['cores']} cores{f', {caches}' if caches else ''};"
        f" {found['system']}, Python {found['python']}, numba {found['numba']}, LLVM {found['llvm']},"
        f" NumPy {found['numpy']}, Polars {found['polars']}"
    )


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _caches() -> dict[str, str]:
    """Sizes of one core's data caches, as Linux knows them."""
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        kind, level, size = ((folder / name).read_text(encoding="utf-8").strip() for name in ("type", "level", "size"))
        if kind != "Instruction":
            found[f"L{level}"] = size
    return found

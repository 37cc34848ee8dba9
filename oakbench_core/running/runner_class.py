"""What kind of machine this is, in one line: what a campaign's population says of its host unless told otherwise."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

_CPU: Final = re.compile(r"^model name\s*:\s*(.+)$", re.MULTILINE)
_MEMORY: Final = re.compile(r"^MemTotal:\s*(\d+) kB$", re.MULTILINE)
_KIB_IN_GIB: Final = 1 << 20


def runner_class() -> str:
    """Such as `linux x86_64, AMD Ryzen 9 7950X 16-Core Processor, 32 cores, 62 GiB`; what is not known is left out."""
    system = os.uname()
    cores = os.cpu_count()
    cpu = _found(_CPU, Path("/proc/cpuinfo"))
    memory = _found(_MEMORY, Path("/proc/meminfo"))
    parts = [
        f"{system.sysname.lower()} {system.machine}",
        cpu,
        None if cores is None else f"{cores} cores",
        None if memory is None else f"{round(int(memory) / _KIB_IN_GIB)} GiB",
    ]
    return ", ".join(part for part in parts if part)


def _found(pattern: re.Pattern[str], file: Path) -> str | None:
    try:
        match = pattern.search(file.read_text(errors="replace"))
    except OSError:
        return None
    return match[1].strip() if match else None

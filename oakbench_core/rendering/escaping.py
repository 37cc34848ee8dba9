"""Text of a report → Markdown that shows it and obeys none of it.

Rule: every text goes through here, whoever wrote it: first `display_safe`, then the escapes of Markdown.
"""

from __future__ import annotations

import re
from typing import Final

from oakbench_core.display import display_safe

# What Markdown (CommonMark, GitHub's tables, strikes, mathematics and links without brackets) may read as a command. An
# underscore inside a word is none, and names are full of them.
_COMMANDS: Final = re.compile(r"[\\`*\[\]<>|~&$#@]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//)|(?i:(?<=www)\.)")


def sentence(text: str) -> str:
    """One line of Markdown that reads as `text`, in full."""
    return _COMMANDS.sub(lambda found: "\\" + found[0], display_safe(text))

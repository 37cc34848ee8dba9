"""The journal's writer: one record, one write, one sync, and only then is it acknowledged.

Acknowledged ⊆ journal ⊆ attempted. What may have gone wrong inside a write cannot be known, so nothing is tried again:
the writer is poisoned and writes nothing further. Every record passes the reader's own tests before it is written.
"""

from __future__ import annotations

import os
import secrets
import stat
import sys
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from oakbench_core.campaign.events import event_type  # noqa: F401
from oakbench_core.campaign.fields import checked
from oakbench_core.campaign.row import Row
from oakbench_core.campaign.vocabulary import EventKind, StopReason, Terminal

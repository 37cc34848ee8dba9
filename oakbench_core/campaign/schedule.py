"""The order of trials: frozen from the seed, so that the same definition gives the same schedule everywhere.

Whole repetitions come first, so that a campaign that stops early holds whole rounds; inside one the order of blocks,
and inside a block that of subjects, is by SHA-256 of a text that anyone can hash again (formats.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from oakbench_core.canonical import sha256_hex

if TYPE_CHECKING:
    from collections.abc import Iterable

DOMAIN: Final = "oakbench.schedule.v1"


class Place(NamedTuple):
    """What the order depends on."""

    repetition: int
    block_id: str
    subject: str


def ordered(places: Iterable[Place], seed: int) -> list[Place]:
    """The places in the order in which their trials are admitted."""

    def key(place: Place) -> tuple[int, str, str]:
        block = f"{DOMAIN}\0{seed}\0{place.block_id}"
        return place.repetition, sha256_hex(block), sha256_hex(f"{block}\0{place.subject}")

    return sorted(places, key=key)

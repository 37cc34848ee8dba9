"""The demonstration that the package ships is the one its script makes, and it says what it is."""

from __future__ import annotations

import pytest

from tests.demo_recording import FOLDER, files


@pytest.mark.parametrize("name", ["plan.json", "recording.jsonl"])
def test_the_shipped_recording_is_what_the_script_makes(name: str) -> None:
    assert (FOLDER / name).read_text() == files()[name]

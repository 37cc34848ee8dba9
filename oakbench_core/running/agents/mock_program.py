"""The program of the adapter `mock`: does what its one argument says, as a real process with real faults.

It is started as a file, without the package around it, and loads nothing that takes time.
"""

import json
import os
import signal
import subprocess
import sys
import time

FLOOD = 8 << 20
NAMES = {"auth": "provider_auth", "limit": "provider_limit", "outage": "provider_unavailable"}


def main() -> int:
    course = json.loads(sys.argv[1])
    faults, numbers, outcome = course["faults"], course["numbers"], course["outcome"]
    if "stubborn" in faults:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "daemon" in faults:
        subprocess.Popen(["sleep", "86400"], start_new_session=True)  # noqa: S607 - as an agent's own tools are found
    if "flood" in faults:
        os.write(2, b"".join(b"%07d\n" % number for number in range(FLOOD // 8)))
    _say({"type": "mock.begun", "outcome": outcome})
    time.sleep(numbers.get("seconds", 0))
    while outcome == "hang":
        signal.pause()
    if outcome == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if outcome == "pass" and course["work"] is not None:
        done = subprocess.run(["sh", "-ec", course["work"]], stdout=2, check=False)  # noqa: S607 - as above
        if done.returncode:
            return done.returncode
    if "silent" not in faults:
        _say({"type": "mock.result", **_said(numbers, outcome)})
    return int(outcome == "crash")


def _say(event: dict[str, object]) -> None:
    os.write(1, json.dumps(event).encode() + b"\n")


def _said(numbers: dict[str, float], outcome: str) -> dict[str, object]:
    tokens = numbers.get("tokens")
    used: dict[str, object] = {name: numbers[name] for name in ("turns", "tool_calls", "cost_usd") if name in numbers}
    if tokens is not None:
        used |= {"input_tokens": int(tokens) * 4 // 5, "output_tokens": int(tokens) - int(tokens) * 4 // 5}
        used |= {"cached_input_tokens": 0, "cache_write_tokens": 0}
    error = NAMES.get(outcome)
    return {"usage": used, "error": error, "resets_in_s": numbers.get("resets_in_s") if outcome == "limit" else None}


if __name__ == "__main__":
    sys.exit(main())

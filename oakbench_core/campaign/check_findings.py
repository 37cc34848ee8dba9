"""What `check` finds, as a closed list: each finding's sentence, and what to do about it."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, NamedTuple


class FindingCode(StrEnum):
    NOT_RUNNABLE = "not_runnable"
    CHANGED_INPUT = "changed_input"
    MISSING_INSTRUMENT = "missing_instrument"
    SETUP_FAILED = "setup_failed"
    CHECK_UNMEASURED = "check_unmeasured"
    PASSES_UNTOUCHED = "passes_untouched"
    SOLUTION_FAILED = "solution_failed"
    FAILS_AFTER_SOLUTION = "fails_after_solution"
    BROKEN_OFF = "broken_off"
    AGENT_INFRASTRUCTURE = "agent_infrastructure"
    AGENT_TIMED_OUT = "agent_timed_out"
    AGENT_EXIT = "agent_exit"


class Finding(NamedTuple):
    """One thing that would spoil a campaign.

    `workflow`, `task`, `subject`, `agent` and `check` say where; null where it concerns all of them. `detail` is what
    was seen, in one line; `output` the end of what a command printed. Both may be hostile text.
    """

    code: FindingCode
    detail: str | None = None
    output: str = ""
    workflow: str | None = None
    task: str | None = None
    subject: str | None = None
    agent: str | None = None
    check: str | None = None

    @property
    def sentence(self) -> str:
        return _SENTENCES[self.code]

    @property
    def next_step(self) -> str:
        return _NEXT[self.code]


_SENTENCES: Final = {
    FindingCode.NOT_RUNNABLE: "a run would refuse to begin",
    FindingCode.CHANGED_INPUT: "something is not the frozen one, so that a run would stop before this trial",
    FindingCode.MISSING_INSTRUMENT: "a program that the task needs is not on this machine: its trials would be skipped",
    FindingCode.SETUP_FAILED: "the workspace cannot be set up: every trial would be an infrastructure failure",
    FindingCode.CHECK_UNMEASURED: "a check cannot be made here: every trial would be skipped after its agent has run",
    FindingCode.PASSES_UNTOUCHED: "the oracle passes on the untouched fixture: an agent that does nothing succeeds",
    FindingCode.SOLUTION_FAILED: "the solution does not work, so the oracle was not tried on a solved task",
    FindingCode.FAILS_AFTER_SOLUTION: "a check does not pass after the solution: no agent could succeed",
    FindingCode.BROKEN_OFF: "this could not be tried to its end",
    FindingCode.AGENT_INFRASTRUCTURE: "the agent did not get to work: its trials would be infrastructure failures",
    FindingCode.AGENT_TIMED_OUT: "the agent did not end within the task's timeout",
    FindingCode.AGENT_EXIT: "the agent ended by itself, but says by its exit code that something failed",
}
_NEXT: Final = {
    FindingCode.NOT_RUNNABLE: "mend what is said there; a variable is set with `export NAME=…` in the shell that runs",
    FindingCode.CHANGED_INPUT: "put back what was frozen, or freeze another campaign",
    FindingCode.MISSING_INSTRUMENT: "install the program, or take it out of `instruments`; a subject whose binary may "
    "be missing says `may_be_missing = true`",
    FindingCode.SETUP_FAILED: "try the setup command by hand in a copy of the fixture; only PATH, LANG, TZ, TMPDIR, "
    "HOME and `set_env` are in its environment",
    FindingCode.CHECK_UNMEASURED: "install the program, or name another one in the check's `run`",
    FindingCode.PASSES_UNTOUCHED: "add a check that fails until the task is done, such as a test of what is asked for, "
    "or `must_change`",
    FindingCode.SOLUTION_FAILED: "try the solution by hand in a copy of the fixture, after its setup",
    FindingCode.FAILS_AFTER_SOLUTION: "mend the check, or the solution if it does not do what the prompt asks for",
    FindingCode.BROKEN_OFF: "check again; if it comes again, look at the machine (memory, limits of processes)",
    FindingCode.AGENT_INFRASTRUCTURE: "start the agent by hand with the environment that `--prompts` shows: is it "
    "installed, logged in, within its limits?",
    FindingCode.AGENT_TIMED_OUT: "look at its output: an agent that waits for a permission or a login never ends; else "
    "give the task a larger `timeout_s`",
    FindingCode.AGENT_EXIT: "look at its output: a login or a permission may be missing",
}

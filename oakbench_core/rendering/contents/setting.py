"""What was run: when, where, by whom, on which tasks, judged how; and how each run of it ended."""

from __future__ import annotations

import shlex
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from oakbench_core.rendering.numbers import amount, counted
from oakbench_core.rendering.page import Heading, Items, Table, cells, cut, item, value, values
from oakbench_core.rendering.words import RECOVERY, STOP, UNMEASURED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oakbench_core.rendering.page import Item, Part

_MOST_TASKS: Final = 24  # of one workflow in the table; more are counted, and stand in the report's JSON
_YES_NO: Final = {True: "yes", False: "no"}
_MOST_LISTS: Final = 6
_MOST_RUNS: Final = 12
_ACCOUNTING: Final = {
    "provider": "provider",
    "input_includes_cached": "input holds cached tokens",
    "output_includes_reasoning": "output holds reasoning",
    "cost_source": "costs by",
    "price_table": "price table",
}
_NONE: Final = "none named"
_DIGITS: Final = 12  # of a hash: enough to find it by


def what_was_run(summary: Mapping[str, Any]) -> Iterator[Part]:
    setting = next(notice["describes"] for notice in summary["notices"] if "describes" in notice)
    yield Heading("What was run")
    yield Items((*_plan(summary, setting), *_machine(setting), *_execution(summary["execution"])))
    yield from _tasks(setting["workflows"])
    yield _agents(setting["agents"])
    yield _subjects(setting["subjects"])


def _plan(summary: Mapping[str, Any], setting: Mapping[str, Any]) -> Iterator[Item]:
    campaign, counts = summary["campaign"], summary["counts"]
    is_import = campaign["plan_source"] == "import"
    origin = "reconstructed by an import, dated" if is_import else "frozen from a definition on"
    tool = "" if setting["tool"] is None else f" by {cut(setting['tool'])}"
    yield item(f"Plan: {origin} {setting['created_at']}{tool}. SHA-256 {campaign['plan_sha256']}.")
    yield item(
        f"Schedule: {counted(counts['scheduled'], 'trial')} in {counted(setting['blocks'], 'block')}, "
        f"{counted(setting['repetitions'], 'repetition')}, order by seed {setting['seed']}."
    )
    yield item(f"Timeout of a trial's agent: {_timeouts(setting['timeouts_s'])}.")
    parent = campaign["parent"]
    if parent is not None:
        yield item(
            f"A {parent['kind']} of the campaign {cut(parent['campaign_id'])}, plan {parent['plan_sha256']}. "
            "Nothing is pooled over the two."
        )
    if campaign["compares"]:
        yield item(f"Compared on purpose: {', '.join(campaign['compares'])}.")


def _timeouts(timeouts: list[int]) -> str:
    if len(timeouts) == 1:
        return amount(timeouts[0], "s")
    return f"{amount(timeouts[0], 's')} to {amount(timeouts[-1], 's')}, by task"


def _machine(setting: Mapping[str, Any]) -> Iterator[Item]:
    planned, recorded = setting["conditions"], setting["recorded"]
    machines = [planned["runner_class"]] if planned["runner_class"] is not None else recorded["runner_class"]
    systems = f"{_listed(recorded['os'])} on {_listed(recorded['arch'])}"
    yield item(f"Machine: {_listed(machines)}; system recorded: {systems}.")
    words = {"environment isolation": "environment_isolation", "caches": "cache_state", "load": "load_state"}
    yield item("; ".join(f"{name}: {value(planned[key])}" for name, key in words.items()).capitalize() + ".")
    yield item(
        f"Models that answered, as recorded: {_listed(recorded['resolved_model'])}; versions of the agents: "
        f"{_listed(recorded['agent_version'])}."
    )
    counting = (f"{words}: {_listed(setting['accounting'][name])}" for name, words in _ACCOUNTING.items())
    yield item(f"Accounting, as recorded: {'; '.join(counting)}.")


def _listed(recorded: list[Any]) -> str:
    return values([_YES_NO.get(one, one) if isinstance(one, bool) else one for one in recorded] or [None])


def _execution(execution: Mapping[str, Any] | None) -> Iterator[Item]:
    if execution is None:
        yield item("Execution: the events carry no hashes, so when and by whom they were written is not known.")
        return
    yield item(
        f"Records: from {value(execution['first_at'])} to {value(execution['last_at'])}, the longest pause between two "
        f"{amount(execution['longest_pause_s'], 's')}; hosts: {_listed(execution['hosts'])}."
    )
    last = "unmeasured" if execution["last_seq"] is None else f"{execution['last_seq']:,}"
    yield item(f"Last record: number {last}, hash {execution['last_hash']}; writers: {execution['writers']:,}.")
    stops, parallel = execution["stops"], execution["max_parallel"]
    at_once = f", with {', '.join(map(str, sorted(set(parallel))))} at most in flight" if parallel else ""
    yield item(
        f"Runs: {len(parallel):,} opened{at_once}; {len(stops):,} ended in order.",
        within=_runs([f"{STOP[stop['reason']]} (code {stop['code']}), {value(stop['at'])}" for stop in stops]),
    )
    if execution["recoveries"]:
        yield item(
            f"Recoveries of the journal: {len(execution['recoveries']):,}.",
            within=_runs([_recovery(entry) for entry in execution["recoveries"]]),
        )
    if execution["unsafe_filesystem"]:
        yield item("A runner was told to go on although nothing is known of its file system.")


def _runs(lines: list[str]) -> list[str]:
    more = len(lines) - _MOST_RUNS
    return [f"{more:,} earlier ones", *lines[-_MOST_RUNS:]] if more > 0 else lines


def _recovery(entry: Mapping[str, Any]) -> str:
    reserved = "no trial is reserved" if entry["trial_id"] is None else f"reserved: {cut(entry['trial_id'])}"
    return f"{RECOVERY[entry['kind']]}; {reserved}"


def _tasks(workflows: list[Mapping[str, Any]]) -> Iterator[Part]:
    rows = [
        cells(workflow["workflow"], str(workflow["version"]), task["task"], _oracle(task["oracle"]), _prompts(task))
        for workflow in workflows
        if len(workflow["tasks"]) <= _MOST_TASKS
        for task in workflow["tasks"]
    ]
    if rows:
        header = ("workflow", "version", "task", "oracle's checks", "prompts, first digits of their SHA-256")
        yield Table(header, (False, True, False, False, False), tuple(rows))
    if many := [workflow for workflow in workflows if len(workflow["tasks"]) > _MOST_TASKS]:
        yield Items(tuple(map(_many_tasks, many)))


def _oracle(oracle: Mapping[str, Any]) -> str:
    names = [check["name"] for check in oracle["checks"]]
    return f"{values(names) if names else 'none on record'} (version {oracle['version']})"


def _prompts(task: Mapping[str, Any]) -> str:
    return ", ".join(f"{level}: {digits[:_DIGITS]}" for level, digits in task["prompts"].items())


def _many_tasks(workflow: Mapping[str, Any]) -> Item:
    oracles = Counter(_oracle(task["oracle"]) for task in workflow["tasks"])
    levels = sorted({level for task in workflow["tasks"] for level in task["prompts"]})
    more = len(oracles) - _MOST_LISTS
    checks = [f"{counted(count, 'task')}: {text}" for text, count in oracles.most_common(_MOST_LISTS)]
    return item(
        f"Workflow {workflow['workflow']}, version {workflow['version']}: {len(workflow['tasks']):,} tasks, each "
        f"listed in the report's JSON; instruction levels: {', '.join(levels)}. The oracle's checks:",
        within=[*checks, *([f"{more:,} more lists of checks"] if more > 0 else [])],
    )


def _agents(agents: list[Mapping[str, Any]]) -> Table:
    rows = [
        cells(
            agent["agent"],
            f"{agent['adapter']}, a mock" if agent["mock"] else agent["adapter"],
            _command(agent["argv"]),
            _NONE if agent["model"] is None else cut(agent["model"]),
            value(agent["version"]),
            f"{agent['home']}; {', '.join([*agent['env'], *agent['set_env']]) or 'no variables of its own'}",
        )
        for agent in agents
    ]
    header = ("agent", "adapter", "command", "model asked for", "version", "HOME and variables, by name")
    return Table(header, (False,) * len(header), tuple(rows))


def _command(argv: list[str]) -> str:
    return cut(shlex.join(argv)) if argv else _NONE


def _subjects(subjects: list[Mapping[str, Any]]) -> Table:
    rows = [
        cells(
            subject["subject"],
            _NONE if subject["binary"] is None else cut(subject["binary"]),
            value(subject["version"]),
            UNMEASURED if subject["binary_sha256"] is None else subject["binary_sha256"][:_DIGITS],
            _change(subject["agent"]),
        )
        for subject in subjects
    ]
    header = ("subject", "program", "version", "program's SHA-256", "what it changes of the agent")
    return Table(header, (False,) * len(header), tuple(rows))


def _change(change: Mapping[str, Any] | None) -> str:
    if change is None:
        return "nothing"
    parts = {
        "adapter": change["adapter"],
        "command": None if change["argv"] is None else _command(change["argv"]),
        "model": change["model"],
    }
    named = [f"{name} {cut(text)}" for name, text in parts.items() if text is not None]
    return ", ".join(named) or "its variables, prices or weights"

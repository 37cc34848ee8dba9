"""The HTML report: one file that runs nothing and loads nothing, shows hostile text, and draws what the tables say."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from oakbench_core import load_plan, read_journal
from oakbench_core.campaign.intake import fold
from oakbench_core.campaign.plan import plan_from_document
from oakbench_core.campaign.report import report_ledger
from oakbench_core.campaign.vocabulary import Standing
from oakbench_core.rendering.html import render_html
from oakbench_core.rendering.markdown import render_markdown
from oakbench_core.rendering.svg_matrix import KINDS
from tests.campaigns import Json, folded, plan, plan_document, recovered, run, sealed, started
from tests.laws.strategies_report import Campaign, campaigns, report

if TYPE_CHECKING:
    from oakbench_core.campaign.ledger import Ledger

RECORDED = Path(__file__).resolve().parent.parent / "recorded"
HOSTILE = "\x1b[2J\u202e</title></svg><script>alert(1)</script><img src=x onerror=alert(1)> \" ' & javascript:x"
MAY_STAND = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "ul", "li", "strong", "div"),
    *("table", "thead", "tbody", "tr", "th", "td", "figure", "figcaption"),
    *("svg", "desc", "defs", "pattern", "path", "rect", "line", "circle", "text", "g"),
}
EMPTY = {"meta"}
ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "scope", "tabindex", "role", "id", "style"),
    *(
        "aria-labelledby",
        "aria-hidden",
        "viewbox",
        "width",
        "height",
        "x",
        "y",
        "x1",
        "x2",
        "y1",
        "y2",
        "cx",
        "cy",
        "r",
    ),
    *("d", "transform", "patternunits", "patterntransform", "stroke-width", "fill"),
}


class Reading(HTMLParser):
    """What a browser would find: every element closed in its order, its attributes, its text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)

    @property
    def words(self) -> str:
        return "".join(self.text)


def of_ledger(ledger: Ledger, **arguments: Any) -> str:
    return render_html(report_ledger(ledger), ledger, **arguments)


@pytest.fixture(scope="module")
def demo() -> str:
    frozen = load_plan(RECORDED)
    return of_ledger(read_journal(RECORDED, frozen).ledger)


def assert_inert(text: str) -> None:
    """Nothing that runs, nothing that loads, nothing but what we put there."""
    for tag, attributes in Reading(text).elements:
        assert tag in MAY_STAND
        assert attributes.keys() <= ATTRIBUTES
    assert not re.search(r"(?i)<script|javascript:|url\((?!#)|@import|src=|href=|\son[a-z]+=", markup_only(text))


def markup_only(text: str) -> str:
    """The document without what stands between its elements."""
    return "".join(re.findall(r"<style>.*?</style>|<[^>]*>", text, re.DOTALL))


def test_the_file_runs_nothing_loads_nothing_and_is_well_formed(demo: str) -> None:
    assert_inert(demo)
    assert "default-src 'none'" in demo
    assert demo.startswith("<!doctype html>\n")


def test_every_drawing_is_sound_xml_with_a_title_and_a_description(demo: str) -> None:
    drawings = re.findall(r"<svg role.*?</svg>", demo, re.DOTALL)
    names = []
    for drawing in drawings:
        root = ET.fromstring(drawing)  # noqa: S314 - our own output
        title, description = root[0], root[1]
        assert (title.tag, description.tag) == ("title", "desc")
        assert title.text
        assert description.text
        assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
        names.append(title.get("id"))
    assert len(drawings) > 4
    assert len(set(names)) == len(names)


def test_hostile_text_is_shown_and_not_obeyed() -> None:
    document = plan_document(repetitions=2)
    document["agents"]["a"]["argv"] = ["run", HOSTILE]
    document["agents"]["a"]["model"] = HOSTILE
    document["subjects"]["git"]["version"] = HOSTILE
    for trial in document["schedule"]:
        trial["model"] = HOSTILE
    p = plan_from_document(sealed(document))
    events = [*run(p, 0, population={"os": HOSTILE, "resolved_model": HOSTILE}), *run(p, 1), *run(p, 2)]
    text = of_ledger(fold(p, events))

    assert_inert(text)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "\\x1b[2J\\u202e</title></svg><script>alert(1)" in Reading(text).words


def test_the_words_are_those_of_the_markdown(demo: str) -> None:
    frozen = load_plan(RECORDED)
    markdown = render_markdown(report_ledger(read_journal(RECORDED, frozen).ledger))
    words = Reading(demo).words

    for line in markdown.splitlines():
        plain = re.sub(r"^(#+|\s*-) |\*\*", "", line).replace("\\", "")
        if not plain.startswith("|"):
            assert plain in words
        else:
            for cell in filter(None, (cell.strip() for cell in plain.split("|"))):
                assert cell in words or set(cell) <= set("-:")


@pytest.mark.clause("A10-26")
def test_every_scheduled_trial_is_one_shape_of_the_matrix(demo: str) -> None:
    ledger = read_journal(RECORDED, load_plan(RECORDED)).ledger
    drawn = dict.fromkeys(KINDS.values(), 0)
    for kind, path in re.findall(r'<path class="([a-z_]+)" d="([^"]*)"', demo):
        drawn[kind] += path.count("M")
    legend = {
        kind for kind in drawn if any(ledger.tallies[standing] for standing in Standing if KINDS[standing] == kind)
    }

    for kind, number in drawn.items():
        expected = sum(ledger.tallies[standing] for standing in Standing if KINDS[standing] == kind)
        assert number - (kind in legend) == expected  # the legend shows each once more


def test_a_shape_tells_each_state_from_every_other_without_colour() -> None:
    from oakbench_core.rendering.svg_matrix import _SHAPES

    assert set(_SHAPES) == set(KINDS.values())
    assert len(set(_SHAPES.values())) == len(_SHAPES)


def test_blocks_without_all_verdicts_and_other_timeouts_are_marked() -> None:
    p = plan(tasks=["t"], repetitions=2)
    text = of_ledger(folded(p, *run(p, 0, timeout_s=99), *run(p, 1), recovered(p, 2)))

    assert ">● t 1</text>".replace(">●", "</title>●") in text
    assert "</title>○ t 2</text>" in text
    assert "w.t.plain.a.r002: git uncertain; hg unstarted" in text
    assert text.count('<path class="late"') == 1


def test_what_is_withheld_has_no_line_in_a_plot() -> None:
    p = plan(tasks=["t"], repetitions=2)
    partial, whole = of_ledger(folded(p, *run(p, 0))), of_ledger(folded(p, *(e for n in range(4) for e in run(p, n))))

    assert 'class="interval"' not in partial
    assert whole.count('class="interval"') == 3  # two groups and their pair
    assert 'class="final"' not in partial
    assert whole.count('<circle class="final"') == 3


def test_a_campaign_that_never_started_draws_its_plan() -> None:
    text = of_ledger(folded(plan()))

    assert_inert(text)
    assert "Coverage of resources" not in text
    assert text.count("M", text.index('<path class="unstarted" d="')) > 8


def test_more_blocks_than_can_be_read_are_drawn_without_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oakbench_core.rendering.svg_matrix._MOST_NAMED", 3)
    p = plan()
    text = of_ledger(folded(p))

    assert "○" not in re.sub(r"<figcaption>.*?</figcaption>", "", text)
    assert_inert(text)


def test_a_live_writer_is_said() -> None:
    p = plan()
    ledger = folded(p, started(p, 0))

    assert "A runner was writing this journal" in of_ledger(ledger, writer_alive=True)
    assert "A runner was writing this journal" not in of_ledger(ledger)


@settings(max_examples=25)
@given(campaigns())
def test_any_campaign_gives_a_sound_and_inert_file(campaign: Campaign) -> None:
    events = [event for trial in campaign.events() for event in trial]
    ledger = fold(campaign.plan, events)
    summary: Json = report(campaign)
    text = render_html(summary, ledger)

    assert_inert(text)
    for drawing in re.findall(r"<svg role.*?</svg>", text, re.DOTALL):
        ET.fromstring(drawing)  # noqa: S314 - our own output
    assert "nan" not in markup_only(text)

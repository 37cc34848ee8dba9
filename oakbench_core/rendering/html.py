"""A report's summary and ledger → one HTML file: no script, nothing from elsewhere, drawings inside.

Rule: the words are those of the Markdown, from the same page; the drawings show the same entries. Whatever any text
holds, the file shows it and does not obey it: the browser is told to run nothing and to load nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oakbench_core.rendering.contents.report import report_page
from oakbench_core.rendering.html_style import PATTERNS, STYLE
from oakbench_core.rendering.markup import Drawings, shown
from oakbench_core.rendering.page import Figure, Heading, Items, Paragraph, Strong, Table, cut
from oakbench_core.rendering.svg_matrix import block_matrices, legend
from oakbench_core.rendering.svg_plots import coverage, group_intervals, pair_differences, states

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oakbench_core.campaign.ledger import Ledger
    from oakbench_core.rendering.page import Part, Words

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_GROUPS_CAPTION: Final = (
    "Dot: the fraction of started trials, filled if final. Line: Wilson's 95 % interval, where it is given. Hatched: "
    "the bounds over scheduled trials, which no missing trial can leave."
)
_PAIRS_CAPTION: Final = (
    "Dot: the difference over complete blocks, filled if final. Thick line: bootstrap 95 % interval; thin line: "
    "Newcombe's; both only where they are given. Hatched: the bounds over scheduled blocks. Descriptive, not adjusted "
    "for the number of pairs."
)
_BLOCKS_CAPTION: Final = (
    "A line a block (its task and repetition), a shape a trial. ●: every trial of the block has a verdict; ○: some has "
    "none. Underlined: the recorded timeout is not the frozen one."
)


def render_html(summary: Mapping[str, Any], ledger: Ledger, *, writer_alive: bool = False) -> str:
    """The whole report as one HTML document.

    Args:
        summary: what `report_ledger` made of this ledger.
        ledger: every scheduled trial, for the matrix of blocks.
        writer_alive: say that a runner was writing the journal when it was read.
    """
    drawings = Drawings()
    title = shown(cut(summary["campaign"]["campaign_id"]))
    body = "".join(
        text
        for part in report_page(summary, writer_alive=writer_alive)
        for text in (_figure(part, drawings, ledger) if isinstance(part, Figure) else _element(part))
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}: diagnostic agent campaign report</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"{PATTERNS}<main>\n{body}</main>\n</body>\n</html>\n"
    )


def _element(part: Part) -> Iterator[str]:
    match part:
        case Heading(text, level):
            yield f"<h{level}>{shown(text)}</h{level}>\n"
        case Paragraph(words):
            yield f"<p>{_words(words)}</p>\n"
        case Items(entries):
            yield "<ul>\n"
            for entry in entries:
                within = "".join(f"<li>{shown(text)}</li>" for text in entry.within)
                yield f"<li>{_words(entry.words)}{within and f'<ul>{within}</ul>'}</li>\n"
            yield "</ul>\n"
        case Table():
            yield from _table(part)


def _table(table: Table) -> Iterator[str]:
    chosen = [' class="figure"' if figure else "" for figure in table.figures]
    header = "".join(
        f'<th scope="col"{kind}>{shown(text)}</th>' for text, kind in zip(table.header, chosen, strict=True)
    )
    yield f'<div class="wide" tabindex="0"><table>\n<thead><tr>{header}</tr></thead>\n<tbody>\n'
    for row in table.rows:
        cells = "".join(f"<td{kind}>{_words(words)}</td>" for words, kind in zip(row, chosen, strict=True))
        yield f"<tr>{cells}</tr>\n"
    yield "</tbody></table></div>\n"


def _words(words: Words) -> str:
    return "".join(
        f"<strong>{shown(word.text)}</strong>" if isinstance(word, Strong) else shown(word) for word in words
    )


def _figure(figure: Figure, drawings: Drawings, ledger: Ledger) -> Iterator[str]:
    match figure.kind:
        case "trials":
            yield _framed(states(drawings, figure.about), None)
        case "groups":
            yield _framed(group_intervals(drawings, figure.about), _GROUPS_CAPTION)
        case "pairs":
            yield _framed(pair_differences(drawings, figure.about), _PAIRS_CAPTION)
        case "coverage" if figure.about["counts"]["started"]:
            yield _framed(coverage(drawings, figure.about), "Solid: observed. Hatched: unmeasured.")
        case "blocks":
            yield "<h2>Blocks</h2>\n"
            yield _framed(legend(drawings, ledger), _BLOCKS_CAPTION)
            for name, matrix in block_matrices(drawings, ledger):
                yield f"<h3>{shown(name)}</h3>\n{_framed(matrix, None)}"


def _framed(drawing: str, caption: str | None) -> str:
    said = "" if caption is None else f"<figcaption>{shown(caption)}</figcaption>"
    return f'<figure><div class="wide" tabindex="0">{drawing}</div>{said}</figure>\n'

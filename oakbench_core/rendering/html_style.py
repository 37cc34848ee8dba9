"""How the HTML report looks: one style sheet for light and dark screens and for paper.

Rule: no state is a colour alone. Solid is observed, hatched is not known, dots are not yet; blue against orange is told
apart by nearly everybody, and each state has a shape of its own.
"""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --text: #1c2430; --soft: #5a6675; --line: #d3d9e0; --page: #ffffff; --panel: #f5f7f9;
  --blue: #1f5fa8; --orange: #b8500a; --amber: #8a6100; --grey: #8a95a3; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e9ef; --soft: #a2aebb; --line: #3a4552; --page: #14191f;
  --panel: #1d242c; --blue: #6aaef5; --orange: #f0955a; --amber: #dfb64c; --grey: #7a8694; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 64rem; background: var(--page); color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .6rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
p, ul { margin: .5rem 0; max-width: 46rem; }
ul { padding-left: 1.2rem; }
ul ul { margin: .1rem 0; color: var(--soft); }
.wide { overflow-x: auto; margin: .7rem 0 1rem; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem .25rem 0; text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--line); }
td { border-bottom: 1px solid var(--line); }
th.figure, td.figure { text-align: right; padding-left: .7rem; }
td.figure { white-space: nowrap; }
th:first-child { min-width: 9rem; }
figure { margin: .8rem 0 1.2rem; }
figcaption { color: var(--soft); font-size: .85rem; max-width: 46rem; }
svg { display: block; max-width: none; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
svg text { fill: var(--text); }
svg text.row, svg .row { font-size: 11px; }
svg text.soft, svg text.end { fill: var(--soft); }
svg text.end { text-anchor: end; }
svg text.middle { fill: var(--soft); text-anchor: middle; }
svg .axis { stroke: var(--line); stroke-width: 1; }
svg .zero { stroke: var(--soft); stroke-width: 1; }
svg .interval { stroke: var(--blue); stroke-width: 3; }
svg .companion { stroke: var(--soft); stroke-width: 1; }
svg .bounds { fill: url(#hatch); stroke: var(--line); stroke-width: .5; }
svg .final { fill: var(--text); stroke: var(--text); stroke-width: 1.5; }
svg .open { fill: var(--page); stroke: var(--text); stroke-width: 1.5; }
svg .seen { fill: var(--blue); }
svg .unseen { fill: url(#hatch); stroke: var(--line); stroke-width: .5; }
svg .late { stroke: var(--amber); stroke-width: 2; fill: none; }
svg .verified_success { fill: var(--blue); }
svg .task_failure { fill: none; stroke: var(--orange); stroke-width: 2.2; }
svg .timed_out { fill: none; stroke: var(--orange); stroke-width: 1.6; }
svg .infrastructure_failure { fill: var(--amber); }
svg .skipped { fill: none; stroke: var(--grey); stroke-width: 1.6; }
svg .interrupted { fill: none; stroke: var(--amber); stroke-width: 2.4; }
svg .uncertain { fill: none; stroke: var(--amber); stroke-width: 1.6; }
svg .unstarted { fill: var(--grey); }
svg .b-verified_success { fill: var(--blue); }
svg .b-task_failure { fill: var(--orange); }
svg .b-timed_out { fill: var(--orange); opacity: .6; }
svg .b-infrastructure_failure { fill: var(--amber); }
svg .b-skipped { fill: url(#hatch); }
svg .b-interrupted { fill: url(#hatch); stroke: var(--amber); }
svg .b-unstarted { fill: url(#dots); }
svg #hatch path, svg #hatch { stroke: var(--grey); }
@media print { :root { --text: #000; --soft: #333; --line: #aaa; --page: #fff; --panel: #fff; --blue: #1f5fa8;
  --orange: #b8500a; --amber: #8a6100; --grey: #777; } body { max-width: none; padding: 0; font-size: 10pt; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } h2, h3 { break-after: avoid; }
  tr, figure, svg { break-inside: avoid; } .wide { overflow: visible; } svg { max-width: 100%; height: auto; } }
"""

PATTERNS: Final = (
    '<svg width="0" height="0" aria-hidden="true" style="position:absolute"><defs>'
    '<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<path d="M0 0v6" stroke-width="2.5" fill="none"/></pattern>'
    '<pattern id="dots" width="7" height="7" patternUnits="userSpaceOnUse">'
    '<circle class="unstarted" cx="3" cy="3.5" r="1.2"/></pattern></defs></svg>\n'
)

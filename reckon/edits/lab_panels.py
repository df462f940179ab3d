"""The What if? panels of the site as outputs of JupyterLab: the same scripts, the same data."""

from __future__ import annotations

import functools

import yaml

from reckon.config import ROOT
from reckon.edits import what_if_panels
from reckon.records.quantities.result import Result
from reckon.records.run_files.models import Run
from reckon.show.block import what_if_element

# An output has scripts, data and state of its own, so that several notebooks may be open. Without
# the attribute JupyterLab would take the keys that move a slider.
_PANEL = """<div class="reckon-lab" data-lm-suppress-shortcuts="true"><style>{style}</style>
{anchor}
{data}
<script>{{
const root = document.currentScript.parentElement;
const window = {{ addEventListener() {{}} }};
{scripts}
window.reckon.makePanels(root);
}}</script></div>"""


def html(results: list[Result], run: Run) -> str:
    """A panel that changes the inputs of these results' current predictions; "" if none can be."""
    data = what_if_panels.data_of(results, run.name, results[0].experiment)
    if not any("slider" in input_ for input_ in data["inputs"]):
        return ""
    style, scripts = _sources()
    return _PANEL.format(
        style=style,
        anchor=what_if_element(result.quantity for result in results),
        data=what_if_panels.element({**data, "rules": what_if_panels.rules()}),
        scripts=scripts,
    )


@functools.cache
def _sources() -> tuple[str, str]:
    """The style and the scripts of the panels, in the site's order."""
    site = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]["config"]
    static = ROOT / "book" / "static"
    of_whole_pages = (
        "book.js",
        "guesses.js",
        "kept.js",
        "math.js",
        "predict-first.js",
        "predict-form.js",
        "reckon.js",
        "runs.js",
        "storage.js",
    )
    names = [name for name in site["html_js_files"] if name not in of_whole_pages]
    scripts = "\n".join((static / name).read_text("utf-8") for name in names)
    return (static / "what-if.css").read_text("utf-8"), scripts

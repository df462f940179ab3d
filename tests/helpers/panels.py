"""Pages that hold nothing but what-if panels of the recorded run."""

import yaml

from helpers.project import RECORDED
from reckon import records
from reckon.config import ROOT
from reckon.presentation import what_if_panels as panels
from reckon.presentation.block import what_if_anchor
from reckon.records.lookup import all_results

RUN = RECORDED / "recorded"
EXPERIMENTS = [
    name for name in records.experiments(RUN) if not name.startswith(records.METHODS_PREFIX)
]
NULL_CALL = "cpu/syscall/getpid"
SITE = yaml.safe_load((ROOT / "_config.yml").read_text())["sphinx"]["config"]


def html(experiment, groups):
    anchors = "".join(f"<p>Predicted.</p>{_element(what_if_anchor(group))}" for group in groups)
    spans = "".join(
        f'<span data-quantity="{NULL_CALL}" data-shows="{what}">sealed {what}</span> '
        for what in ("predicted", "ratio", "interval", "verdict")
    )
    spans += (
        f'<i class="track" data-track="{NULL_CALL}" style="--predicted: 30%; --measured: 70%"></i>'
    )
    static = (ROOT / "book" / "static").as_uri()
    scripts = "".join(f"<script src='{static}/{name}'></script>" for name in SITE["html_js_files"])
    return (
        "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<title>A page</title><link rel=stylesheet href='{static}/what-if.css'>{scripts}"
        f"<main>{anchors}<p>{spans}</p></main>"
        f"{_element(panels.script(RUN, experiment))}"
    )


def _element(raw_html: str) -> str:
    """The HTML of a raw directive."""
    return raw_html.split("\n")[1]


def results_of(experiment):
    return {result.quantity: result for result in all_results(RUN, experiment)}


def null_call():
    return results_of("cpu/syscall")[NULL_CALL]

"""Pages that hold nothing but what-if panels of the recorded run."""

import functools
import json

import yaml

from helpers.project import RECORDED
from reckon import records
from reckon.book.staging.stage import inputs_of_book
from reckon.config import ROOT
from reckon.edits import what_if_panels as panels
from reckon.records.quantities.lookup import all_results
from reckon.records.quantities.recorded_predictions import needed_guesses, to_prediction
from reckon.show.block import what_if_anchor
from reckon.show.titles import title_of

RUN = RECORDED / "recorded"
EXPERIMENTS = records.own_experiments(RUN)
NULL_CALL = "cpu/syscall/getpid"
SITE = yaml.safe_load((ROOT / "_config.yml").read_text())["sphinx"]["config"]


def html(experiment, groups, article="", style="", run=RUN):
    """A page with a panel for each group; `article`: cells as a chapter has them, `style` more CSS."""
    anchors = "".join(f"<p>Predicted.</p>{_element(what_if_anchor(group))}" for group in groups)
    spans = "".join(
        f'<span data-quantity="{NULL_CALL}" data-shows="{what}">sealed {what}</span> '
        for what in ("predicted", "ratio", "interval", "verdict")
    )
    spans += f'<i class="track" data-track="{NULL_CALL}" style="--predicted: 30%; --measured: 70%; --low: 60%"></i>'
    static = (ROOT / "book" / "static").as_uri()
    sheets = "".join(
        f"<link rel=stylesheet href='{static}/{name}'>" for name in SITE["html_css_files"][1:]
    )
    scripts = "".join(f"<script src='{static}/{name}'></script>" for name in SITE["html_js_files"])
    scripts += f"<script>Object.assign(reckonBook, {json.dumps(of_book())})</script>"
    return (
        "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        f"<html lang=en><title>A page</title>{sheets}<style>{style}</style>{scripts}"
        f"<main>{anchors}<p>{spans}</p>{article and _article(article)}</main>"
        f"{panels.element({**panels.panel_data(run, experiment), 'rules': panels.rules()})}"
    )


@functools.cache
def of_book() -> dict[str, dict]:
    """What the pages know of all quantities: what each is called, its inputs."""
    inputs = inputs_of_book(RUN)
    return {"titles": {quantity: title_of(quantity) for quantity in inputs}, "inputs": inputs}


def _article(cells: str) -> str:
    return f"<article class=bd-article><h1>A chapter</h1>{cells}</article>"


def cell(output: str, tags: str = "") -> str:
    """A cell's output as MyST-NB writes it."""
    return f'<div class="cell {tags}"><div class=cell_output>{output}</div></div>'


def _element(raw_html: str) -> str:
    """The HTML of a raw directive."""
    return raw_html.split("\n")[1]


def results_of(experiment):
    return {result.quantity: result for result in all_results(RUN, experiment)}


def null_call():
    return results_of("cpu/syscall")[NULL_CALL]


def needed_kernel_path(result):
    """The value with which the prediction meets the measurement."""
    return str(needed_guesses(result, to_prediction(NULL_CALL, result.current))["kernel_path"])


def panel(page, number=0):
    """A what-if panel of the page, opened."""
    box = page.locator("details.what-if").nth(number)
    if not box.evaluate("box => box.open"):
        box.locator("> summary").click()
    return box


def field(box, label):
    """The field of an input in a panel."""
    return box.get_by_label(label, exact=True)

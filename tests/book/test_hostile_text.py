"""What a host, a file or a record says, and what any user of Jupyter may write in a cell, comes out of a
whole build as it is, in the site and in the PDFs."""

import html
import json
import re
import subprocess

import nbformat
import pytest
from helpers.books import ShortRecordedProject
from helpers.capabilities import installed
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

pytestmark = pytest.mark.book

HOSTILE = (
    r"<script>alert(1)</script> {raw}(x) $\input{/etc/passwd}$ \end{document} {{ run }} "
    r"[a](https://example.org) _slanted_ **bold** | &amp; 5 % #1 ^2 ~3"
)
PAGES = ["machine", "network/connect", "summary", "machines"]
ODD_PAGE = "status"
STEPS = [f"the_time_of_step_{number}" for number in range(12)]
CELLS = {
    "parameters": "profile = run = None",
    "update": """import reckon as rk
rk.begin(profile=profile, run=run)
from IPython.display import clear_output, display
display("shown first", display_id="a")
from IPython.display import update_display
update_display("shown later", display_id="a")""",
    "clear": """print("cleared away")
clear_output()
print("left over")""",
    "progress": """from tqdm import tqdm
for step in tqdm(range(7), desc="steps"):
    pass""",
    "await": """import asyncio
print(await asyncio.sleep(0, "awaited"))""",
    "time": "%time print('timed')",
    "bash": "%%bash\necho from-bash",
    "shell": "!echo from-the-shell",
    "error": "1 / 0",
    "frame": "import pandas\npandas.DataFrame({'latency': [12.5, 13.5]})",
    "figure": "import matplotlib.pyplot as plt\nplt.plot([1, 2]);",
    "seaborn": "import seaborn\nseaborn.lineplot(x=[1, 2], y=[1, 3]);",
    "plotly": """display({"application/vnd.plotly.v1+json": {"data": []}, "text/plain": "Figure()",
         "text/html": "<div></div><script src='https://cdn.plot.ly/plotly.js'></script>"}, raw=True)""",
    "widget": """display({"application/vnd.jupyter.widget-view+json": {"model_id": "1"},
         "text/plain": "IntSlider(value=3)"}, raw=True)""",
    "bar": """display({"application/vnd.jupyter.widget-view+json": {"model_id": "2"},
         "text/plain": "8%|#  | 1/12"}, raw=True)""",
    "controls": "print('bell\\x07, \\x1b[2Kerased, 12 μs, ' + 6000 * 'w')",
    "long": "print('x' * 100 + '\\n', end='')\nprint(('y' * 99 + '\\n') * 200_000)",
    "formula": f"""from IPython.display import Markdown
from reckon.show.formulas import formula_block
@rk.predict("odd/cells/steps", unit="ns", kind="plain")
def steps({", ".join(STEPS)}):
    return {" + ".join(STEPS)}
Markdown(formula_block(steps(**{{name: rk.given(7, "ns", "made up") for name in {STEPS}}})))""",
    "last": "print('the end')",
}
TAGS = {"parameters": ["parameters"], "time": ["hide-input"], "error": ["raises-exception"]}
SHOWN = (
    "shown later",
    "left over",
    "7/7",
    "awaited",
    "timed",
    "from-bash",
    "from-the-shell",
    "a division by 0 has no value",
    "latency",
    "Figure is interactive",
    "IntSlider is interactive",
    "This output is interactive",
    "bell, erased, 12 ",
    "20,000 of 20,000,1",
    "the end",
)
NOT_SHOWN = ("shown first", "cleared away", "0/7", "cdn.plot.ly", "ZeroDivisionError", "requirejs")


class HostileProject(ShortRecordedProject):
    """A short book of the recorded run whose texts from outside are all hostile. One page has the odd
    cells, and the metadata of Colab and VS Code."""

    def __init__(self, base):
        pages = [f"notebooks/{page}" for page in [*PAGES, ODD_PAGE]]
        super().__init__(base, [*pages, "book/bibliography"])
        self._write_odd_page()
        run = base / "book/runs/recorded"
        self._edit(run / "run.json", self._describe)
        for path in run.rglob("*/*.json"):
            self._edit(path, self._refuse)

    def _write_odd_page(self):
        cells = [
            new_code_cell(source, id=name, metadata={"tags": TAGS.get(name, ["remove-input"])})
            for name, source in CELLS.items()
        ]
        metadata = {
            "colab": {"provenance": []},
            "kernelspec": {"name": "an-environment", "display_name": "Python 3"},
            "vscode": {"interpreter": {"hash": "0"}},
        }
        notebook = new_notebook(cells=[new_markdown_cell("# Odd cells", id="title"), *cells])
        notebook.metadata.update(metadata)
        nbformat.write(notebook, self.base / "notebooks" / f"{ODD_PAGE}.ipynb")

    @staticmethod
    def _edit(path, change):
        data = json.loads(path.read_text())
        change(data)
        path.write_text(json.dumps(data))

    @staticmethod
    def _describe(run):
        for facts in run["machine"].values():
            for fact in facts.values():
                if isinstance(fact["value"], str):
                    fact["value"] = HOSTILE
                fact["source"] = HOSTILE
        for check in run["fitness"]:
            check["found"] = HOSTILE

    @staticmethod
    def _refuse(record):
        """Most quantities are unsupported; of the others a later attempt has failed."""
        for number, quantity in enumerate(record["quantities"].values()):
            if quantity["measurement"] and number % 4:
                quantity["measurement"].update(state="unsupported", reason=HOSTILE, points=[])
            elif quantity["measurement"]:
                quantity["measurement"].update(peer=HOSTILE)
                attempt = {"at": "2026-01-01T00:00:00Z", "state": "failed", "reason": HOSTILE}
                quantity["attempt"] = {**attempt, "profile": "quick"}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The project, built."""
    project = HostileProject(tmp_path_factory.mktemp("hostile") / "project")
    done = project.build()
    assert done.returncode == 0, done.stdout + done.stderr
    return project


def words(markup):
    """The text of a page, on one line."""
    shown = re.sub(r"<(script|style)\b.*?</\1>", "", markup, flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", shown)).split())


def test_the_site_shows_hostile_text_as_it_is(hostile):
    for page in [f"notebooks/{page}" for page in PAGES] + ["book/intro"]:
        markup = hostile.html(page)
        assert "<script>alert" not in markup and 'href="https://example.org"' not in markup, page
        assert HOSTILE in words(markup), page
        whole_tags = words(markup).count("<script>alert(1)</script>")
        assert words(markup).count("alert(1)") == whole_tags, page


def test_odd_cells_are_right_on_the_site(hostile):
    page = hostile.html(f"notebooks/{ODD_PAGE}")
    text = re.sub("<[^>]*>", "", page)
    assert [words for words in SHOWN if words not in text] == []
    assert [words for words in NOT_SHOWN if words in page] == []
    assert page.count("<img") >= 2  # both figures
    assert len(page) < 200_000


def test_the_pdfs_print_hostile_text_and_odd_cells_as_they_are(hostile):
    installed("xelatex", "pdftotext")
    for name in ("reckon", "reckon-full"):
        source = (hostile.base / f"_build/latex/{name}.tex").read_text()
        assert source.count(r"\end{document}") == 1 and r"\input{/etc" not in source
        command = ["pdftotext", hostile.base / f"_build/html/{name}.pdf", "-"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        printed = " ".join(printed.split())
        assert HOSTILE in printed, name
        log = (hostile.base / f"_build/latex/{name}.log").read_text(errors="replace")
        wide = re.findall(
            r"Overfull \\hbox \((\d+)[^)]*\) detected", log
        )  # a formula, no paragraph
        assert [points for points in wide if int(points) > 5] == []
    assert [words for words in (*SHOWN, "12 µs, ww") if words not in printed] == []  # in full

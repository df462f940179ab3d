"""What any user of Jupyter may write in a cell comes out right on the site and in the PDF."""

import re
import subprocess

import nbformat
import pytest
from helpers.books import RecordedProject
from helpers.capabilities import need
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from reckon.book.sphinx import have_tex

pytestmark = pytest.mark.book

PAGE = "machines"
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


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A part of the book, whose page has these cells and the metadata of Colab and VS Code."""
    project = RecordedProject(tmp_path_factory.mktemp("odd"))
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
    nbformat.write(notebook, project.base / "notebooks" / f"{PAGE}.ipynb")
    only_site = () if have_tex() else ("--html",)
    project.done = project.build("--pages", PAGE, *only_site)
    return project


def test_odd_cells_are_right_on_the_site(project):
    assert project.done.returncode == 0, project.done.stdout + project.done.stderr
    page = project.html(f"notebooks/{PAGE}")
    text = re.sub("<[^>]*>", "", page)
    assert [words for words in SHOWN if words not in text] == []
    assert [words for words in NOT_SHOWN if words in page] == []
    assert page.count("<img") >= 2  # both figures
    assert len(page) < 200_000


def test_odd_cells_are_right_in_the_pdf(project):
    need(have_tex(), "TeX is not installed")
    pdf = project.base / "_build/html/reckon-full.pdf"
    text = subprocess.run(
        ["pdftotext", pdf, "-"], capture_output=True, text=True, check=True
    ).stdout
    text = " ".join(text.split())
    assert [words for words in (*SHOWN, "12 µs, ww") if words not in text] == []

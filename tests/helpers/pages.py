"""What a page shows a reader, as text: its outputs in order, and the data of its figures.

`make expected` (this module as a program) writes it to tests/expected/PAGE.md, from the recorded run.
"""

import csv
import json
import os
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat

from helpers.project import LIBRARY, RECORDED, ROOT, make_tests_library, share_statistics
from reckon import records
from reckon.book import contents
from reckon.book.page_process import Job, NotebookExecution, PageProcess
from reckon.build_context import BuildContext
from reckon.config import Settings

EXPECTED = ROOT / "tests" / "expected"
ROWS_SHOWN = 24  # of a figure's data; a longer table is shown by this number of rows, and its sums
DIGITS = 6  # the last bits of a float differ from one processor to another
# Where a script puts what is to be changed.
_WITHOUT_TEXT = re.compile(r'\n\n```\{raw\} html\n<div class="reckon-what-if"[^\n]*\n```')


def expected_path(page: str) -> Path:
    return EXPECTED / f"{page}.md"


def copy_recorded(folder: Path) -> Path:
    """A copy of the recorded run in that folder, for `outputs` to read."""
    return Path(shutil.copytree(RECORDED / "recorded", folder / "runs" / "recorded"))


def outputs(page: str, folder: Path) -> list:
    """Execute the page against the run in that folder; the outputs of its cells, in order."""
    settings = Settings(
        profile="quick",
        run="recorded",
        build_dir=folder / "_build",
        library_dir=LIBRARY,
        runs_dir=folder / "runs",
        machine_toml=folder / "machine.toml",
    )
    share_statistics(settings.build_dir)
    build = BuildContext(folder / "events", folder / "reads")
    work = NotebookExecution(contents.source(page))
    job = Job(work, ROOT, folder / "log", settings, build)
    return _outputs_of(PageProcess(job).result())


def _outputs_of(executed: str) -> list:
    cells = nbformat.reads(executed, 4).cells
    return [output for cell in cells for output in cell.get("outputs", [])]


def output_text(output) -> str:
    if output.output_type == "stream":
        return output.text.rstrip()
    shown = output.data.get("text/markdown") or output.data["text/plain"]
    return _WITHOUT_TEXT.sub("", shown)


def text(page: str, folder: Path) -> str:
    """What the page shows of the run in that folder."""
    return _text(outputs(page, folder), folder / "_build")


def text_of_built(page: str, build: Path) -> str:
    """What the page shows in a book that was built; `build` has its folders `executed` and `figures`."""
    executed = (build / "executed" / f"{page}.ipynb").read_text(encoding="utf-8")
    return _text(_outputs_of(executed), build)


def _text(shown: list, build: Path) -> str:
    blocks = []
    for output in shown:
        block = output_text(output)
        figures = re.findall(r"^:::\{figure\} /figures/(\S+)\.\*$", block, re.M)
        blocks += [block, *(_data(build / "figures" / f"{name}.csv") for name in figures)]
    return "\n\n".join(blocks) + "\n"


def _data(path: Path) -> str:
    """The numbers that a figure draws."""
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    step = max(1, -(-len(rows) // ROWS_SHOWN))
    lines = [" | ".join(header), *(" | ".join(map(_rounded, row)) for row in rows[::step])]
    title = f"Data of {path.stem}:"
    if step > 1:
        title = f"Data of {path.stem}, {len(rows)} rows, every {step}th shown:"
        lines += _sums(header, rows)
    return "\n".join(["```text", title, *lines, "```"])


def _rounded(cell: str) -> str:
    try:
        return f"{float(cell):.{DIGITS}g}"
    except ValueError:
        return cell


def _sums(header: list[str], rows: list[list[str]]) -> list[str]:
    """The sum of each column of numbers: it differs where a row that is not shown does."""
    sums = []
    for name, *cells in zip(header, *rows, strict=True):
        try:
            total = sum(map(float, cells))
        except ValueError:  # a column of words
            continue
        sums.append(f"sum of {name}: {total:.{DIGITS}g}")
    return sums


def shown_with(page, run, refused):
    """What a page shows where the refused quantities of the recorded run could not be measured."""
    for path in run.glob("*/*.json"):
        data = json.loads(path.read_text())
        for name, quantity in data["quantities"].items():
            if quantity["measurement"] and refused(name):
                quantity["measurement"].update(
                    state="unsupported",
                    reason="no such instruction",
                    points=[],
                )
        path.write_text(json.dumps(data))
    return "\n".join(map(output_text, outputs(page, run.parent.parent)))


def text_of_recorded(page: str) -> str:
    """What the page shows of the recorded run."""
    with tempfile.TemporaryDirectory() as folder:
        copy_recorded(Path(folder))
        return text(page, Path(folder))


def write_expected(pages: list[str]) -> None:
    """Write what the pages show; none of them if one fails."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = list(pool.map(text_of_recorded, pages))
    for page, shown in zip(pages, texts, strict=True):
        records.write_whole(expected_path(page), shown)
        print(f"{expected_path(page).relative_to(ROOT)} is written.")


if __name__ == "__main__":
    make_tests_library().check_returncode()
    chosen = [contents.find(page) for page in sys.argv[1:]]
    write_expected(chosen or contents.notebooks())

"""A book of three pages that measures for a few seconds, through every program that can be killed:
a probe, reckon-peer behind reckon-lab, and an NFS server behind another."""

import html
import itertools
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import nbformat

from helpers.books import BUILD, BUILD_PAGES, ShortProject
from reckon.records.quantities.lookup import read_result
from reckon.records.run_files import verify

# By page: its quantities, each with its probe and parameters; a run takes long enough to be met.
PAGES = {
    "cpu/small": {
        "cpu/small/call": ("cpu/syscall/getpid", ", calls=200_000"),
        "cpu/small/read": ("cpu/timer/rdtsc", ""),
    },
    "network/small": {
        "network/small/here": ("network/rtt/tcp", ", peer='loopback'"),
        "network/small/there": ("network/rtt/tcp", ", peer='other', rounds=400"),
    },
    "files/small": {"files/small/null": ("files/remote/null", ", server='near'")},
}
QUANTITIES = sorted(name for quantities in PAGES.values() for name in quantities)
LOCAL_PAGES = {"cpu/small": PAGES["cpu/small"]}  # without another host

_CELL = """@rk.predict("{quantity}", unit="µs")
def predicted(cost):
    return 0, cost

rk.measure(predicted(cost=rk.guess(1, "µs", "any", low=0.001, high=1000)), "{probe}", samples=5{more})"""


def _write_page(path: Path, quantities: dict) -> None:
    opening = "import reckon as rk\nrk.begin(profile=profile, run=run)"
    cells = [
        nbformat.v4.new_markdown_cell(f"# {path.parent.name}"),
        nbformat.v4.new_code_cell("profile = run = None", metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(opening),
        *(
            nbformat.v4.new_code_cell(_CELL.format(quantity=quantity, probe=probe, more=more))
            for quantity, (probe, more) in quantities.items()
        ),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    path.write_text(nbformat.writes(notebook))


class SmallBook(ShortProject):
    """The project of that book, or of some of its pages, with its scratch and temporary files in folders
    of its own."""

    def __init__(self, base: Path, pages: dict = PAGES):
        super().__init__(base, [])
        self.pages = pages
        files = [*(f"notebooks/{page}" for page in pages), "book/bibliography"]
        contents = "format: jb-book\nroot: book/intro\nparts:\n  - chapters:\n"
        chapters = "".join(f"      - file: {file}\n" for file in files)
        (base / "_toc.yml").write_text(contents + chapters)
        for page, quantities in pages.items():
            _write_page(base / f"notebooks/{page}.ipynb", quantities)
        self.scratch = base / "scratch"
        self.scratch.mkdir()
        # Short, because it takes the address of a socket.
        self._temporary = tempfile.TemporaryDirectory(prefix="rk-")
        self.temporary = Path(self._temporary.name)

    def environment(self, **more: str) -> dict:
        own = {"RECKON_SCRATCH": str(self.scratch), "TMPDIR": str(self.temporary)}
        return super().environment(**{**own, **more})

    def start(self, *, site: bool = True, **environment: str) -> subprocess.Popen:
        """A build that runs, in a session of its own."""
        return subprocess.Popen(
            [*BUILD, "--html"] if site else BUILD_PAGES,
            cwd=self.base,
            env=self.environment(**environment),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def empty(self) -> None:
        """Remove all that builds have made."""
        for path in (self.base / "_build", self.base / "book/runs"):
            shutil.rmtree(path, ignore_errors=True)

    def recorded(self) -> dict[str, list[str]]:
        """The digests of the visits of each quantity that is measured."""
        visits = {}
        for path in (self.base / "book/runs").glob("*/*/small.json"):
            for name, quantity in json.loads(path.read_text())["quantities"].items():
                if quantity["measurement"]:
                    visits[name] = [visit["digest"] for visit in quantity["measurement"]["visits"]]
        return visits

    def faults(self, *, site: bool = True) -> list[str]:
        """What is wrong with the book: quantities without good samples, pages that are missing or
        could not be made, a broken chain."""
        faults = verify.faults(self.run)
        for name, measurement in self.measurements().items():
            if not measurement or measurement["state"] != "measured":
                faults.append(f"{name} is not measured: {measurement and measurement['reason']}")
            elif any(point["stopped"] in (None, "failed") for point in measurement["points"]):
                faults.append(f"{name} is not complete")
        wanted = {name for quantities in self.pages.values() for name in quantities}
        faults += [f"{name} is missing" for name in wanted - set(self.measurements())]
        for page, quantities in self.pages.items():
            made = f"html/notebooks/{page}.html" if site else f"executed/{page}.ipynb"
            path = self.base / "_build" / made
            text = html.unescape(path.read_text()) if path.exists() else ""
            if not text or "could not be made" in text:
                faults.append(f"{path} was not made")
                continue
            for name in quantities:  # the last line of each cell is the quantity as it is recorded
                if repr(read_result(self.run, name)) not in text:
                    faults.append(f"{path} does not show {name} as it is recorded")
        return faults

    def left_behind(self) -> list[str]:
        """Scratch and temporary files, and half written ones of runs."""
        folders = self.temporary.iterdir(), self.scratch.iterdir()
        half_written = (self.base / "book/runs").rglob(".*.*")
        return [*map(str, itertools.chain(*folders, half_written))]

    def files(self) -> set[str]:
        """Every file of the project, by its path, but for those that SQLite has while a process
        uses a cache; a process that was killed leaves them to the next."""
        files = set()
        for folder, _, names in os.walk(self.base):
            if "__pycache__" not in folder:
                files |= {os.path.relpath(os.path.join(folder, name), self.base) for name in names}
        return {file for file in files if not file.endswith((".sqlite-wal", ".sqlite-shm"))}

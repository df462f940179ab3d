"""Sphinx that has waited with the last build's pages writes what is staged now."""

import re
import subprocess
import sys

import pytest
from helpers.project import ROOT

PAGES = [f"page{number}" for number in range(8)]  # from 6 on Sphinx reads in several processes
CONF = f'import sys\nsys.path.insert(0, "{ROOT}/book/ext")\nextensions = ["waiting"]\n'


@pytest.mark.parametrize("count", [1, len(PAGES)])
def test_every_page_that_changed_is_written(tmp_path, count):
    (tmp_path / "conf.py").write_text(CONF)
    toctree = "".join(f"   {page}\n" for page in PAGES)
    (tmp_path / "index.rst").write_text(f"Book\n====\n\n.. toctree::\n\n{toctree}")

    def build(text, pages):
        for page in pages:
            (tmp_path / f"{page}.rst").write_text(f"{page}\n=====\n\n{text}\n")
        command = [sys.executable, "-m", "sphinx", "-M", "html", ".", "out", "-j", "2"]
        subprocess.run(command, cwd=tmp_path, input="staged\n", text=True, check=True, timeout=60)
        html = [(tmp_path / f"out/html/{page}.html").read_text() for page in PAGES]
        return [re.search("earlier|later", each)[0] for each in html]

    assert build("earlier", PAGES) == ["earlier"] * len(PAGES)
    changed = ["later"] * count + ["earlier"] * (len(PAGES) - count)
    assert build("later", PAGES[:count]) == changed

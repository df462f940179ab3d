"""The PDFs have the figures' form for print, also of pages that were read for the site alone."""

import subprocess
import sys

from helpers.project import ROOT

CONF = f'import sys\nsys.path.insert(0, "{ROOT}/book/ext")\nextensions = ["printed_figures"]\n'
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'


def test_a_figure_that_is_printed_later_is_found(tmp_path):
    (tmp_path / "figures").mkdir()
    (tmp_path / "conf.py").write_text(CONF)
    (tmp_path / "index.rst").write_text("Book\n====\n\n.. figure:: figures/stairs.*\n\n   Stairs\n")
    (tmp_path / "figures/stairs.svg").write_text(PICTURE)

    def build(builder):
        command = [sys.executable, "-m", "sphinx", "-M", builder, ".", "out", "-W"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)

    site = build("html")
    assert not site.returncode, site.stderr
    (tmp_path / "figures/stairs.pdf").write_bytes(b"%PDF-1.5")
    printed = build("latex")
    assert not printed.returncode, printed.stderr
    assert "figures/stairs" not in printed.stderr and (tmp_path / "out/latex/stairs.pdf").exists()

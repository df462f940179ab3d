"""The example of docs/report-format.md as a report's file."""

import re

from helpers.project import ROOT

EXAMPLE = re.search(
    r"```toml\n(.*?)```", (ROOT / "docs/report-format.md").read_text(encoding="utf-8"), re.S
)[1]


def example(tmp_path, old="", new=""):
    """The path of the example in that folder, with that part of it replaced."""
    assert old in EXAMPLE
    path = tmp_path / "example.toml"
    path.write_text(EXAMPLE.replace(old, new) if old else EXAMPLE, encoding="utf-8")
    return path

"""What a host, a file or a record says comes out of a whole build as it is, in the site and in the PDFs."""

import html
import json
import re
import subprocess

import pytest
from helpers.books import ShortRecordedProject
from helpers.capabilities import installed

pytestmark = pytest.mark.book

HOSTILE = (
    r"<script>alert(1)</script> {raw}(x) $\input{/etc/passwd}$ \end{document} {{ run }} "
    r"[a](https://example.org) _slanted_ **bold** | &amp; 5 % #1 ^2 ~3"
)
PAGES = ["machine", "network/connect", "summary", "machines"]


class HostileProject(ShortRecordedProject):
    """A short book of the recorded run whose texts from outside are all hostile."""

    def __init__(self, base):
        super().__init__(base, [*(f"notebooks/{page}" for page in PAGES), "book/bibliography"])
        run = base / "book/runs/recorded"
        self._edit(run / "run.json", self._describe)
        for path in run.rglob("*/*.json"):
            self._edit(path, self._refuse)

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


def test_the_pdfs_print_hostile_text_as_it_is(hostile):
    installed("xelatex", "pdftotext")
    for name in ("reckon", "reckon-full"):
        source = (hostile.base / f"_build/latex/{name}.tex").read_text()
        assert source.count(r"\end{document}") == 1 and r"\input{/etc" not in source
        command = ["pdftotext", hostile.base / f"_build/html/{name}.pdf", "-"]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert HOSTILE in " ".join(printed.split()), name

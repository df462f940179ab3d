"""The poster: a sheet of A3 beside the site, drawn without TeX by the machine's page."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reckon import records
from reckon.book import contents, private_names, sphinx
from reckon.book.build_cache import read_or_compute
from reckon.book.staging.stage import POSTER, Stage
from reckon.errors import ReckonError
from reckon.records.quantities.lookup import all_results
from reckon.records.run_files.models import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MODULE, _PAGES = "machine_poster", ("machine", "summary")  # what draws it; their modules help


def make(run: Run, stage: Stage) -> bool:
    """Make the poster and put it beside the site; False where nothing had changed."""
    sources = [*(Path(__file__).parents[1] / "show/figures").glob("*.py")]
    sources += [module for page in _PAGES for module in contents.modules_of(page)]
    version = [stage.pages, *sorted(map(records.file_digest, sources))]
    drawn = read_or_compute(
        POSTER + ".json", version, lambda: base64.b64encode(_draw(run, stage)).decode()
    )
    path, content = sphinx.site_dir() / POSTER, base64.b64decode(drawn)
    if path.exists() and path.read_bytes() == content:
        return False
    records.make_folder(path.parent)
    records.write_whole(path, content)
    return True


def _draw(run: Run, stage: Stage) -> bytes:
    from matplotlib.text import Text  # imports slowly

    from reckon.show.figures import printing

    facts = json.loads((stage.folder / "title.json").read_text("utf-8"))
    results = all_results(run.name, samples=False)
    with printing.in_family() as (_, letters):
        try:
            drawing = contents.findings_of(_MODULE)
            figure: Figure = drawing.draw(run.machine, results, facts, letters)
        except Exception as error:  # its author may be at work on it
            raise ReckonError(f"notebooks/{_MODULE}.py: {type(error).__name__}: {error}") from error
        for text in figure.findobj(Text):
            text.set_text(private_names.hide(text.get_text(), stage.hashed))
        content = io.BytesIO()
        metadata: dict[str, Any] = {"CreationDate": None, "Title": f"Reckon: {facts['machine']}"}
        figure.savefig(content, format="pdf", metadata=metadata)
    return content.getvalue()

"""JupyterLab's settings of `make lab`: it opens at the book's contents, its kernels begin with the
run of the site, and a notebook is saved as git has it.

The filter of .gitattributes alone is not enough: where a file's size differs, `git status` calls it
modified without asking the filter.
"""

import json
import os
import posixpath
import re
import subprocess
from pathlib import Path
from urllib.parse import quote, unquote

import nbformat
from ipykernel.ipkernel import IPythonKernel
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager

from reckon import config, records
from reckon.book import contents
from reckon.cli.run_choice import run_of_site
from reckon.records import notebook_cells

ROOT = Path(__file__).resolve().parent.parent


PAGE = re.compile(r"(?<=\]\()(?!/)[\w./-]+\.(?:ipynb|md|bib)(?=[)#])")
TERM = re.compile(r"\{term\}`([^`<]*?)(?: <([^`>]*)>)?`")
TERM_LINK = re.compile(r"\[([^\]]*)\]\(/book/glossary\.md#([^)]*)\)")
CITE, CITE_LINK = (
    re.compile(r"\{cite\}`([^`]*)`"),
    re.compile(r"\[([^\]]*)\]\(/book/references\.bib\)"),
)
FIGURE = re.compile(r"\{numref\}`(\w+) %s <([\w-]+)>`")
FIGURE_LINK = re.compile(r"\[(\w+) below\]\(#([\w-]+)\)")
FILE = re.compile(r"(?<=<)/(?=csrc/)")  # of the role `download`


def with_links(source, folder):
    """The Markdown with links to pages from that folder: JupyterLab opens these beside the notebook
    and leaves for others. Terms are links to the glossary, sources to their list; a figure has no
    number there."""
    source = TERM.sub(
        lambda term: f"[{term[1]}](/book/glossary.md#{quote(term[2] or term[1])})", source
    )
    source = CITE.sub(r"[\1](/book/references.bib)", source)
    source = FIGURE.sub(r"[\1 below](#\2)", source)
    return FILE.sub("/files/", notebook_cells.with_links_from(source, folder))


def without_links(source, folder):
    """The Markdown as it is saved, with links from the book's folder."""
    source = PAGE.sub(lambda path: posixpath.normpath(f"/{folder}/{path[0]}"), source)
    source = FIGURE_LINK.sub(r"{numref}`\1 %s <\2>`", source)
    source = CITE_LINK.sub(r"{cite}`\1`", TERM_LINK.sub(term_of_link, source))
    return source.replace("</files/", "</")


def term_of_link(link):
    """The role of a term whose link that is."""
    text, name = link[1], unquote(link[2])
    return f"{{term}}`{text}`" if text == name else f"{{term}}`{text} <{name}>`"


def without_outputs(model, path, **_):
    """Leave out of a notebook that is saved what tools/strip-notebook leaves out."""
    if model["type"] == "notebook":
        for cell in model["content"]["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = without_links(cell["source"], posixpath.dirname(path))
        text = json.dumps(model["content"])
        done = subprocess.run(
            [ROOT / "tools" / "strip-notebook"], input=text.encode(), capture_output=True, cwd=ROOT
        )
        if not done.returncode:  # else it is saved as it is
            model["content"] = json.loads(done.stdout)


class Contents(AsyncLargeFileManager):
    """The files; of a notebook, with what its kernel would add and thereby make it unsaved, and
    where its answer appears."""

    async def get(self, *arguments, **options):
        model = await super().get(*arguments, **options)
        if model["type"] == "notebook" and model["content"]:
            model["content"]["metadata"]["language_info"] = IPythonKernel.language_info
            cells = model["content"]["cells"]
            has_answer = any(
                notebook_cells.ANSWER in cell.metadata.get("tags", []) for cell in cells
            )
            for cell in cells:
                if cell.cell_type == "markdown":
                    cell.source = with_links(cell.source, posixpath.dirname(model["path"]))
                elif has_answer and "rk.begin(" in cell.source and not cell.outputs:
                    data = {"text/markdown": notebook_cells.UNTIL_THE_ANSWER}
                    cell.outputs = [nbformat.v4.new_output("display_data", data)]
        return model


# The folders list files by name; a reader wants the order of the book.
opened = ROOT / "notebooks" / "contents.md"
records.write_whole(opened, f"# Pages of the book\n\n{contents.links(opened.parent)}\n")

# The kernelspec that comes first: it imports reckon, also after a restart.
folders = [str(ROOT / "tools" / "jupyter"), os.environ.get("JUPYTER_PATH")]
os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, folders))

# The run that the reader of the site sees; else a cell that is run would measure this machine.
if not config.settings().run and (run := run_of_site()):
    os.environ["RECKON_RUN"] = run

settings = get_config()
settings.ServerApp.root_dir = str(ROOT)
settings.ServerApp.contents_manager_class = Contents
# Without a query: the server prints the address with "?token=" behind it.
settings.LabApp.default_url = "/lab/tree/notebooks/contents.md"
settings.ContentsManager.pre_save_hook = without_outputs
# Else it looks for language servers by npm, which logs into ~/.npm.
settings.LanguageServerManager.autodetect = False

"""Sphinx extension: the PDFs find the form of a figure that is for print, also on a page that was
read before it was drawn, for the site alone.

Sphinx looks which forms of a figure there are when it reads a page."""

from pathlib import Path


def setup(app):
    app.connect("env-get-outdated", read_too_early)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def read_too_early(app, env, *_):
    if app.builder.name != "latex":
        return []
    printed = {f"figures/{path.name}" for path in Path(app.srcdir, "figures").glob("*.pdf")}
    return [
        page
        for page, files in env.dependencies.items()
        if printed.intersection(str(file).replace(".svg", ".pdf") for file in files) - {*files}
    ]

"""Sphinx extension: on a narrow screen each figure is shown as it was drawn for one; each says
where its predictions lie, for what-if-figures.js."""

import html
import re
from pathlib import Path

_IMAGE = re.compile(r'<img\b[^>]*\bsrc="(?P<root>[^"]*)_images/(?P<name>[\w-]+)\.svg"[^>]*>')
_SCREEN = "(max-width: 600px)"  # as in reckon.css and what-if.css


def setup(app):
    app.connect("html-page-context", offer_narrow)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def offer_narrow(app, pagename, templatename, context, doctree):
    source = Path(app.srcdir)

    def with_narrow(image):
        file = f"{image['name']}-narrow.svg"
        if not (source / "_static" / "narrow" / file).exists():
            return image[0]
        narrow = f'<source media="{_SCREEN}" srcset="{image["root"]}_static/narrow/{file}">'
        places = _places(source / "figures" / f"{image['name']}-places.json")
        return f"<picture{places}>{narrow}{image[0]}</picture>"

    if "body" in context:
        context["body"] = _IMAGE.sub(with_narrow, context["body"])


def _places(path):
    """The attribute that says where the predictions of a figure lie; "" for one without any."""
    if not path.exists():
        return ""
    return f' data-places="{html.escape(path.read_text("utf-8").strip())}"'

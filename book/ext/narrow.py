"""Sphinx extension: on a narrow screen each figure is shown as it was drawn for one."""

import re
from pathlib import Path

_IMAGE = re.compile(r'<img\b[^>]*\bsrc="(?P<root>[^"]*)_images/(?P<name>[\w-]+)\.svg"[^>]*>')
_SCREEN = "(max-width: 600px)"  # as in reckon.css


def setup(app):
    app.connect("html-page-context", offer_narrow)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def offer_narrow(app, pagename, templatename, context, doctree):
    folder = Path(app.srcdir) / "_static" / "narrow"

    def with_narrow(image):
        file = f"{image['name']}-narrow.svg"
        if not (folder / file).exists():
            return image[0]
        source = f'<source media="{_SCREEN}" srcset="{image["root"]}_static/narrow/{file}">'
        return f"<picture>{source}{image[0]}</picture>"

    if "body" in context:
        context["body"] = _IMAGE.sub(with_narrow, context["body"])

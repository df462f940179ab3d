"""Sphinx extension: what a social network or a messenger shows of a link to a page."""

import re
from html import escape, unescape
from textwrap import shorten

from docutils import nodes

_IMAGE = "card.png"  # made when staging
_LONGEST = 200  # characters of a description; networks show no more


def setup(app):
    app.connect("html-page-context", add_card)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def add_card(app, pagename, templatename, context, doctree):
    # Networks want a whole address, which is known only where html_baseurl is set.
    root = app.config.html_baseurl or context["pathto"]("", 1)
    image = f"{root.rstrip('/')}/_static/{_IMAGE}" if root else f"_static/{_IMAGE}"
    words = _description(doctree) or app.config.html_title
    values = {
        "og:type": "article",
        "og:site_name": app.config.html_title,
        "og:title": _plain(context.get("title") or app.config.html_title),
        "og:description": words,
        "og:image": image,
        "og:image:alt": "The book's title, its score and its machine",
    }
    tags = [f'<meta property="{name}" content="{escape(text)}">' for name, text in values.items()]
    tags.append('<meta name="twitter:card" content="summary_large_image">')
    tags.append(f'<meta name="description" content="{escape(words)}">')
    context["metatags"] = "\n".join([context.get("metatags", ""), *tags])


def _description(doctree):
    """The first paragraph of prose, cut at a word."""
    if doctree is None:
        return ""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        if isinstance(paragraph.parent, nodes.section) and text:
            return shorten(text, _LONGEST, placeholder=" …")
    return ""


def _plain(title):
    """A title without its markup."""
    return unescape(re.sub(r"<[^>]*>", "", title))

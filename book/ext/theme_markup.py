"""Sphinx extension: the theme's markup without what the site does not need, and accessible.

The theme's templates have no settings for this, so each page is changed after it was rendered. A
test fails if the theme writes something else one day.
"""

import re

# In each page: a pattern, and what stands in its place.
_CHANGES = [
    # FontAwesome's fonts and script (850 kB) draw a dozen icons; icons.css has them.
    (r"<(?:link|script)\b[^>]*/fontawesome/[^>]*>(?:</script>)?\n?", ""),
    # Thebe would ask a server on the network.
    (r'<script type="text/x-thebe-config">.*?</script>\s*<script>kernelName = .*?</script>', ""),
    (r"<link\b[^>]*/sphinx-thebe\.css[^>]*>\n?", ""),
    # A column without a title.
    (r'<th class="head"><p></p></th>', "<td></td>"),
    # One viewport; the theme and Sphinx write one each.
    (r'<meta name="viewport" content="width=device-width, initial-scale=1" ?/>', ""),
    # The title that only print shows is no second heading.
    (
        r'(<div id="jb-print-docs-body" class="onlyprint">\s*)<h1>(.*?)</h1>',
        r'\1<p class="print-title" aria-hidden="true">\2</p>',
    ),
    # The navigation beside the page is a landmark, with the book's name in it.
    (
        r'<div class="(bd-sidebar-primary[^"]*)">',
        r'<div class="\1" role="complementary" aria-label="Book">',
    ),
]
# The page `search` has the field twice: in the page, and in the window that Ctrl+K opens.
_SEARCH_FIELD = 'id="search-input"'


def setup(app):
    app.connect("builder-inited", change_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def change_pages(app):
    if app.builder.format != "html":
        return
    render = app.builder.templates.render
    app.builder.templates.render = lambda name, context: changed(render(name, context))


def changed(page):
    for pattern, replacement in _CHANGES:
        page = re.sub(pattern, replacement, page, flags=re.DOTALL)
    first, *others = page.split(_SEARCH_FIELD)
    return first + "".join(
        f'id="search-input-{number}"{rest}' for number, rest in enumerate(others, 1)
    )

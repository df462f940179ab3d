"""Figures and tables of the PDFs: references by number, the lines of their lists, alt text."""

import re
from collections import Counter

from docutils import nodes
from pdf_tables import latex
from sphinx import addnodes
from sphinx.util.texescape import escape

_CAPTIONS = {nodes.figure: nodes.caption, nodes.table: nodes.title}
_NAMES = {nodes.figure: "Figure %s", nodes.table: "Table %s"}
_SHORT = re.compile(r".{12,}?(?=: |; | \(|\. )")  # what a caption says first
_LONGEST = 46  # characters of a line of the lists


def add_references(tree, page_of):
    """Add to the text of each section which of its figures and tables it speaks of, where it does
    not say so itself. page_of: gives the page that a node stands on."""
    known = {link.get("refuri", "") for link in tree.findall(addnodes.number_reference)}
    for section in list(tree.findall(nodes.section)):
        blocks = list(_blocks(section))
        speaking = {}
        for index, block in enumerate(blocks):
            if _caption_of(block) is None or not block["ids"]:
                continue
            target = f"%{page_of(block)}#{block['ids'][0]}"
            if target not in known:
                paragraph = _speaks_of(blocks, index)
                of_paragraph = speaking.setdefault(id(paragraph), (paragraph, block, []))
                of_paragraph[2].append(_reference(block, target))
        for paragraph, block, links in speaking.values():
            if paragraph is None:
                block.parent.insert(block.parent.index(block), _sentence(links))
            else:
                _put_at_end(paragraph, links)


def shorten_in_lists(tree):
    """Give each caption the words that stand for it in the lists of figures and tables."""
    captions = [
        caption
        for kind in _CAPTIONS
        for block in tree.findall(kind)
        if (caption := _caption_of(block)) is not None
    ]
    texts = [" ".join(caption.astext().split()) for caption in captions]
    for caption, text in zip(captions, in_lists(texts), strict=True):
        line = escape(text, "xelatex")
        caption[:] = [latex(f"\\inlist{{{line}}}{{"), *caption.children, latex("}")]


def describe_pictures(tree):
    """Give each picture its alt text, in hexadecimal numbers of UTF-16, which need no escaping."""
    for picture in list(tree.findall(nodes.image)):
        alt = picture.get("alt", "")
        if alt and isinstance(picture.parent, nodes.figure):
            described = alt.encode("utf-16-be").hex().upper()
            place = picture.parent.index(picture)
            picture.parent.insert(place, latex(f"\\pictureshows{{{described}}}"))


def in_lists(captions):
    """The first statement of each caption, and more where several begin with the same one; one
    line each."""
    first = [(_SHORT.match(caption) or [caption.rstrip(".")])[0] for caption in captions]
    shared = {text for text, count in Counter(first).items() if count > 1}
    texts = [
        caption if text in shared else text for caption, text in zip(captions, first, strict=True)
    ]
    return [
        text if len(text) <= _LONGEST else f"{text[:_LONGEST].rpartition(' ')[0].rstrip(',;:')} …"
        for text in texts
    ]


def _caption_of(block):
    kind = _CAPTIONS.get(type(block))
    return (
        next((child for child in block.children if isinstance(child, kind)), None) if kind else None
    )


def _blocks(node):
    """What stands in a section without the sections below it, in order; not the boxes around it."""
    for child in node.children:
        if isinstance(child, nodes.container):
            yield from _blocks(child)
        elif isinstance(child, nodes.Element) and not isinstance(child, nodes.section):
            yield child


def _speaks_of(blocks, index):
    """The paragraph before the figure or table, else the one behind it; None without any. What is
    concluded follows its figure: such a paragraph before belongs to another one."""
    before = _nearest(reversed(blocks[:index]))
    behind = _nearest(blocks[index + 1 :])
    if before is not None and (behind is None or not before.astext().startswith("Verdict.")):
        return before
    return behind


def _nearest(blocks):
    """The first of the blocks that is a paragraph, if no question of its own stands before it."""
    for block in blocks:
        if isinstance(block, nodes.paragraph):
            return block if _is_plain(block) else None
    return None


def _is_plain(paragraph):
    text = paragraph.astext().strip()
    return text.endswith((".", ")", "”")) and not isinstance(paragraph.parent, nodes.list_item)


def _reference(block, target):
    """The number of a figure or table, as a link."""
    title = _NAMES[type(block)]
    link = addnodes.number_reference("", "", internal=True, refuri=target, title=title)
    link += nodes.inline("", title)
    return link


def _joined(links):
    """ "Table 2.1", "Table 2.1 and Figure 2.2": the links as nodes, with words between them."""
    joined = []
    for position, link in enumerate(links):
        if position:
            joined.append(nodes.Text(" and " if position == len(links) - 1 else ", "))
        joined.append(link)
    return joined


def _sentence(links):
    shows = " shows the results." if len(links) == 1 else " show the results."
    return nodes.paragraph("", "", *_joined(links), nodes.Text(shows))


def _put_at_end(paragraph, links):
    """In brackets before the full stop; behind a bracket, as a sentence of its own."""
    last = paragraph.children[-1]
    ends = isinstance(last, nodes.Text) and last.astext().rstrip().endswith(".")
    text = last.astext().rstrip() if ends else ""
    if ends and not text.endswith((").", "”.")):
        paragraph[-1:] = [nodes.Text(f"{text[:-1]} ("), *_joined(links), nodes.Text(").")]
    else:
        paragraph += [nodes.Text(" See "), *_joined(links), nodes.Text(".")]

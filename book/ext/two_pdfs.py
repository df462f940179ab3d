"""Sphinx extension: two PDFs from the same pages, the report and the full record.

The report leaves out what the site folds, and the pages and sections of `report_without`. The full
record has all of it: what a page folds stands in an appendix at the end of its part.
"""

import json
import re
from pathlib import Path

from docutils import nodes
from pdf_front import metadata, tex, title_page
from pdf_references import add_references, describe_pictures, shorten_in_lists
from pdf_tables import fit_to_page, is_empty, latex, remove_column, rows_of
from sphinx import addnodes
from sphinx.builders.latex import LaTeXBuilder
from sphinx_jupyterbook_latex.nodes import CellInput, CellOutput

REPORT, RECORD = "reckon", "reckon-full"
TITLES = {REPORT: "Reckon", RECORD: "Reckon: the full record"}
# A table of more lines may break across pages. The report's tables are short and stay whole.
_LINES_TOGETHER = {REPORT: 30, RECORD: 12}
_SITES_LINE_GAP = "\\\\[0.5em]\n"  # between the lines of a formula
_LINE_GAP = "\\\\[3pt]\n"
_LINE_LETTERS = 100  # of a formula, on one line
_CASES = re.compile(r"\\begin\{cases\}.*?\\end\{cases\}", re.S)
_ALIGNED = re.compile(r"\\begin\{aligned\}(.*)\\end\{aligned\}", re.S)
_MARKUP = re.compile(r"\\(\w+|,)|[\\{}&]")
_REPEATS_TABLE = re.compile(r"Verdict\. Predicted (?!.*\. [A-Z]).*", re.S)
# In lines of a table: the height of a page; of most figures; of headings and a caption.
_LINES_OF_PAGE, _FIGURE_LINES, _LINES_AROUND = 72, 14, 10
_BUILDS_ON, _NEEDS_NOTHING = "Builds on ", "Builds on no other chapter"
_IN_PRINT = "in-print"  # as block.IN_PRINT
_FOLD_MARK = 'class="folded"'  # as staging puts it below the heading


class TwoPdfs(LaTeXBuilder):
    """The LaTeX of both documents."""

    document = REPORT  # the one that is being written

    def write(self, *ignored):
        facts = json.loads((Path(self.srcdir) / "title.json").read_text("utf-8"))
        author = facts["author"] or self.config.author
        root = self.config.root_doc
        options = {REPORT: "[report]", RECORD: ""}
        for self.document, title in TITLES.items():
            entry = (root, f"{self.document}.tex", title, tex(author), "manual")
            self.config.latex_documents = [entry]
            self.document_data = []
            self.context["preamble"] = f"\\usepackage{options[self.document]}{{reckon}}" + metadata(
                title, author, facts
            )
            self.context["maketitle"] = title_page(title, facts)
            super().write(*ignored)

    def assemble_doctree(self, *arguments, **options):
        tree = super().assemble_doctree(*arguments, **options)
        _mend_parents(tree)
        _remove_html(tree)
        _use_printed_pictures(tree)
        _remove_data_links(tree)
        _remove_empty(tree)
        _unwrap_cells(tree)
        _remove_second_paragraphs(tree)
        if self.document == REPORT:
            _leave_out(tree, **self.config.report_without)
            _leave_out_goals(tree)
        else:
            _move_to_appendices(tree)
        _begin_appendices(tree, self.env.external_site_map)
        _remove_dead_links(tree)
        add_references(tree, _page_of)
        shorten_in_lists(tree)
        describe_pictures(tree)
        for formula in tree.findall(nodes.math_block):
            _let_break(formula)
        for table in list(tree.findall(nodes.table)):
            fit_to_page(table, _LINES_TOGETHER[self.document])
        _keep_together(tree)
        return tree


class FromPage(nodes.Element):
    """What was moved away from the page `docname`: its labels stay that page's."""


def _visit_from_page(writer, node):
    writer.curfilestack.append(node["docname"])


def _depart_from_page(writer, node):
    writer.curfilestack.pop()


def _mend_parents(tree):
    """What sphinx_jupyterbook_latex moved knows its new parent."""
    for node in tree.findall(nodes.Element):
        for child in node.children:
            child.parent = node


def _pages(tree):
    """The part of the tree that each page makes, by the page's name."""
    return {node["docname"]: node for node in tree.findall(addnodes.start_of_file)}


def _remove_html(tree):
    """No HTML, which is the site's alone; what the site folds is marked so."""
    for raw in list(tree.findall(nodes.raw)):
        if raw["format"] != "html":
            continue
        if _FOLD_MARK in raw.astext():
            raw.parent["folded"] = True
        is_break = raw.astext().startswith("<br")
        raw.replace_self([nodes.Text(", ")] if is_break else [])


def _use_printed_pictures(tree):
    """Show pictures that are for print in the place of the figure before them."""
    figure = None
    for node in list(tree.findall(lambda node: isinstance(node, nodes.figure | nodes.image))):
        if isinstance(node, nodes.figure):
            figure = node
        elif _IN_PRINT in node["classes"]:
            node.parent.remove(node)
            figure.next_node(nodes.image).replace_self(node)
            # It belongs to the part's text, not to the chapter behind it.
            place = figure.parent.index(figure) + 1
            figure.parent.insert(place, latex("\n\\par\\placewaiting\n"))


def _folded(page):
    """The outermost folded sections of a page and of the pages below it."""
    return [section for section in page.findall(nodes.section) if section.get("folded")]


def _page_of(node):
    """The name of the page that the node stands on."""
    while not isinstance(node, addnodes.start_of_file | FromPage | nodes.document):
        node = node.parent
    return node["docname"]


def _remove_data_links(tree):
    """No links to data beside the site: no "(data)" in a caption, no column or sentence of them."""
    for table in tree.findall(nodes.tgroup):
        body = rows_of(table, nodes.tbody)
        for index in reversed(range(table["cols"])):
            words = {_download(row, index) for row in body}
            if len(words) == 1 and None not in words:
                remove_column(table, index)
    for link in list(tree.findall(addnodes.download_reference)):
        caption = link.parent
        if _is_beside_the_site(link) and isinstance(caption, nodes.paragraph):
            if caption in caption.parent and not isinstance(caption.parent, nodes.entry):
                caption.parent.remove(caption)
            continue
        if not isinstance(caption, nodes.caption):
            continue
        index = caption.index(link)
        before = caption[index - 1].astext()
        if before.endswith("("):
            caption[index - 1 : index + 2] = [nodes.Text(before.removesuffix("(").rstrip())]


def _is_beside_the_site(link):
    return link.get("reftarget", "").startswith("/figures/")


def _download(row, index):
    """The words of a cell that is a link to a file beside the site and nothing else, or None."""
    links = [*row[index].findall(addnodes.download_reference)] if index < len(row) else []
    texts = [link.astext() for link in links]
    return texts[0] if texts and texts == [row[index].astext()] else None


def _remove_second_paragraphs(tree):
    """Each reference once: sphinxcontrib.bibtex adds its text again for the second document."""
    for citation in tree.findall(nodes.citation):
        for paragraph in [*citation.findall(nodes.paragraph)][1:]:
            citation.remove(paragraph)


def _unwrap_cells(tree):
    """Outputs as if they were written on the page, without the frame of a cell's output."""
    for output in list(tree.findall(CellOutput)):
        container = output.children[0] if output.children else output
        if container.children:
            output.replace_self(container.children)
        else:
            output.parent.remove(output)


def _remove_empty(tree):
    """Remove what is drawn on the site alone and leaves nothing here: paragraphs, columns."""
    for paragraph in list(tree.findall(nodes.paragraph)):
        if is_empty(paragraph) and not isinstance(paragraph.parent, nodes.entry):
            paragraph.parent.remove(paragraph)
    for table in tree.findall(nodes.tgroup):
        head, body = rows_of(table, nodes.thead), rows_of(table, nodes.tbody)
        if not body or any(len(row) != len(body[0]) for row in (*head, *body)):
            continue
        for index in reversed(range(len(body[0]))):
            if all(is_empty(row[index]) for row in body):
                remove_column(table, index)


def _let_break(formula):
    """A formula of aligned lines may break across pages between them; no fraction is small."""
    text = formula.astext()
    if found := _ALIGNED.fullmatch(text.strip()):
        lines = _LINE_GAP.join(_full_lines(found[1].strip().split(_SITES_LINE_GAP)))
        text = f"\\begin{{align*}}\n{lines}\n\\end{{align*}}"
        if r"\begin{cases}" in lines:  # so high that half a page would stay empty before it
            text = f"\\begingroup\\allowdisplaybreaks[4]\n{text}\n\\endgroup"
        formula["nowrap"] = True
    text = text.replace(r"\frac", r"\dfrac")
    text = _CASES.sub(lambda cases: cases[0].replace(r"\\", r"\\ \noalign{\vskip 6pt}"), text)
    formula[:] = [nodes.Text(text)]


def _full_lines(lines):
    """The lines of a formula; what continues one stands on it where there is room."""
    full = lines[:1]
    for line in lines[1:]:
        joined = full[-1] + line.removeprefix("&")
        is_long = r"\\" in joined or len(_MARKUP.sub("", joined)) > _LINE_LETTERS
        if is_long or not line.startswith("&"):
            full.append(line)
        else:
            full[-1] = joined
    return full


def _leave_out(tree, pages, sections, columns):
    """Remove what is folded, these pages, the sections and columns of these titles, code, and
    verdicts that say no more than the table above them."""
    found = _pages(tree)
    for name in pages:
        if name in found:
            found[name].parent.remove(found[name])
    for section in list(tree.findall(_is_below_a_heading)):
        if section.get("folded") or section.next_node(nodes.title).astext() in sections:
            section.parent.remove(section)
    for code in list(tree.findall(CellInput)):
        code.parent.remove(code)
    for table in tree.findall(nodes.tgroup):
        titles = [cell.astext() for row in rows_of(table, nodes.thead) for cell in row]
        for title in set(titles) & set(columns):
            remove_column(table, titles.index(title))
    for paragraph in list(tree.findall(nodes.paragraph)):
        if _REPEATS_TABLE.fullmatch(paragraph.astext()):
            paragraph.parent.remove(paragraph)


def _leave_out_goals(tree):
    """Of a chapter's goals only what it builds on: the rest is for who learns from the site."""
    containers = list(tree.findall(nodes.container))
    for goals in [each for each in containers if "goals" in each["classes"]]:
        paragraph = goals.next_node(nodes.paragraph)
        while paragraph.children and _BUILDS_ON not in paragraph[0].astext():
            paragraph.pop(0)
        if _NEEDS_NOTHING in paragraph.astext():
            goals.parent.remove(goals)
            continue
        first, last = paragraph[0].astext(), paragraph[-1].astext()
        paragraph[0] = nodes.Text(first[first.index(_BUILDS_ON) :])
        paragraph[-1] = nodes.Text(last.partition(" Takes ")[0])


def _is_below_a_heading(node):
    return isinstance(node, nodes.section) and isinstance(node.parent, nodes.section)


def _move_to_appendices(tree):
    """Move what pages fold to the end of their part, for each page one section."""
    for chapter in _chapters(tree):
        parts = {}
        for section in _folded(chapter):
            parts.setdefault(_page_of(section), []).append(section)
        if len(_pages(chapter)) > 1 and parts:
            _append_appendix(chapter, parts)


def _begin_appendices(tree, site_map):
    """What follows the first list of the contents is numbered by letters, as on no site."""
    appendices = {item for subtree in site_map.root.subtrees[1:] for item in subtree.items}
    first = next((page for page in _chapters(tree) if page["docname"] in appendices), None)
    if first is not None:
        first.insert(0, latex("\n\\appendix\n"))


def _chapters(tree):
    """The pages that are chapters."""
    for page in _pages(tree).values():
        above = page.parent
        while above is not None and not isinstance(above, addnodes.start_of_file):
            above = above.parent
        if above is None:
            yield page


def _append_appendix(chapter, parts):
    title = chapter.next_node(nodes.title).astext()
    top = chapter.next_node(nodes.section)
    appendix = _section(f"Appendix: {title}")
    top += appendix
    pages = _pages(chapter)
    for name, sections in parts.items():
        for section in sections:
            section.parent.remove(section)
        of_page = _section(pages[name].next_node(nodes.title).astext())
        moved = FromPage(docname=name)
        moved += sections
        of_page += moved
        appendix += of_page


def _section(title):
    section = nodes.section(ids=[])
    section += nodes.title(title, title)
    return section


def _remove_dead_links(tree):
    """References to what this document leaves out become their words."""
    targets = _targets(tree)
    for kind in (nodes.reference, addnodes.number_reference):
        for link in list(tree.findall(kind)):
            uri = link.get("refuri", "")
            if uri.startswith("%") and uri[1:] not in targets:
                link.replace_self(link.children)


def _keep_together(tree):
    """Mark what a page must not part: a question from its answer, a heading from its figure."""
    for paragraph in list(tree.findall(nodes.paragraph)):
        if _leads_on(paragraph):
            index = paragraph.parent.index(paragraph)
            paragraph.parent.insert(index + 1, latex("\n\\par\\nopagebreak\n"))
    for section in list(tree.findall(nodes.section)):
        block = _first_block(section)
        if isinstance(block, nodes.figure | nodes.table):
            lines = min(block.get("lines", _FIGURE_LINES), _FIGURE_LINES)
            share = (_LINES_AROUND + lines) / _LINES_OF_PAGE
            section.insert(0, latex(f"\n\\headingneeds{{{share:.2f}}}\n"))


def _leads_on(paragraph):
    """Whether it is a question of its own or announces a formula."""
    if isinstance(paragraph.parent, nodes.entry | nodes.list_item):
        return False
    following = paragraph.next_node(siblings=True, descend=False)
    strong = paragraph.next_node(nodes.strong)  # there are empty texts before and after it
    is_question = strong is not None and strong.astext() == paragraph.astext()
    announces = paragraph.astext().endswith(":") and isinstance(following, nodes.math_block)
    return is_question or announces


def _first_block(section):
    """What stands right below the heading, or below the headings that follow at once."""
    for node in section.findall(descend=True, include_self=False):
        if isinstance(node, nodes.figure | nodes.paragraph | nodes.table | nodes.math_block):
            return node
        if isinstance(node, nodes.literal_block | nodes.list_item | nodes.Admonition):
            return node
    return None


def _targets(tree):
    """Every place that a link can lead to: PAGE, and PAGE#ID."""
    targets = set()

    def walk(node, page):
        if isinstance(node, addnodes.start_of_file | FromPage | nodes.document):
            page = node["docname"]
            targets.add(page)
        if isinstance(node, nodes.Element):
            targets.update(f"{page}#{name}" for name in node["ids"])
            for child in node.children:
                walk(child, page)

    walk(tree, "")
    return targets


def setup(app):
    app.add_config_value("report_without", {"pages": [], "sections": []}, "env")
    app.add_node(FromPage, latex=(_visit_from_page, _depart_from_page))
    app.add_builder(TwoPdfs, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

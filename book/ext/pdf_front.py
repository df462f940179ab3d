"""The title page and the metadata of the PDFs.

The metadata are written twice, as a PDF's own fields and as XMP (hyperxmp, which both Debian 12 and
13 have in texlive-latex-extra). Figures carry their alt text (accsupp, as above). The PDFs are not
tagged: LaTeX tags with LuaLaTeX. With XeLaTeX (TeX Live 2022), tagpdf writes a structure without
text, refuses most of what Sphinx writes and does not finish within ten minutes.
"""

from sphinx.util.texescape import escape

_KEYWORDS = ("operating systems", "performance", "prediction", "measurement", "system calls")


def tex(text):
    return escape(text, "xelatex")


def metadata(title, author, facts):
    """As a PDF's own fields, which hyperxmp removes unless they are to be kept, and as XMP."""
    subject = f"{facts['machine']}, run {facts['run']}, measured {facts['measured']}"
    words = [facts["course"], *_KEYWORDS, facts["machine"].partition(",")[0]]
    keywords = ", ".join(filter(None, words))
    fields = {"title": title, "author": author, "subject": subject, "keywords": keywords}
    values = "".join(f"pdf{name}={{{tex(value)}}}," for name, value in fields.items() if value)
    values = values.replace(r"\sphinxhyphen{}", "-")  # no bookmark understands it
    return f"\n\\hypersetup{{{values}pdflang=en,keeppdfinfo}}\n"


def title_page(title, facts):
    name, _, subtitle = title.partition(": ")
    names = ("machine", "kernel", "hypervisor", "compiler", "measured", "profile", "run")
    rows = {name.capitalize(): facts[name] for name in (*names, "made from")}
    if facts["root hash"]:
        rows["Root hash"] = facts["root hash"]
    lines = [f"\\begin{{reckontitle}}{{{name}}}{{{subtitle}}}"]
    lines += [f"\\titleauthor{{{tex(facts[key])}}}" for key in ("author", "course") if facts[key]]
    if facts["abstract"]:
        lines.append(f"\\titleabstract{{{tex(facts['abstract'])}}}")
    lines += [f"\\titlerow{{{name}}}{{{tex(value)}}}" for name, value in rows.items()]
    return "\n".join([*lines, r"\end{reckontitle}"])

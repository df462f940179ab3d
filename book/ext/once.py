"""Sphinx extension: every script once, and MathJax on the pages with formulas alone.

The theme's extensions add their scripts again for each page, so that pages load MathJax twice (and
it fails the second time) and declare thebe's constants twice. Thebe itself is not used: it would
ask a server on the network.

It also declares what these extensions do not: that documents may be read in several processes.
"""

_PARALLEL_READ_SAFE = ("sphinx_multitoc_numbering", "sphinx_jupyterbook_latex")


def setup(app):
    app.connect("html-page-context", keep_first, priority=950)
    app.connect("builder-inited", declare_safe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def keep_first(app, pagename, templatename, context, doctree):
    has_formulas = 'class="math' in context.get("body", "")
    seen, kept = set(), []
    for script in context.get("script_files", []):
        body = getattr(script, "attributes", {}).get("body") or ""
        name = str(getattr(script, "filename", None) or script)
        if _is_needless(name, body, has_formulas):
            continue
        key = body or name
        if key not in seen:
            seen.add(key)
            kept.append(script)
    context["script_files"][:] = kept


def _is_needless(name, body, has_formulas):
    if "thebe" in name or "THEBE_JS_URL" in body:
        return True
    is_for_formulas = name.endswith(("/math.js", "/mathjax.js")) or "window.MathJax" in body
    return is_for_formulas and not has_formulas


def declare_safe(app):
    for name in _PARALLEL_READ_SAFE:  # neither keeps anything of a document while it is read
        app.extensions[name].parallel_read_safe = True

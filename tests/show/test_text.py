"""Words and numbers of sentences and cells; text from outside is text, never markup."""

import pytest
from docutils.core import publish_doctree, publish_string
from helpers import made_up
from myst_parser.docutils_ import Parser

import reckon as rk
from reckon.book import contents
from reckon.computer.facts import Machine
from reckon.show import text

# What a peer, a file or an environment may say.
HOSTILE = [
    "<script>alert(1)</script> and <!-- hidden",
    "{raw}`html <b>` and {{ name }}",
    "**bold**, _slanted_, ~~struck~~ and # a title",
    "[a link](https://example.org) and [^note] and ![picture](x.png)",
    r"$\input{/etc/passwd}$ and \end{document} and 100 %",
    "&lt;b&gt; &amp; &#60; AT&T",
    "a | b `` c ` d",
    "one\n\n```{raw} html\n<script>\n```\n\n:::{error}\nanother\n:::\n",
    "% a comment",
]
SETTINGS = {
    "myst_enable_extensions": ["dollarmath", "amsmath", "colon_fence", "substitution"],
    "raw_enabled": True,
    "report_level": 2,
    "halt_level": 2,  # a warning is an error, as in the book
    "use_latex_citations": True,
    "legacy_column_widths": False,
}


def rendered(markdown, writer):
    return publish_string(
        markdown, parser=Parser(), writer_name=writer, settings_overrides=SETTINGS
    ).decode()


@pytest.mark.parametrize("hostile", HOSTILE)
def test_text_comes_out_as_it_is(hostile):
    tree = publish_doctree(
        f"It says: {text.literal(hostile)}!", parser=Parser(), settings_overrides=SETTINGS
    )
    words = " ".join(hostile.split())
    assert tree.astext().replace("`", "") == f"It says: {words}!".replace("`", "")
    assert {node.tagname for node in tree.findall()} <= {
        "document",
        "paragraph",
        "literal",
        "#text",
    }


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("writer", ["html5", "latex"])
def test_no_page_takes_it_for_markup(hostile, writer):
    machine = Machine.of(
        {
            "peer.kind": ("a real host", hostile),
            "peer.address": (hostile, "PEER"),
            "peer.kernel": (hostile, hostile),
            "scratch.folder": (hostile, "SCRATCH"),
            "scratch.lies_on": (hostile, ""),
        }
    )
    check = {"name": "load", "state": "warn", "found": hostile, "advice": "Wait."}
    nothing = made_up.nothing("cpu/made/one", hostile)
    blocks = [
        rk.show.host(machine),
        contents.findings_of("files/read").disk_of(machine),
        contents.findings_of("machine").host_table(machine, "C", "n"),
        rk.show.verdict(nothing, "the call"),
        rk.show.table([nothing], "C", "n2"),
        contents.findings_of("machine").fitness_table([check], "C", "n3"),
    ]
    for block in blocks:
        page = rendered(block.markdown, writer)
        if writer == "html5":
            assert "<script>alert" not in page and "<a class" not in page and "<b>" not in page
        else:
            assert page.count(r"\end{document}") == 1 and r"\input{/etc" not in page

"""The definitions that the site shows beside its terms."""

from reckon.book.staging import glossary


def test_each_term_of_an_entry_has_its_definition_without_markup(folders, monkeypatch):
    monkeypatch.setattr(glossary, "ROOT", folders)
    (folders / "book").mkdir(exist_ok=True)
    (folders / "book/glossary.md").write_text(
        "# Glossary\n\n```{glossary}\n:sorted:\n\nother host\nTIME_WAIT\n  A {term}`page <pages>` of\n"
        "  `PEER=` or *more*.\n\nnext one\n  See [this](/book/x.md).\n```\n\nAfter it\n  not that\n"
    )
    assert glossary.definitions() == {
        "term-other-host": "A page of PEER= or more.",
        "term-TIME_WAIT": "A page of PEER= or more.",
        "term-next-one": "See this.",
    }

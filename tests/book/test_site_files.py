"""Every HTML file of the site: well formed, its links lead somewhere, its icons and its card are there."""

import re
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import unquote, urlparse

import html5lib
import pytest
from helpers.books import html_files
from PIL import Image

from reckon.book.staging import card

pytestmark = pytest.mark.book


class Tags(HTMLParser):
    """The tags of a page with their attributes."""

    def __init__(self, path):
        super().__init__()
        self.tags = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def ids(self):
        return [attributes["id"] for _, attributes in self.tags if "id" in attributes]

    def links(self):
        for _, attributes in self.tags:
            for name in ("href", "src", "srcset"):
                if attributes.get(name):
                    yield attributes[name]


def test_every_link_within_the_site_leads_somewhere_and_ids_are_unique(built):
    site = built / "html"
    pages = {path: Tags(path) for path in html_files(site)}
    targets = {path: Counter(page.ids()) for path, page in pages.items()}
    repeated = {(p.name, name) for p, ids in targets.items() for name in ids if ids[name] > 1}
    assert repeated == set()
    dead = set()
    for path, page in pages.items():
        for link in page.links():
            address = urlparse(link)
            if address.scheme or address.netloc:
                continue
            target = path
            if address.path:
                target = (path.parent / unquote(address.path)).resolve()
            fragment = unquote(address.fragment)
            has_anchor = not fragment or target not in targets or fragment in targets[target]
            if not (target.is_file() and has_anchor):
                dead.add((path.name, link))
    if not (site / "reckon.pdf").exists():  # without TeX
        dead = {(page, link) for page, link in dead if not link.endswith(".pdf")}
    assert dead == set()


def test_html_is_well_formed(built):
    for path in html_files(built / "html"):
        parser = html5lib.HTMLParser()
        parser.parse(path.read_text("utf-8"))
        assert parser.errors == [], path.name


def test_each_page_has_one_title_a_favicon_and_a_card(built):
    for path in html_files(built / "html"):
        if path == built / "html/index.html":  # it only leads to the front page
            continue
        tags = Tags(path).tags
        assert [tag for tag, _ in tags].count("h1") == 1, path.name
        meta = {
            a.get("property") or a.get("name"): a.get("content") for t, a in tags if t == "meta"
        }
        assert meta["og:title"] and meta["og:description"] and meta["twitter:card"]
        assert "<" not in meta["og:title"]
        image = (path.parent / meta["og:image"]).resolve()
        assert Image.open(image).size == card.SIZE
        icons = [a["href"] for tag, a in tags if tag == "link" and a.get("rel") == "icon"]
        assert len(icons) == 1 and (path.parent / icons[0]).is_file(), path.name


ICONS = """[...document.querySelectorAll(".fa-solid, .fas")].map((icon) => {
  const style = getComputedStyle(icon);
  return [icon.className, style.maskImage.startsWith('url("data:image/svg+xml')];
})"""


@pytest.mark.parametrize("media", ["light", "dark", "print"])
def test_every_icon_of_the_theme_has_a_picture(built, browser, media):
    context = browser.new_context(color_scheme="dark" if media == "dark" else "light")
    page = context.new_page()
    if media == "print":
        page.emulate_media(media="print")
    page.goto((built / "html/notebooks/cpu/syscall.html").as_uri())
    icons = page.evaluate(ICONS)
    assert len(icons) > 10
    assert [name for name, has_picture in icons if not has_picture] == []
    context.close()


def test_nothing_of_fontawesome_is_left_on_a_page(built):
    for path in html_files(built / "html"):
        assert not re.search(r"/fontawesome/|x-thebe-config", path.read_text("utf-8")), path.name

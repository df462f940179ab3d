"""Every HTML file of the site as it is opened from the disk: light, self-contained, well formed."""

import gzip
import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlparse

import html5lib
import pytest
from PIL import Image

from reckon.book import card

pytestmark = pytest.mark.book

# Bytes as a server sends them, compressed by gzip.
FRONT_PAGE_LIMIT = 1_000_000
FURTHER_PAGE_LIMIT = 300_000


def html_files(site):
    """All pages; the theme leaves two files of macros among its static files."""
    return sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)


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


@pytest.fixture(scope="module")
def opened(built, browser):
    """What the browser reported of each page: its faults, and the addresses that it loaded."""
    reports = {}
    for path in html_files(built / "html"):
        faults, loaded = [], set()
        context = browser.new_context()
        page = context.new_page()
        page.on("pageerror", lambda error, faults=faults: faults.append(str(error)))
        page.on("console", lambda message, faults=faults: faults.extend(console_faults(message)))
        page.on("request", lambda request, loaded=loaded: loaded.add(request.url))
        page.goto(path.as_uri(), wait_until="networkidle")
        context.close()
        reports[path] = faults, loaded
    return reports


def console_faults(message):
    """A message other than what the theme's scripts log."""
    return [message.text] if message.type in ("error", "warning", "assert") else []


def weights(addresses):
    """The compressed size of each file."""
    paths = {unquote(urlparse(url).path) for url in addresses if url.startswith("file:")}
    return {path: len(gzip.compress(Path(path).read_bytes())) for path in paths}


def test_a_page_opened_from_the_disk_has_no_error_and_loads_nothing_from_elsewhere(opened):
    assert len(opened) > 30
    assert {path.name: faults for path, (faults, _) in opened.items() if faults} == {}
    foreign = {
        (path.name, url)
        for path, (_, loaded) in opened.items()
        for url in loaded
        if not url.startswith(("file:", "data:", "blob:"))
    }
    assert foreign == set()


def test_the_front_page_is_light_and_further_pages_add_little(built, opened):
    front = weights(opened[built / "html/book/intro.html"][1])
    assert 0 < sum(front.values()) <= FRONT_PAGE_LIMIT
    for path, (_, loaded) in opened.items():
        added = sum(size for file, size in weights(loaded).items() if file not in front)
        assert added <= FURTHER_PAGE_LIMIT, (path.name, added)


def test_mathjax_is_loaded_only_where_there_is_a_formula(opened):
    for path, (_, loaded) in opened.items():
        has_formula = 'class="math' in path.read_text("utf-8")
        assert any("/mathjax/" in url for url in loaded) == has_formula, path.name


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

"""A published site names no host, user or address."""

import errno
import importlib
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from helpers import made_up
from helpers.project import ROOT

from reckon import config, records
from reckon.book import private_names, publish, sphinx
from reckon.book.staging import stage
from reckon.errors import ReckonError


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The run `here`, measured with a peer, on a computer whose name is in it."""
    settings = config.Settings(runs_dir=tmp_path / "runs", build_dir=tmp_path / "_build")
    monkeypatch.setattr(config, "_in_use", settings)
    monkeypatch.setattr(private_names.socket, "gethostname", lambda: "alices-laptop")
    fields = {"peer": {"address": {"value": "server.example:7325", "source": "PEER"}}}
    fitness = [{"name": "load", "state": "pass", "found": "none on alices-laptop"}]
    made_up.run("here", made_up.results(1), machine=fields, fitness=fitness)
    return records.read_run("here")


def test_names_of_the_computer_and_the_peer_and_addresses_are_found(run):
    text = "alices-laptop, server.example, 10.1.2.3, fe80::1:2 and 00:11:22:aa:bb:cc"
    assert sorted(private_names.private_names(run, records.run_dir("here"), text)) == sorted(
        ["alices-laptop", "server.example", "10.1.2.3", "fe80::1:2", "00:11:22:aa:bb:cc"]
    )


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1 and ::1",
        "192.0.2.7",
        "1.2.3.4.5",
        "300.1.1.1",
        "12:34:56",
        "std::sort",
        "10.77.0.2",
    ],
)
def test_what_names_no_host_is_left(run, text):
    assert private_names.private_names(run, records.run_dir("here"), text) == ["alices-laptop"]


def test_a_word_of_the_prose_is_no_name(run, monkeypatch):
    monkeypatch.setattr(private_names.socket, "gethostname", lambda: "vm")
    assert (
        private_names.private_names(run, records.run_dir("here"), "The sysctl vm.drop_caches") == []
    )


def test_a_hash_stands_for_a_name_and_not_for_a_part_of_another(run):
    hashed = private_names.hashes(["10.1.2.3", "anna"])
    text = private_names.hide("anna, annabel, 10.1.2.3 and anna", hashed)
    assert text == f"{hashed['anna']}, annabel, {hashed['10.1.2.3']} and {hashed['anna']}"
    assert hashed["anna"] != private_names.hashes(["anna"])["anna"]  # no table of hashes serves


def test_previews_of_links_have_whole_addresses_where_the_site_s_is_known(monkeypatch):
    address = "https://a.org/book/"
    assert "baseurl" not in stage._jupyter_book_settings()
    chosen = config.settings().model_copy(update={"url": address})
    monkeypatch.setattr(config, "_in_use", chosen)
    assert yaml.safe_load(stage._jupyter_book_settings())["html"]["baseurl"] == address
    monkeypatch.syspath_prepend(ROOT / "book/ext")
    social_cards = importlib.import_module("social_cards")
    app = SimpleNamespace(config=SimpleNamespace(html_baseurl=address, html_title="Reckon"))
    context = {}
    social_cards.add_card(app, "cpu/call", "page.html", context, None)
    assert f'<meta property="og:image" content="{address}_static/card.png">' in context["metatags"]


@pytest.fixture
def site(run):
    folder = sphinx.site_dir()
    folder.mkdir(parents=True)
    for name in ("index.html", "old.html"):
        (folder / name).write_text(name)
    return folder


def test_a_checkout_keeps_what_no_site_wrote(site, tmp_path):
    target = tmp_path / "gh-pages"
    (target / ".git").mkdir(parents=True)
    for name in (".git/HEAD", ".nojekyll", "CNAME"):
        (target / name).write_text(name)
    publish.publish(target, pdfs=stage.PDFS)
    (target / "README.md").write_text("mine")
    (site / "old.html").unlink()
    publish.publish(target, pdfs=stage.PDFS)
    assert (target / ".git/HEAD").exists()
    assert {path.name for path in target.iterdir()} == {
        ".git",
        ".nojekyll",
        ".reckon-site",
        "CNAME",
        "README.md",
        "index.html",
    }
    (site / "README.md").touch()
    with pytest.raises(ReckonError, match="README.md is not of an earlier site"):
        publish.publish(target, pdfs=stage.PDFS)
    assert (target / "README.md").read_text() == "mine"


@pytest.mark.parametrize(("of", "name"), [(shutil, "copytree"), (Path, "rename")])
def test_an_interrupted_publication_is_made_again(site, tmp_path, monkeypatch, of, name):
    target = tmp_path / "public"
    publish.publish(target, pdfs=stage.PDFS)

    def fail(_, there, **_options):
        there.mkdir(exist_ok=True)
        (there / "half").touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as broken, pytest.raises(OSError, match="No space"):
        broken.setattr(of, name, fail)
        publish.publish(target, pdfs=stage.PDFS)
    assert name == "rename" or (target / "old.html").exists()
    publish.publish(target, pdfs=stage.PDFS)
    assert (target / "index.html").is_file()


def test_pages_and_pictures_of_an_earlier_book_are_not_published(run):
    site = sphinx.site_dir()
    (site / "_images").mkdir(parents=True)
    for name in ("index.html", "_images/of-another-run.svg", "reckon.pdf"):
        (site / name).touch()
    (site.parent / "html.built").write_text("hashes")
    sphinx.remove_pages()
    assert [path.name for path in site.iterdir()] == ["reckon.pdf"]
    assert not (site.parent / "html.built").exists()


def test_the_site_is_copied_and_replaces_an_earlier_one(run, tmp_path):
    site, target = sphinx.site_dir(), tmp_path / "public"
    site.mkdir(parents=True)
    for name in ("index.html", *stage.PDFS, ".buildinfo"):
        (site / name).write_text(name)
    target.mkdir()
    publish.publish(target, pdfs=stage.PDFS)
    before = os.umask(0o077)
    (site / "_static").mkdir()
    (site / "_static" / "style.css").write_text("")
    publish.publish(target, pdfs=[stage.POSTER])
    os.umask(before)
    for path in (target, *target.rglob("*")):  # the server is another user
        assert path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644)
    assert sorted(path.name for path in target.iterdir()) == [
        ".nojekyll",
        ".reckon-site",
        "_static",
        "index.html",
        "poster.pdf",
    ]


def test_a_folder_with_other_files_is_refused(run, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter").write_text("dear")
    with pytest.raises(ReckonError, match="holds other files"):
        publish.publish(tmp_path / "home", pdfs=stage.PDFS)
    assert (tmp_path / "home" / "letter").exists()

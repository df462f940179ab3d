"""The site of a collection names the outlier and what a change did; every link leads somewhere."""

import csv
import itertools
import json
import os
import re
import shutil
from urllib.parse import unquote

import html5lib
import pyarrow.parquet
import pytest
from helpers import fleets
from helpers.project import reckon

from reckon import records
from reckon.fleet.collection import network

SLOWED = {"files/read/direct_random": 3.0, "memory/latency/random": 1.6}


@pytest.fixture
def fleet(folders, shared_folder, monkeypatch):
    """The folder of twelve machines, one of them slowed and at a slow network, and one with a run before
    an upgrade."""

    def fill(folder):
        with monkeypatch.context() as set_for_now:
            set_for_now.setenv("RECKON_RUNS", str(folder))
            fleets.add_fleet(12, SLOWED)
            of_before = {"days": -9, "host": "host-3", "kernel": "5.10.0"}
            fleets.add_run("old-kernel", 3, {"cpu/syscall/getpid": 2}, **of_before)
        trip = network.measurements()[0]
        pairs = []
        for pair in itertools.combinations([f"host-{number}" for number in (1, 2, 12)], 2):
            slow = 500e-6 if "host-12" in pair else 50e-6
            values = {trip.name: network.Value(median=slow, low=None, high=None)}
            pairs.append(network.Pair(hosts=pair, measured_at=records.now(), values=values))
        network.write(folder, pairs)

    return shutil.copytree(shared_folder("twelve-machines", fill), folders / "runs")


def collected(fleet, tmp_path, *more):
    """The folder of the site, and what was printed."""
    out = tmp_path / "site"
    done = reckon("collect", str(fleet), "--out", str(out), *more)
    assert done.returncode == 0, done.stderr
    return out, done


@pytest.fixture
def site(fleet, shared_folder):
    """The folder that holds the `site` of those machines, of which no test changes a file, and what was
    `printed`."""

    def fill(folder):
        _, done = collected(fleet, folder)
        (folder / "printed").write_text(done.stdout)

    return shared_folder("site-of-twelve-machines", fill)


def table_of(out, name):
    return pyarrow.parquet.read_table(out / f"data/{name}.parquet").to_pylist()


def text_of(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page.read_text()))


def test_the_outlier_is_named_with_the_reason(site):
    printed = (site / "printed").read_text()
    assert "host-12: 2 outliers, in " in printed
    assert "It differs in: memory 4 GiB, others 16 GiB." in printed
    front = text_of(site / "site/index.html")
    assert "13 runs of 12 machines" in front and "host-12 : 2 outliers" in front
    assert "kernel 5.10.0 → 6.1.0" in front


def test_pages_are_valid_and_every_link_leads_to_a_file(site):
    pages = sorted((site / "site").rglob("*.html"))
    assert f"({len(pages)} pages)" in (site / "printed").read_text()
    for page in pages:
        content = page.read_text()
        html5lib.HTMLParser(strict=True).parse(content)
        for link in re.findall(r'(?:href|src)="([^"#]+)', content):
            if not link.startswith("data:"):
                assert (page.parent / unquote(link)).exists(), (page, link)


def test_the_network_between_the_hosts_is_on_a_page(site):
    assert "even the best pair of host-12 has 500 µs" in (site / "printed").read_text()
    assert (site / "site/network.html").read_text().count('class="outlier"') == 2


def test_without_names_no_page_and_no_table_has_one_nor_does_one_of_an_earlier_site_stay(
    fleet, site, tmp_path
):
    of_before = shutil.copytree(site / "site", tmp_path / "site") / "data/grading.csv"
    of_before.touch()
    (fleet / "broken-alice").mkdir()
    (fleet / "broken-alice/run.json").write_text("{")
    out, _ = collected(fleet, tmp_path, "--no-names")
    assert not of_before.exists() and (out / "network.html").exists()
    pages = "".join(page.read_text() for page in out.rglob("*.html"))
    assert "host-" not in pages and "alice" not in pages
    runs = pyarrow.parquet.read_table(out / "data/runs.parquet")
    assert not [text for text in runs["run"].to_pylist() if "host" in text or "kernel" in text]
    assert "Machine 1" in (out / "index.html").read_text()


def test_names_of_machines_are_text_never_markup(folders, tmp_path):
    fleets.add_fleet(3)
    run = folders / "runs/host-1/run.json"
    content = json.loads(run.read_text())
    content["machine"]["processor"]["model"]["value"] = "<script>alert(1)</script>"
    run.write_text(json.dumps(content))
    out, _ = collected(folders / "runs", tmp_path)
    pages = "".join(page.read_text() for page in out.rglob("*.html"))
    assert "<script" not in pages and "&lt;script&gt;" in pages
    assert "With fewer than 8 machines none can be called an outlier" in pages


def test_another_folder_is_not_overwritten(fleet, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("x")
    failed = reckon("collect", str(fleet), "--out", str(other))
    assert failed.returncode == 2 and "holds other files" in failed.stderr
    assert (other / "mine.txt").exists()


def test_a_checkout_of_a_collection_keeps_its_history(fleet, site, tmp_path):
    out = shutil.copytree(site / "site", tmp_path / "site")
    (out / ".git").mkdir()
    (out / "CNAME").touch()
    collected(fleet, tmp_path)
    assert (out / ".git").exists() and (out / "CNAME").exists()


def test_a_table_for_grading_counts_what_predictions_are_worth_and_json_has_what_was_found(
    fleet, site, tmp_path
):
    umask = os.umask(0o077)
    out, done = collected(fleet, tmp_path, "--grading", "--json")
    os.umask(umask)
    assert {path.stat().st_mode & 0o777 for path in (out, *out.rglob("*"))} == {0o755, 0o644}
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
    (outlier,) = json.loads(done.stdout)["outliers"]
    assert outlier["machine"] == "host-12"
    with open(out / "data/grading.csv", newline="") as file:
        rows = {row["name"]: row for row in csv.DictReader(file)}
    assert len(rows) == 13  # two of them of one machine
    ids = {row["run"]: row["run_id"] for row in table_of(out, "runs")}
    shares = {row["run"]: row["within_miss"] for row in table_of(out, "runs")}
    for name, row in rows.items():
        last = {
            each["quantity"]: each["ratio"]
            for each in sorted(table_of(out, "quantities"), key=lambda each: each["x"] or 0)
            if each["run_id"] == ids[name]
        }
        within = [1 / 2 <= ratio <= 2 for ratio in last.values()]
        assert int(row["predicted"]) == int(row["measured"]) == len(within)
        assert float(row["within"]) == shares[name]
        assert float(row["off"]) >= 1 and len(row["root_hash"]) > 20
    assert "grading.html" in (out / "index.html").read_text()
    assert not (site / "site/grading.html").exists()


def test_a_source_inside_the_site_is_not_removed(site, tmp_path):
    out = shutil.copytree(site / "site", tmp_path / "site")
    inside = out / "handed-in"
    inside.mkdir()
    failed = reckon("collect", str(inside), "--out", str(out))
    assert failed.returncode == 2 and "which is replaced; choose another --out" in failed.stderr
    assert inside.exists()

"""`reckon class`: the predictions of many readers on one page."""

import csv
import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from helpers.project import reckon

from reckon.fleet import readers
from reckon.fleet.pages import class_page
from reckon.records.quantities.lookup import all_results

NULL_CALL, TIMES, CURVE = "cpu/syscall/getpid", "cpu/syscall/times", "cpu/syscall/amortised"


@pytest.fixture
def results(recorded):
    return {result.quantity: result for result in all_results("recorded", "cpu/syscall")}


@pytest.fixture
def handed_in(tmp_path):
    """Writes the files that readers handed in; their folder."""
    folder = tmp_path / "handed-in"
    folder.mkdir()

    def write(**files):
        for name, text in files.items():
            (folder / f"{name}.toml").write_bytes(
                text if isinstance(text, bytes) else text.encode()
            )
        return folder

    return write


def stated(quantity, value, more=""):
    return f'["{quantity}"]\npredicted = "{value}"\n{more}\n'


ADA = '[reader]\nname = "Ada <b>"\n' + stated(NULL_CALL, "150 ns", 'low = "1 ns"\nhigh = "1 s"')


def test_the_guesses_of_a_quantity_are_sorted_from_the_best_to_the_worst(handed_in, results):
    median_ns = 1e9 * results[NULL_CALL].median
    files = {
        name: stated(NULL_CALL, f"{median_ns * factor} ns")
        for name, factor in (("a", 3), ("b", 0.9), ("c", 0.2))
    }
    group = readers.read_folder(handed_in(**files), [*results.values()])
    (quantity,) = group.quantities
    assert [guess.reader for guess in quantity.guesses] == ["b", "a", "c"]
    assert [guess.factor_off for guess in quantity.guesses] == pytest.approx([1 / 0.9, 3, 5])
    assert not quantity.were_all_wrong and group.readers == ["a", "b", "c"]
    assert "3 predictions: from " in " ".join(class_page.sentences(quantity, with_names=True))


def test_changed_inputs_predict_by_the_books_formula(handed_in, results):
    folder = handed_in(a=f'["{NULL_CALL}"]\nkernel_path = "550 cycle"\nclock = "3.2 GHz"\n')
    (quantity,) = readers.read_folder(folder, [*results.values()]).seen
    (guess,) = quantity.guesses
    assert guess.predicted == pytest.approx((90 + 550) / 3.2e9)
    assert guess.interval[0] < guess.predicted < guess.interval[1]


def test_who_saw_the_measured_value_is_apart(handed_in, results):
    median_ns = 1e9 * results[NULL_CALL].median
    saw = (
        f'["{NULL_CALL}"]\nkernel_path = "{(median_ns * 3.2 - 90):.4f} cycle"\nclock = "3.2 GHz"\n'
    )
    folder = handed_in(
        saw=saw, guessed=stated(NULL_CALL, f"{2 * median_ns} ns"), empty="# Nothing.\n"
    )
    group = readers.read_folder(folder, [*results.values()])
    text = " ".join(class_page.sentences(*group.quantities, with_names=True))
    assert "1 prediction: " in text and "Nearest: guessed, " in text
    assert group.readers == ["guessed"]
    above, _, below = class_page.page(group, "recorded", with_names=True).partition(
        "By changed inputs"
    )
    assert 'scope="row">saw<' in below and 'scope="row">saw<' not in above
    assert [fault.endswith("nothing is predicted in it.") for fault in group.skipped] == [True]


def votes(name, value, first="", reason=""):
    more = "".join(
        f"{key} = {json.dumps(entry)}\n"
        for key, entry in (("first_vote", first), ("reason", reason))
        if entry
    )
    return f'[reader]\nname = "{name}"\n' + stated(NULL_CALL, value, more)


def test_a_class_of_five_with_two_votes(handed_in, results, tmp_path):
    ns = 1e9 * results[NULL_CALL].median
    folder = handed_in(
        ada=votes("Ada", f"{ns * 1.25} ns", f"{ns * 4} ns", "two mode <switches>"),
        ben=votes("Ben", f"{ns / 1.3} ns", f"{ns / 4} ns"),
        cem=votes("Cem", f"{ns * 3} ns"),
        dua=votes("Dua", f"{ns} ns", f"{ns} ns", "=1+1"),
        eve=f'[reader]\nname = "Eve"\n["{NULL_CALL}"]\nkernel_path = "550 cycle"\n',
    )
    (folder / "ada (1).toml").write_bytes((folder / "ada.toml").read_bytes())
    out, table = tmp_path / "page.html", tmp_path / "page.csv"
    done = reckon("class", str(folder), "--out", str(out), "--csv", str(table), "--run", "recorded")
    assert done.returncode == 0 and "4 readers, 1 quantity." in done.stdout, done.stderr
    assert "ada (1).toml: it is a copy of ada.toml." in done.stderr
    page = out.read_text()
    assert "3 readers predicted again after a discussion: off by a factor of 2.52 before" in page
    assert "and 1.18 after it" in page
    assert "two mode &lt;switches&gt;" in page and "before the discussion" in page
    dots = re.findall(r'<circle class="(\w+)" cx="[\d.]+".*?<title>(\w+): ', page)
    assert sorted(dots) == sorted(
        [("predicted", name) for name in ("Ada", "Ben", "Cem", "Dua")]
        + [("first", name) for name in ("Ada", "Ben", "Dua")]
    )
    ElementTree.fromstring(page.partition("<body>")[2].partition("</body>")[0].strip())
    rows = list(csv.DictReader(table.open()))
    assert [row["reader"] for row in rows] == ["Dua", "Ada", "Ben", "Cem", "Eve"]
    assert rows[0]["reason"] == "'=1+1" and rows[4]["saw_measured"] == "True"
    assert float(rows[1]["first_vote"]) == pytest.approx(4 * ns, rel=1e-5)
    # Before the second vote: the distribution, without anything of the answer.
    done = reckon("class", str(folder), "--out", str(out), "--no-answer", "--run", "recorded")
    covered = out.read_text()
    assert "4 predictions: from" in covered and "two mode &lt;switches&gt;" in covered
    main = covered.partition("<main>")[2]
    for words in ("easured", "Nearest", "off by", "Readers<", "wrong", 'class="line"', "Eve"):
        assert words not in main, words
    assert "<title>Cem: " in main and "wrong" not in done.stdout
    reckon("class", str(folder), "--out", str(out), "--run", "recorded")
    # Nothing of what was made is lost to a folder of another run.
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.toml").write_text(stated("cpu/syscall/getpit", "1 ns"))
    done = reckon("class", str(other), "--out", str(out), "--run", "recorded")
    assert done.returncode == 2 and f"so {out} is not written; choose another" in done.stderr
    assert out.read_text() == page


def test_one_slip_does_not_decide_how_far_a_class_is_off(handed_in, results):
    median_ns = 1e9 * results[NULL_CALL].median
    files = {f"a{k}": stated(NULL_CALL, f"{1.5 * median_ns} ns") for k in range(3)}
    group = readers.read_folder(
        handed_in(**files, slip=stated(NULL_CALL, "90 s")), [*results.values()]
    )
    text = " ".join(class_page.sentences(*group.quantities, with_names=True))
    assert "In the median off by a factor of 1.50." in text


def test_a_curve_is_compared_where_it_was_predicted(handed_in, results):
    text = stated(CURVE, "200 ns", 'at = "8"')
    group = readers.read_folder(handed_in(a=text, b=stated(CURVE, "200 ns")), [*results.values()])
    curve = results[CURVE]
    points = {each.guesses[0].point for each in group.quantities}
    assert points == {curve.point_index(8), len(curve.points) - 1}
    measured = {each.guesses[0].measured for each in group.quantities}
    assert measured == {curve.summaries[point].median for point in points}


def test_where_everyone_was_wrong_is_said_first(handed_in, results):
    folder = handed_in(a=stated(TIMES, "10 us"), b=stated(TIMES, "20 us"), c=ADA)
    group = readers.read_folder(folder, [*results.values()])
    page = class_page.page(group, "recorded", with_names=True)
    top, _, below = page.partition("<h2>Readers</h2>")
    assert "times</a>: Everyone was too high, by more than a factor of 2." in top
    assert "getpid" not in top.partition("<main>")[2]
    assert "Ada &lt;b&gt;" in below and "Ada <b>" not in page
    ElementTree.fromstring(page.partition("<body>")[2].partition("</body>")[0].strip())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[", "broken.toml: "),
        (b"\xff\xfe\x00", "broken.toml: "),
        ("a = 1", "broken.toml: a: "),
        (
            stated("cpu/syscall/getpit", "1 ns"),
            "the run has no cpu/syscall/getpit; did you mean cpu/syscall/getpid?",
        ),
        (stated(NULL_CALL, "1 MB"), "getpid is a time, but 1 MB is not."),
        (stated(NULL_CALL, "fast"), "'fast' is not a number with its unit; "),
        (stated(NULL_CALL, "1.234,5 ns"), "nothing between thousands."),
        (f'[reader]\nname = "{201 * "a"}"\n' + stated(NULL_CALL, "1 ns"), "over 200 characters"),
        (stated(NULL_CALL, "1 parsec^"), "broken.toml: "),
        (stated(NULL_CALL, "-3 ns"), "has to be larger than 0."),
        (stated(CURVE, "3 ns", 'at = "7"'), "was not measured at 7."),
        (f'["{NULL_CALL}"]\nclok = "3 GHz"', "did you mean clock?"),
    ],
)
def test_a_broken_file_is_named_and_skipped(text, says, handed_in, results):
    folder = handed_in(broken=text, whole=ADA)
    (folder / "whole.toml").rename(folder / "WHOLE.TOML")
    group = readers.read_folder(folder, [*results.values()])
    (fault,) = group.skipped
    assert says in fault and "broken.toml: " in fault
    assert group.readers == ["Ada <b>"] and len(group.quantities) == 1


def test_two_readers_of_one_name_are_two_and_a_copied_file_is_none(handed_in, results):
    other, unnamed = ADA.replace("150", "151"), stated(NULL_CALL, "9 ns")
    folder = handed_in(a=ADA, b=other, c=ADA, d=unnamed, e=unnamed)
    (folder / "d (2).toml").write_text(unnamed)
    group = readers.read_folder(folder, [*results.values()])
    assert group.readers == ["Ada <b>", "Ada <b> (2)", "d", "e"]
    assert [fault.rpartition("/")[2] for fault in group.skipped] == [
        "c.toml: it is a copy of a.toml.",
        "d (2).toml: it is a copy of d.toml.",
    ]


def test_the_command_writes_the_page_and_can_leave_names_out(handed_in, recorded, tmp_path):
    folder, out = handed_in(grace=ADA, broken="["), tmp_path / "page.html"
    done = reckon("class", str(folder), "--out", str(out))
    assert done.returncode == 0 and "1 reader, 1 quantity." in done.stdout
    assert "Skipped: " in done.stderr and "broken.toml" in done.stderr
    assert "Ada" in out.read_text() and "broken.toml" in out.read_text()
    done = reckon("class", str(folder), "--out", str(out), "--no-names", "--json")
    (quantity,) = json.loads(done.stdout)
    assert quantity["predictions"][0]["inside_interval"] is True
    for text in (done.stdout, out.read_text()):
        assert "Ada" not in text and "grace" not in text and "broken" not in text
    done = reckon("class", str(tmp_path / "nowhere"))
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_the_file_of_a_reader_is_no_revision(handed_in, recorded, monkeypatch):
    """`make book PREDICTIONS=` takes the changed inputs alone."""
    folder = handed_in(a=ADA)
    monkeypatch.setenv("RECKON_PREDICTIONS", str(folder / "a.toml"))
    result = next(r for r in all_results("recorded", "cpu/syscall") if r.quantity == NULL_CALL)
    assert result.revisions == []

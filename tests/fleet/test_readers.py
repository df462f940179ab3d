"""`reckon class`: the predictions of many readers on one page."""

import csv
import json
import os
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


def votes(name, value, **more):
    lines = "".join(f"{key} = {json.dumps(entry)}\n" for key, entry in more.items())
    return f'[reader]\nname = "{name}"\n' + stated(NULL_CALL, value, lines)


def test_a_class_of_five_with_two_votes(handed_in, results, tmp_path):
    ns = 1e9 * results[NULL_CALL].median
    folder = handed_in(
        ada=votes(
            "Ada",
            f"{ns * 1.25} ns",
            reason="two mode <switches>",
            first_predicted="300 ns",
            first_low="200 ns",
            first_high="500 ns",
            first_reason="a guess",
        ),
        ben=votes("Ben", f"{ns / 1.3} ns", first_predicted=f"{ns / 4} ns", low="1 ns", high="1 us"),
        cem=votes("Cem", f"{ns * 3} ns"),
        dua=votes("Dua", f"{ns} ns", first_predicted=f"{ns} ns", reason="=1+1"),
        eve=f'[reader]\nname = "Eve"\n["{NULL_CALL}"]\nkernel_path = "550 cycle"\n',
    )
    (folder / "ada (1).toml").write_bytes((folder / "ada.toml").read_bytes())
    out, table = tmp_path / "page.html", tmp_path / "page.csv"
    done = reckon("class", str(folder), "--out", str(out), "--csv", str(table), "--run", "recorded")
    assert done.returncode == 0 and "4 readers, 1 quantity." in done.stdout, done.stderr
    assert "ada (1).toml: it is a copy of ada.toml." in done.stderr
    page = out.read_text()
    assert "3 readers predicted again after a discussion: off by a factor of 2.54 before" in page
    assert "and 1.18 after it" in page
    assert "Ada: 300 ns (200 ns to 500 ns), “a guess”; then 91.6 ns, “two mode &lt;switches" in page
    assert "; then 56.4 ns (1.00 ns to 1.00 µs)</li>" in page and "before the discussion" in page
    dots = re.findall(r'<circle class="(\w+)" cx="[\d.]+".*?<title>(\w+): ', page)
    assert sorted(dots) == sorted(
        [("predicted", name) for name in ("Ada", "Ben", "Cem", "Dua")]
        + [("first", name) for name in ("Ada", "Ben", "Dua")]
    )
    ElementTree.fromstring(page.partition("<body>")[2].partition("</body>")[0].strip())
    # Without the mark a spreadsheet takes "Ç" for two letters.
    assert table.read_text().startswith("\ufeffquantity,")
    rows = list(csv.DictReader(table.open(encoding="utf-8-sig")))
    assert [row["reader"] for row in rows] == ["Dua", "Ada", "Ben", "Cem", "Eve"]
    assert rows[0]["reason"] == "'=1+1" and rows[4]["saw_measured"] == "True"
    first = {name: entry for name, entry in rows[1].items() if name.startswith("first_")}
    assert [*first.values()] == ["300", "200", "500", "a guess"]
    done = reckon("class", str(folder), "--out", str(out), "--json", "--run", "recorded")
    (quantity,) = json.loads(done.stdout)
    first = quantity["predictions"][1]["first"]
    assert first["interval"] == pytest.approx([200e-9, 500e-9]) and first["reason"] == "a guess"
    # Before the second vote: the distribution of the first, without anything of the answer.
    done = reckon("class", str(folder), "--out", str(out), "--no-answer", "--run", "recorded")
    covered = out.read_text()
    assert "4 predictions: from 18.3 ns to 300 ns" in covered
    assert "Ada: 300 ns (200 ns to 500 ns), “a guess”</li>" in covered
    main = covered.partition("<main>")[2]
    for words in (
        "easured",
        "Nearest",
        "off by",
        "Readers<",
        "wrong",
        'class="line"',
        "Eve",
        "then",
    ):
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


def test_a_first_vote_alone_is_no_final_one(handed_in, results, tmp_path):
    ns = 1e9 * results[NULL_CALL].median
    first = f'first_predicted = "{ns * 3} ns"\nfirst_low = "1 ns"\nfirst_high = "1 s"\n'
    once = f'[reader]\nname = "Ada"\n["{NULL_CALL}"]\n{first}first_reason = "a guess"\n'
    only = f'["{TIMES}"]\n{first}'
    folder = handed_in(
        ada=once + only, ben=votes("Ben", f"{ns} ns", first_predicted=f"{ns * 2} ns")
    )
    out, table = tmp_path / "page.html", tmp_path / "page.csv"
    call = ("class", str(folder), "--out", str(out), "--csv", str(table), "--run", "recorded")
    done = reckon(*call)
    assert "2 readers, 2 quantities. 1 reader has not voted again." in done.stdout, done.stderr
    page = out.read_text()
    assert page.count("1 reader has not voted again.") == 2
    assert "1 prediction: " in page and "1 reader predicted again after a discussion" in page
    assert "(1.00 ns to 1.00 s), “a guess”; then no second vote</li>" in page
    assert re.findall(r'<circle class="(\w+)" cx="[\d.]+".*?<title>Ada: ', page) == ["first"] * 2
    assert '<tr><th scope="row">Ben<' in page and '<th scope="row">Ada<' not in page
    rows = list(csv.DictReader(table.open(encoding="utf-8-sig")))
    of_ada = rows[1]
    assert (of_ada["first_reason"], of_ada["predicted"], of_ada["factor_off"]) == (
        "a guess",
        "",
        "",
    )
    getpid, times = json.loads(reckon(*call, "--json").stdout)
    assert len(getpid["predictions"]) == len(getpid["not_voted_again"]) == 1
    assert times["predictions"] == [] and times["measured"] == results[TIMES].median
    reckon(*call, "--no-answer")
    assert "2 predictions: from " in out.read_text() and "voted again" not in out.read_text()


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
        (
            stated(NULL_CALL, "1 MB"),
            "getpid: predicted: This is a time, but 1 MB is an amount of data; write",
        ),
        (stated(NULL_CALL, "1e306 hour"), "predicted: This is too large for a number"),
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


def test_a_reader_counts_once_by_the_newest_file(handed_in, results):
    unnamed = stated(NULL_CALL, "9 ns")
    folder = handed_in(
        a=ADA,
        b=ADA.replace("150", "151").replace('"Ada', '"  ADA '),
        c=ADA,
        d=unnamed,
        e=unnamed,
        f="# Nothing.\n" + ADA.partition('["')[0],
    )
    (folder / "d (2).toml").write_text(unnamed)
    (folder / "d (3).toml").write_text(unnamed.replace("9", "8"))  # nobody knows whose
    for number, name in enumerate("acb"):
        os.utime(folder / f"{name}.toml", (number, number))
    group = readers.read_folder(folder, [*results.values()])
    assert group.readers == ["ADA  <b>", "d", "d (2)", "e"]
    (of_ada,) = [guess for guess in group.quantities[0].guesses if guess.reader == "ADA  <b>"]
    assert of_ada.predicted == pytest.approx(151e-9)
    assert [fault.rpartition("/")[2] for fault in group.skipped] == [
        "f.toml: nothing is predicted in it.",
        "a.toml: b.toml is of the same reader and newer, so it alone counts.",
        "c.toml: b.toml is of the same reader and newer, so it alone counts.",
        "d (2).toml: it is a copy of d.toml.",
    ]
    assert "a.toml: b.toml is of the same" in class_page.page(group, "recorded", with_names=True)


def test_what_a_file_says_of_its_browser_and_its_time_counts_first(handed_in, results):
    def by(reader, written, value):
        return f'[reader]\nbrowser = "x1"\nwritten = "{written}"\n{reader}' + stated(
            NULL_CALL, value
        )

    folder = handed_in(
        a=by('name = "Ada"\n', "2026-03-02T10:00:00Z", "2 ns"),
        b=by("", "2026-03-02T09:59:59Z", "1 ns"),  # handed in without the name, before
    )
    os.utime(folder / "a.toml", (0, 0))
    group = readers.read_folder(folder, [*results.values()])
    assert group.readers == ["Ada"]
    assert group.quantities[0].guesses[0].predicted == pytest.approx(2e-9)
    # Of two readers at one computer it is not known whose a file without a name is.
    handed_in(c=by('name = "Ben"\n', "2026-03-01T10:00:00Z", "3 ns"))
    group = readers.read_folder(folder, [*results.values()])
    assert group.readers == ["Ada", "b", "Ben"]


def test_predictions_of_one_value_have_no_range(handed_in, results):
    group = readers.read_folder(
        handed_in(
            a=stated(TIMES, "300 ns", 'low = "300 ns"\nhigh = "300 ns"'),
            b=stated(TIMES, "300.1 ns"),
        ),
        [*results.values()],
    )
    (quantity,) = group.quantities
    assert quantity.guesses[0].interval is None
    assert "2 predictions: 300 ns." in class_page.sentences(quantity, with_names=True)


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

"""What is kept in What if? panels, in Chromium: across reloads and pages, as a list, a file and a link."""

import json
import shutil
import tomllib
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from helpers import panels
from helpers.panels import NULL_CALL, field, of_book, panel, results_of
from helpers.project import ROOT

from reckon import units
from reckon.edits.what_if_panels import rules
from reckon.show.titles import title_of

pytestmark = pytest.mark.browser

OTHER_PAGE = "memory/latency"
STORE = "reckon-kept "


def keep(page, number):
    box = panel(page)
    field(box, "kernel path").fill(number)
    box.get_by_text("Keep these predictions").click()
    return box


def opened(page):
    page.locator(".kept-opener").click()
    return page.locator("dialog.kept")


def add(page, content, name="a.toml"):
    """Add a file in the open dialog; what is said."""
    dialog = page.locator("dialog.kept")
    before = dialog.locator("output").text_content()
    content = content if isinstance(content, bytes) else content.encode()
    dialog.locator("input[type=file]").set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )
    page.wait_for_function(
        "before => document.querySelector('dialog.kept output').textContent !== before", arg=before
    )
    return dialog.locator("output").text_content()


def downloaded(page):
    with page.expect_download() as download:
        page.locator("dialog.kept").get_by_text("Download predictions.toml").click()
    assert download.value.suggested_filename == "predictions.toml"
    return tomllib.loads(download.value.path().read_text())


def test_what_is_kept_stays_on_all_pages_and_can_be_removed_and_taken_back(open_page):
    page = open_page(groups=[(NULL_CALL,), ("cpu/syscall/getpid_int80",)])
    box = keep(page, "550.5")
    assert "Kept 1" in page.locator(".kept-opener").text_content()
    assert (
        box.locator(".what-if-status").text_content().startswith("Kept 1 change (1 prediction): ")
    )
    page.reload()
    assert (
        box.evaluate("box => box.open") and "(1 kept)" in box.locator("summary").first.inner_text()
    )
    said = box.get_by_text("You have kept kernel path = 550.5 cycles. Show it")
    assert field(box, "kernel path").input_value() == "150"
    said.get_by_role("link").click()
    assert field(box, "kernel path").input_value() == "550.5"
    box.get_by_text("Reset").click()
    dialog = opened(page)
    kept = dialog.get_by_role("listitem")
    assert kept.inner_text() == "kernel path = 550.5 cycles: getpid (cpu/syscall) Remove"
    kept.get_by_role("link").click()  # the panel shows it
    assert field(box, "kernel path").input_value() == "550.5"
    # The other page of the book lists the same, and adds a file.
    again = open_page_in(page, OTHER_PAGE)
    dialog = opened(again)
    assert NULL_CALL in downloaded(again)
    said = add(again, '\ufeff# A file.\r\n["memory/fault/minor"] # one\r\nentry = "5 ns"\r\n')
    assert said == "1 change (1 prediction) of a.toml added."
    whole = downloaded(again)
    assert whole[NULL_CALL] == {"kernel_path": "550.5 cycles"}
    assert whole["memory/fault/minor"] == {"entry": "5 ns"}
    dialog.get_by_label("Remove entry = 5 ns", exact=True).click()
    assert "memory/fault/minor" not in downloaded(again)
    dialog.get_by_text("Undo").click()
    assert downloaded(again) == whole
    dialog.get_by_text("Remove all").click()
    assert dialog.get_by_role("listitem").count() == 0
    dialog.get_by_text("Undo").click()
    dialog.get_by_text("Copy link").click()
    address = dialog.get_by_label("Link to copy").input_value()
    # Another browser takes what the link carries, once.
    other = open_page(fragment="#" + address.split("#")[1])
    assert "of the address added" in other.locator("dialog.kept output").text_content()
    assert downloaded(other) == whole and "#" not in other.url


def test_firefox_keeps_of_files_page_by_page_and_says_so(open_page):
    page = open_page(
        user_agent="Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
    )
    said = keep(page, "550").locator(".what-if-status").text_content()
    assert "“Kept” at the top of this page lists it; Firefox keeps those of each file apart" in said


SHARED = "network/rtt"


def test_a_change_that_predictions_share_is_one_with_the_predictions_that_follow(open_page):
    page = open_page(SHARED, groups=[*map(lambda name: (name,), results_of(SHARED))])
    shared = page.evaluate(
        """() => {
          const { formulas, inputs } = reckon.data;
          const names = new Map();
          for (const formula of formulas)
            for (const [name, number] of Object.entries(formula.inputs))
              if (inputs[number].slider && !inputs[number].reference?.startsWith("!"))
                names.set(inputs[number].shared, (names.get(inputs[number].shared) ?? new Set()).add(name));
          return [...names].find(([, all]) => all.size > 1)[0];
        }"""
    )
    page.evaluate(
        "shared => reckon.edits.change(shared, 1.1 * reckon.edits.given(shared).value)", shared
    )
    edited = page.evaluate("[...reckon.formulas.byQuantity.values()].filter(reckon.edits.isEdited)")
    names = [formula["quantity"] for formula in edited]
    assert len(names) > 1
    box = panel(page, page.locator("details.what-if").count() - 1)
    box.get_by_text("Keep these predictions").click()
    assert (
        f"Kept 1 change ({len(names)} predictions)" in box.locator(".what-if-status").text_content()
    )
    dialog = opened(page)
    listed = dialog.get_by_role("listitem").all_inner_texts()
    assert len(listed) == 1 and title_of(names[0]) in listed[0]
    with page.expect_download() as download:
        dialog.get_by_text("Download predictions.toml").click()
    text = download.value.path().read_text()
    assert set(tomllib.loads(text)) == {*names}
    assert listed[0].removesuffix(" Remove").replace("\n", "") in text.replace("# ", "")
    dialog.get_by_text("Remove all").click()
    # A page of another experiment knows no input of these, and calls them as before.
    again = open_page_in(page, OTHER_PAGE)
    dialog = opened(again)
    add(again, text)
    assert dialog.get_by_role("listitem").all_inner_texts() == listed
    dialog.get_by_role("button", name="Remove ").first.click()
    assert dialog.get_by_role("listitem").count() == 0


def open_page_in(page, experiment):
    """The same file as the page of another experiment, in the same browser."""
    path = Path(unquote(urlparse(page.url).path)).with_name("other.html")
    path.write_text(panels.html(experiment, []), encoding="utf-8")
    page.goto(path.as_uri())
    return page


BROKEN = {
    "": "it has no prediction.",
    "# Nothing.": "it has no prediction.",
    'kernel_path = "5 cycle"': "line 1 is neither",
    f'["{NULL_CALL}"]\nkernel_path = 5': 'line 2: 5 is no text; write "5".',
    f'["{NULL_CALL}"]\nclock = "3 GHz"\n["cpu/syscall/times"]  # cut': "cpu/syscall/times has nothing under it; leave it out",
    f'["{NULL_CALL}"]\nkernel_path 5': "line 2 is neither",
    f'["{NULL_CALL}"]\nkernel_path = "\\x"': "a text in quotes has a mistake.",
    f'["{NULL_CALL}"]\nkernel_pat = "5 cycle"': "no input kernel_pat; did you mean kernel_path?",
    f'["{NULL_CALL}"]\nkernel_path = "1,234 cycle"': "may be 1234 or 1.234",
    f'["{NULL_CALL}"]\nkernel_path = "5 MB"': f"{NULL_CALL}: kernel_path: This is a number of cycles, but 5 MB is an amount of data; write for example 150 cycles.",
    f'["{NULL_CALL}"]\nkernel_path = "-5 cycle"': "kernel_path: This input is below 0",
    f'["{NULL_CALL}"]\nformula = "clock, clock"': "formula: ",
    f'["{NULL_CALL}"]\nsoftware = "clock"': "software: The formula gives a clock rate",
    f'["{NULL_CALL}"]\nformula = "1, 2, 3"': "has 3 parts, not 2; write hardware, software.",
    f'["{NULL_CALL}"]\nclock = "3 GHz"\nclock = "4 GHz"': "clock is given twice; leave one out.",
    f'["{NULL_CALL}"]\npredicted = "5 ns"': "which `reckon class` reads",
    '[getpid]\nkernel_path = "5 cycle"': "“getpid” is no quantity",
    b"\xff\xfe[\x00": "not UTF-8 text",
    b"#" * 1_000_001: "more than 1 MB",
}


def test_a_file_with_a_mistake_adds_nothing_and_says_why(open_page):
    page = open_page()
    dialog = opened(page)
    for number, (content, says) in enumerate(BROKEN.items()):
        said = add(page, content, name=f"{number}.toml")
        assert said.startswith(f"{number}.toml: ") and says in said, (content, said)
        assert said.count(". ") == 0 or "formula" in said, said
    assert dialog.get_by_role("listitem").count() == 0


ELSEWHERE = {
    '["cpu/syscall/getpit"]\nkernel_path = "5 cycle"': "getpit is no quantity of this book; did you mean",
    f'["{NULL_CALL}"]\nkernel_path = "5 MB"': "This is a number of cycles, but 5 MB is an amount of data",
    '["cpu/syscall/amortised"]\ncalls = "5"': "amortised has no input calls; it has null, mode_switch, pair, clock.",
    f'["{NULL_CALL}"]\nformula = "clock, clock"': "The formula gives a clock rate, but ns is a time.",
    f'["{NULL_CALL}"]\nsoftware = "path / clock"': "path is not one of its inputs; its inputs are mode_switch",
}


@pytest.mark.parametrize("panels_there", [True, False])
def test_a_file_for_another_page_is_checked_as_on_its_own(open_page, panels_there):
    page = open_page()
    keep(page, "550")
    page = open_page_in(page, OTHER_PAGE)
    if not panels_there:  # a page without predictions
        path = Path(unquote(urlparse(page.url).path))
        start, _, rest = path.read_text().partition('<script type="application/json"')
        assert rest
        path.write_text(start)
        page.reload()
        page.evaluate("rules => void (reckon.data.rules = rules)", rules())  # as book.js has them
    opened(page)
    for number, (content, says) in enumerate(ELSEWHERE.items()):
        said = add(page, content, name=f"{number}.toml")
        assert said.startswith(f"{number}.toml: ") and says in said, (content, said)
    assert downloaded(page).keys() == {NULL_CALL}
    page.locator("dialog.kept").get_by_text("Remove all").click()
    add(page, f'["{NULL_CALL}"]\nformula = "kernel_path / clock, np.minimum(0, 0)"')
    assert downloaded(page)[NULL_CALL].keys() == {"formula"}


def test_each_unit_is_the_same_on_every_page(open_page):
    page = open_page()
    spoken = {unit for known in of_book()["inputs"].values() for unit in known["inputs"].values()}
    for unit in sorted(spoken):
        known = page.evaluate("unit => reckon.numbers.unitOf(unit)", unit)
        assert known["factor"] == pytest.approx(units.factor(unit or "1"), rel=1e-12), unit


def test_a_file_added_on_another_page_replaces_what_is_kept_and_once_is_enough(open_page):
    page = open_page()
    keep(page, "550")
    page = open_page_in(page, OTHER_PAGE)
    opened(page)
    text = f'["{NULL_CALL}"]\nkernel_path = "6 cycle"\nsoftware = "2 * kernel_path / clock"\n'
    assert add(page, text) == "2 changes (1 prediction) of a.toml added."
    assert downloaded(page)[NULL_CALL]["kernel_path"] == "6 cycle"
    assert add(page, text, "again.toml") == "All of again.toml is kept already."
    undo = page.locator("dialog.kept").get_by_text("Undo")
    assert undo.get_attribute("title") == "Takes back: 2 changes (1 prediction) of a.toml added."
    page.locator("dialog.kept").get_by_text("Undo").click()
    assert downloaded(page)[NULL_CALL] == {"kernel_path": "550 cycles"}


def test_the_inputs_of_other_pages_are_read_when_a_file_has_one(open_page, tmp_path):
    page = open_page()
    shutil.copytree(ROOT / "book" / "static", tmp_path / "static")
    text = Path(unquote(urlparse(page.url).path)).read_text()
    text = text.replace((ROOT / "book" / "static").as_uri(), "static").replace(
        '"inputs":', '"_":', 1
    )
    (tmp_path / "page.html").write_text(text)
    page.goto((tmp_path / "page.html").as_uri())
    opened(page)
    own = f'["{NULL_CALL}"]\nkernel_path = "5 cycle"\n'
    other = '["memory/fault/minor"]\nstak = "5 ns"\n'
    assert add(page, own) == "1 change (1 prediction) of a.toml added."
    assert add(page, other) == (
        "a.toml: the inputs of other pages cannot be read; add it on the page of each of its predictions."
    )
    inputs = json.dumps(of_book()["inputs"])
    (tmp_path / "static/inputs.js").write_text(f"window.reckonBook.inputs = {inputs};\n")
    assert "minor has no input stak" in add(page, other)


def test_a_link_with_a_mistake_is_refused_on_its_own_page_with_the_value_and_the_reason(open_page):
    page = open_page(fragment=f"#kept={NULL_CALL}.kernel_path=-5")
    said = page.locator("dialog.kept output").text_content()
    fault = f"{NULL_CALL}: kernel_path: This input is below 0"
    assert said.startswith(f"The address with kernel_path = -5: {fault}")


def test_what_does_not_fit_its_page_is_named_there_with_the_reason_and_removed(open_page):
    page = open_page()
    line = {"quantity": NULL_CALL, "name": "kernel_path", "amount": "5 MB"}
    page.evaluate(f"line => localStorage.setItem('{STORE}', JSON.stringify([line]))", line)
    page.reload()
    box = panel(page)
    said = box.locator(".what-if-kept")
    assert said.inner_text().startswith(
        "You have kept kernel path = 5 MB, which does not fit. kernel_path: This is a number of cycles"
    )
    assert said.get_by_role("link").count() == 0
    said.get_by_text("Remove").click()
    assert said.inner_text() == "" and "None is kept" in opened(page).inner_text()


@pytest.mark.parametrize("fault", ["full", "blocked", "unreadable"])
def test_what_the_browser_does_not_store_is_there_until_the_page_is_left(open_page, fault):
    page = open_page(fragment="?predict")
    if fault == "unreadable":
        page.evaluate(f"localStorage.setItem('{STORE}', '[5, ')")
        page.reload()
        assert "What was kept before cannot be read" in opened(page).text_content()
        page.keyboard.press("Escape")
        keep(page, "550")
        page.reload()
        opened(page)
        assert downloaded(page)[NULL_CALL] == {"kernel_path": "550 cycles"}
        return
    if fault == "full":
        page.evaluate("void (Storage.prototype.setItem = () => { throw new DOMException() })")
    else:
        page.add_init_script(
            "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no') } })"
        )
        page.reload()
    box = keep(page, "550")
    assert "so download it" in box.locator(".what-if-status").text_content()
    opened(page)
    assert downloaded(page)[NULL_CALL] == {"kernel_path": "550 cycles"}


@pytest.mark.parametrize("width", [320, 390])
def test_the_list_works_by_keyboard_and_on_a_phone(open_page, width):
    page = open_page(viewport={"width": width, "height": 800}, color_scheme="dark")
    keep(page, "550")
    page.locator(".kept-opener").focus()
    page.keyboard.press("Enter")
    dialog = page.locator("dialog.kept")
    assert dialog.bounding_box()["width"] <= width
    assert dialog.evaluate("box => box.scrollWidth <= box.clientWidth")
    names = [dialog.get_by_role("button").nth(k).aria_snapshot() for k in range(2)]
    assert "Remove" in names[0]
    dialog.get_by_role("button").first.focus()
    page.keyboard.press("Enter")
    assert dialog.get_by_role("listitem").count() == 0
    assert page.evaluate("document.querySelector('dialog.kept').contains(document.activeElement)")
    page.keyboard.press("Escape")
    assert not dialog.is_visible()


def test_only_predictions_that_a_change_moves_are_kept(open_page):
    """The time of main memory is an input of the caches' predictions, too: as what comes after them."""
    page = open_page(OTHER_PAGE, groups=[("memory/latency/memory",)])
    box = panel(page)
    dram = box.get_by_label("dram", exact=True)
    dram.fill("123.456789")
    dram.blur()
    assert dram.input_value() == "123.456789"  # all that is computed with
    box.get_by_text("Keep these predictions").click()
    opened(page)
    kept = downloaded(page)
    assert "memory/latency/memory" in kept and "memory/latency/l1" not in kept
    assert all("dram" in inputs for inputs in kept.values())

"""The marks over a page's figures, which follow its what-if panels in Chromium."""

import html
import re

import pytest
from helpers import figures
from helpers.panels import field, needed_kernel_path, null_call, panel, results_of

import reckon as rk
from reckon import units
from reckon.records.quantities.recorded_predictions import to_prediction
from reckon.show.figure_files import PLACES

pytestmark = pytest.mark.browser


@pytest.fixture
def figure(tmp_path, monkeypatch):
    """Draws a figure; returns it as a page has it, and its picture."""

    def drawn(draw, *args):
        monkeypatch.setenv("RECKON_BUILD", str(tmp_path))
        draw(*args)
        places = html.escape(figures.file("drawn", PLACES).read_text())
        picture = figures.file("drawn", ".svg")
        image = f"<img src='{picture.as_uri()}'>"
        article = f'<figure><picture data-places="{places}">{image}</picture></figure>'
        return article, picture.read_text()

    return drawn


def on_page(page, svg, point):
    """Where a point of the picture, in its own units, lies on the page."""
    box = page.locator("picture[data-places] img").bounding_box()
    width, height = map(float, re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg).groups())
    x, y = map(float, point)
    return [box["x"] + box["width"] * x / width, box["y"] + box["height"] * y / height]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_mark_over_a_figure_of_bars_lies_where_the_changed_prediction_is(
    open_page, figure, theme
):
    """What meets the measurement lies on the dot of the measured median."""
    result = null_call()
    article, svg = figure(rk.draw.bars, [result], "drawn", "C")
    page = open_page(article=article, color_scheme=theme)
    box = panel(page)
    assert page.locator(".what-if-over").count() == 0
    field(box, "kernel path").fill(needed_kernel_path(result))
    dot = re.search(r'<use [^>]*x="([\d.]+)" y="([\d.]+)" style="fill: var\(--of-0072b2', svg)
    mark = page.locator(".what-if-mark").bounding_box()
    centre = [mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2]
    assert centre == pytest.approx(on_page(page, svg, dot.groups()), abs=1.5)
    assert page.locator(".what-if-over").inner_text() == "with your inputs"
    box.get_by_text("Change the formula").click()
    box.get_by_label("software = ").fill("0")
    assert page.locator(".what-if-over").inner_text() == "with your inputs and formula"
    box.get_by_text("Reset").click()
    box.get_by_label("software = ").fill("0")
    assert page.locator(".what-if-over").inner_text() == "with your formula"
    box.get_by_text("Reset").click()
    field(box, "kernel path").fill("1e9")  # beyond the axis: at its end
    over = page.locator(".what-if-over").bounding_box()
    mark = page.locator(".what-if-mark").bounding_box()
    assert mark["x"] + mark["width"] / 2 == pytest.approx(over["x"] + over["width"], abs=1.5)
    box.get_by_text("Reset").click()
    assert page.locator(".what-if-over").count() == 0


def test_a_line_over_a_figure_of_a_curve_lies_where_the_changed_prediction_is(open_page, figure):
    """With an input that is all but as sealed, on the dashed line of what was sealed."""
    quantity = "cpu/syscall/amortised"
    curve = results_of("cpu/syscall")[quantity]
    article, svg = figure(rk.draw.curve, curve, "drawn", "C", "calls")
    page = open_page(groups=[(quantity,)], article=article)
    box = panel(page)
    null = to_prediction(quantity, curve.current).inputs["null"]
    field(box, "null").fill(str(units.from_base(null.value, null.unit) * (1 + 1e-9)))
    before = svg[: svg.index("stroke-dasharray: 5.55")]
    dashed = before[before.rindex('<path d="M') :].split('"')[1]
    corners = [point.split() for point in re.split("[ML]", dashed)[1:]]
    drawn = page.evaluate(POINTS_ON_PAGE)
    assert drawn[0] == pytest.approx(on_page(page, svg, corners[0]), abs=1.5)
    assert drawn[-1] == pytest.approx(on_page(page, svg, corners[-1]), abs=1.5)
    field(box, "null").fill(str(units.from_base(null.value, null.unit) * 1.2))
    assert page.evaluate(POINTS_ON_PAGE)[0][1] < drawn[0][1] - 2  # longer is higher
    box.get_by_text("Reset").click()
    assert page.locator(".what-if-over").count() == 0


POINTS_ON_PAGE = """() => {
  const line = document.querySelector(".what-if-over polyline");
  const matrix = line.getScreenCTM();
  return [...line.points].map((point) => point.matrixTransform(matrix)).map(({ x, y }) => [x, y]);
}"""


def test_a_figure_is_as_wide_on_a_phone_with_a_mark_as_without(open_page, figure):
    article, _ = figure(rk.draw.bars, [null_call()], "drawn", "C")
    style = "figure { margin: 0 } img { width: 100% } main { padding: 0 1rem }"
    page = open_page(article=article, style=style, viewport={"width": 390, "height": 800})
    image = page.locator("picture[data-places] img")
    before = image.bounding_box()["width"]
    field(panel(page), "kernel path").fill("550")
    assert page.locator(".what-if-mark").is_visible()
    assert image.bounding_box()["width"] == before
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.emulate_media(media="print")
    assert not page.locator(".what-if-mark").is_visible()

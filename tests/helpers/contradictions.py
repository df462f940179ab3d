"""Printed numbers that contradict one another: what a careful reader of the pages would find.

`python -m helpers.contradictions [RUN]` reads the pages of the last build, and names what it finds.
"""

import itertools
import json
import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from reckon import config, records, units
from reckon.records.lookup import all_results
from reckon.records.result import Result
from reckon.records.session import current_session
from reckon.show import titles

_NUMBER = r"[−-]?\d+(?:,\d{3})*(?:\.\d+)?(?:·10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?"
_UNIT = r"(?:[kKMGT]?i?(?:bytes?|bit|B|IO|cycles?|ticks?)(?:/s)?|[nµm]?s(?:/cycle)?|[kMG]?Hz)"


def _named(name: str) -> str:
    """The pattern of an amount, its groups by that name."""
    return rf"(?P<{name}>{_NUMBER}) ?(?P<{name}_unit>{_UNIT})(?![\w/])"


_INTERVAL = rf"\((?P<low>{_NUMBER}) to (?P<high>{_NUMBER})\)"
_MEASURED = re.compile(_named("value") + rf"(?: {_INTERVAL})?")
_PLAIN = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
_UNITS = {"Hz": "cycle/s", "kHz": "kcycle/s", "MHz": "Mcycle/s", "GHz": "Gcycle/s"}
_UNITS |= {"cycles": "cycle", "ticks": "tick", "bytes": "byte"}


@dataclass(frozen=True)
class Amount:
    """A printed number, in base units."""

    value: float
    rounding: float  # half of its last digit
    unit: str
    text: str

    @property
    def ends(self) -> tuple[float, float]:
        """Between which values what was printed so lies."""
        return self.value - self.rounding, self.value + self.rounding

    def agrees(self, other: "Amount") -> bool:
        """Whether one value may have been printed as both."""
        if units.dimension(self.unit) != units.dimension(other.unit):
            return True  # a rate as its time: nothing to compare
        return abs(self.value - other.value) <= (self.rounding + other.rounding) * (1 + 1e-9)


def amount(number: str, unit: str = "") -> Amount:
    """The amount that is printed like that."""
    digits, _, power = number.translate(_PLAIN).partition("·10")
    digits = digits.replace(",", "")
    scale = 10.0 ** int(power or 0) * units.factor(_UNITS.get(unit, unit))
    places = len(digits.partition(".")[2])
    # 14,600 IO/s has three digits; 1,024 may have four, and is then taken for less exact than it is.
    step = 10.0 ** max(-places, len(digits.lstrip("-")) - 3) if not places else 10.0**-places
    text = f"{number} {unit}".strip()
    return Amount(float(digits) * scale, step / 2 * scale, _UNITS.get(unit, unit), text)


def _amount_of(match: re.Match, name: str = "value") -> Amount:
    return amount(match[name], match[f"{name}_unit"])


def alone(cell: str) -> Amount | None:
    """The amount that a cell begins with and holds alone but for its interval; else None."""
    match = _MEASURED.fullmatch(cell.strip())
    return _amount_of(match) if match else None


def tables(text: str) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """The tables of a page: name, headings, rows."""
    for name, body in re.findall(
        r"^:::\{table\}[^\n]*\n:name: (\S+)\n(.*?)^:::$", text, re.M | re.S
    ):
        without_sort_keys = re.sub(r'<span data-sort="[^"]*"></span>', "", body)
        lines = [line for line in without_sort_keys.splitlines() if line.startswith("|")]
        cells = [[c.strip() for c in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
        yield name, cells[0], cells[2:]


# --- within one sentence or one row ---------------------------------------------------------------


def intervals(text: str) -> Iterator[str]:
    """Values outside the interval that is printed behind them."""
    for match in _MEASURED.finditer(text):
        if match["low"]:
            value, low, high = (amount(match[name]).value for name in ("value", "low", "high"))
            if not low <= value <= high:
                yield f"{match[0]} lies outside its interval"


_VERDICT = re.compile(
    rf"Predicted {_named('predicted')}, measured {_named('measured')}[^:]*: "
    r"[^.]* came out (?P<how>as predicted|(?P<percent>\d+) % (?P<side>higher|lower)|"
    r"a factor of (?P<factor>[\d,.]+?) (?P<far>higher|lower))"
)
_SIDE = re.compile(
    rf"The measured value lies (?P<side>inside|outside|at the upper end of|at the lower end of) the prediction’s interval, {_named('low')} to "
    rf"{_named('high')}"
)
_AS_PREDICTED = 1.05


def verdicts(text: str) -> Iterator[str]:
    """Verdicts that their own numbers contradict."""
    for paragraph in text.splitlines():
        if not (match := _VERDICT.search(paragraph)):
            continue
        predicted, measured = _amount_of(match, "predicted"), _amount_of(match, "measured")
        least, most = _ratio(measured, predicted)
        if not _fits(match, least, most):
            yield f"{measured.text} against {predicted.text} came out “{match['how']}”"
        if side := _SIDE.search(paragraph):
            low, high = _amount_of(side, "low"), _amount_of(side, "high")
            sides = {
                "inside": low.value <= measured.value <= high.value,
                "outside": not low.value <= measured.value <= high.value,
                "at the lower end of": measured.value == low.value,
                "at the upper end of": measured.value == high.value,
            }
            if not sides[side["side"]]:
                yield f"{measured.text} is called {side[0].removeprefix('The measured value lies ')}"


def _ratio(amount: Amount, other: Amount) -> tuple[float, float]:
    """The least and the largest ratio of what was printed so."""
    (low, high), (other_low, other_high) = amount.ends, other.ends
    if other_low <= 0:
        return (low / other_high if other_high else -math.inf), math.inf
    return low / other_high, high / other_low


def _fits(verdict: re.Match, least: float, most: float) -> bool:
    """Whether the words fit a ratio between these."""
    if verdict["percent"]:
        change = float(verdict["percent"]) / 100
        ratios = [1 + change, 1 - change]
        stated = ratios[verdict["side"] == "lower"]
        return least - 0.0051 <= stated <= most + 0.0051
    if verdict["factor"]:
        factor = amount(verdict["factor"])
        low, high = factor.ends
        if verdict["far"] == "lower":
            least, most = 1 / most, 1 / least
        return least <= high + 0.05 and low - 0.05 <= most
    return least <= _AS_PREDICTED and most >= 1 / _AS_PREDICTED


def rows(text: str) -> Iterator[str]:
    """Rows of tables whose cells contradict one another: a ratio, a sum, an order."""
    for name, headings, cells in tables(text):
        for row in cells:
            of = dict(zip(headings, row, strict=True))
            for fault in itertools.chain(_ratio_of_row(of), _sum_of_row(of), _order_of_row(of)):
                yield f"{name}, {row[0]}: {fault}"


def _ratio_of_row(of: dict[str, str]) -> Iterator[str]:
    stated = of.get("Measured / predicted", "")
    measured = next(
        (alone(cell) for head, cell in of.items() if head.startswith("Measured,")), None
    )
    predicted = alone(of.get("Predicted", ""))
    if measured and predicted and stated.endswith("×"):
        low, high = amount(stated[:-1]).ends
        least, most = _ratio(measured, predicted)
        if high < least * (1 - 1e-9) or most * (1 + 1e-9) < low:
            yield f"{measured.text} over {predicted.text} is given as {stated}"


def _sum_of_row(of: dict[str, str]) -> Iterator[str]:
    added = of.get("Base hardware + software overhead", "").split(" + ")
    parts = [alone(cell) for cell in (*added, of.get("Predicted", ""))]
    if len(parts) == 3 and all(parts):
        hardware, software, predicted = parts
        room = (hardware.rounding + software.rounding + predicted.rounding) * (1 + 1e-9)
        if abs(hardware.value + software.value - predicted.value) > room:
            yield f"{hardware.text} and {software.text} are given as {predicted.text}"


def _order_of_row(of: dict[str, str]) -> Iterator[str]:
    spread = of.get("Median (minimum to 99th percentile)", "")
    median, low, high = (re.findall(_NUMBER, spread) + 3 * ["0"])[:3]
    values = [amount(number).value for number in (low, median, high)]
    if values != sorted(values):
        yield f"median, minimum and 99th percentile are {spread}"


_SHARE = re.compile(rf"(?:^|[,;:] |and )in ({_NUMBER}) %")


def shares(text: str) -> Iterator[str]:
    """Shares of one whole, "in 59 % …, in 41 % …" or a column, that do not sum to 100."""
    for sentence in re.split(r"(?<=[.!?]) |\n", text):
        parts = [amount(number) for number in _SHARE.findall(sentence)]
        if len(parts) > 1:
            yield from _not_whole(parts, sentence)


def _not_whole(parts: list[Amount], where: str) -> Iterator[str]:
    room = sum(part.rounding for part in parts)
    total = sum(part.value for part in parts)
    if abs(total - 100) > max(room, 0.5 * len(parts)):
        yield f"{' % and '.join(part.text for part in parts)} % are no 100 %: {where}"


_ALIKE = re.compile(
    r"cannot be told apart|not to be told apart|their intervals overlap|the intervals overlap|indistinguish"
)


def alike(text: str) -> Iterator[str]:
    """Two values called indistinguishable although their printed intervals lie apart."""
    for sentence in re.split(r"(?<=[.!?]) |\n", text):
        ends = [
            [amount(match[name], match["value_unit"]).value for name in ("low", "high")]
            for match in _MEASURED.finditer(sentence)
            if match["low"]
        ]
        if _ALIKE.search(sentence) and len(ends) == 2:
            (low, high), (other_low, other_high) = ends
            if high < other_low or other_high < low:
                yield f"intervals that lie apart: {sentence}"


# --- one quantity on several pages ----------------------------------------------------------------


def statements(page: str, text: str, known: dict[str, Result]) -> Iterator[tuple[str, str, Amount]]:
    """What a page says of the medians of the known quantities: quantity, place, amount."""
    called = _called(page, known)
    for name, headings, cells in tables(text):
        for row in cells:
            of = dict(zip(headings, row, strict=True))
            place, quantity = f"{page}, {name}", _quantity_of(of, row[0], called)
            for head, cell in of.items():
                value = alone(cell)
                if head.startswith("Measured, median") and value and quantity:
                    yield quantity, place, value
            unit = re.search(r"\[(\S+)\]$", row[0])
            if unit and quantity and re.fullmatch(_NUMBER, of.get("Median", "")):
                yield quantity, place, amount(of["Median"], unit[1])
            origin = called.get(row[-1].removeprefix("measured: "))
            if origin and (value := alone(of.get("Value", ""))):
                yield origin[0].quantity, place, value
    linked = r"(?P<link>\[[^]]*\]\([^)]*\))"
    inline = re.compile(_named("value") + rf" \(measured: {linked}\)")
    is_here = re.compile(rf"(?<!times ){linked} is " + _named("value") + " here")
    for pattern in (inline, is_here):
        for match in pattern.finditer(text):
            if match["link"] in called:
                quantity = called[match["link"]][0].quantity
                yield quantity, f"{page}, “{match[0]}”", _amount_of(match)


def _called(page: str, known: dict[str, Result]) -> dict[str, list[Result]]:
    """The results by what the page calls them: by their links, its own by their titles as well."""
    called = defaultdict(list)
    for quantity, result in known.items():
        called[titles.link(quantity)].append(result)
        if quantity.startswith(f"{page}/"):
            called[titles.title_of(quantity)].append(result)
    return dict(called)


def _quantity_of(row: dict[str, str], title: str, called: dict[str, list[Result]]) -> str:
    """Of which quantity a row of a table is; else ""."""
    for result in called.get(title.split(" [")[0], []):
        # One title may be that of two quantities in two tables.
        predicted = units.amount(result.seal.predicted, result.unit)
        if row.get("Predicted", predicted).startswith(predicted):
            return result.quantity
    return ""


def two_values(pages: dict[str, str], results: list[Result]) -> Iterator[str]:
    """Quantities for which two values are printed, on one page or two."""
    shown_values = defaultdict(list)
    scalars = {
        result.quantity: result for result in results if result.has_samples and not result.is_curve
    }
    for quantity, result in scalars.items():
        shown_values[quantity].append(("the record", alone(f"{result}")))
    for page, text in pages.items():
        for quantity, place, value in statements(page, text, scalars):
            shown_values[quantity].append((place, value))
    for quantity, values in shown_values.items():
        (first_place, first), *others = values
        for place, value in others:
            if first and not first.agrees(value):
                yield f"{quantity}: {first.text} in {first_place}, {value.text} in {place}"


def measured_twice(
    pages: dict[str, str], results: list[Result], defaults: dict[str, dict]
) -> Iterator[str]:
    """Points of curves that measure what a table has, of which their page does not give both values.

    defaults: the parameters of each probe that a record leaves out.
    """
    alone = {}
    own = [r for r in results if r.has_samples and not r.measurement.reports]
    for result in own:
        for point in [] if result.is_curve else result.points:
            alone[_what_is_measured(result, point, defaults)] = result
    for curve in filter(lambda result: result.is_curve, own):
        for point, summary in zip(curve.points, curve.summaries, strict=True):
            single = alone.get(_what_is_measured(curve, point, defaults))
            if not single or single.unit != curve.unit:
                continue
            again = units.amount(summary.median, curve.unit)
            both = rf"{re.escape(again)}(?: \([^)]*\))?, in the table {re.escape(format(single))}"
            if not re.search(both, pages.get(curve.experiment, "")):
                both = f"{again}, in the table {single}"
                yield f"{curve.quantity} measures {single.quantity} again: {both} is not said"


def _what_is_measured(result: Result, point: records.Point, defaults: dict[str, dict]) -> tuple:
    probe = result.measurement.probe
    return probe, *sorted({**defaults[probe], **point.params}.items())


_BOUND = re.compile(
    rf"No median here can be below {_named('least')}(?: or above {_named('most')})?: (?P<rest>.*(?:\n\n(?:- .*\n?)+)?)"
)


def bounds(page: str, text: str, results: list[Result]) -> Iterator[str]:
    """Values outside what the page says that no value here can be outside, and not named there."""
    for match in _BOUND.finditer(text):
        least = _amount_of(match, "least")
        low, high = least.ends[0], math.inf
        if match["most"]:
            high = _amount_of(match, "most").ends[1]
        for result in results:
            named = f"- {titles.title_of(result.quantity)}"
            if result.quantity.startswith(f"{page}/") and named not in match["rest"]:
                values = _values_in(result, least.unit)
                if any(not low <= value <= high for value in values):
                    yield f"{result.quantity} is outside “{match[0].split(':')[0]}”"


def _values_in(result: Result, unit: str) -> list[float]:
    if unit == "cycle":
        return [summary.median for summary in result.cycles]
    if units.dimension(unit) != units.dimension(result.unit):
        return []
    return [float(value) for value in result.medians]


def contradictions(pages: dict[str, str], results: list[Result]) -> list[str]:
    """All of them, each as one sentence that names its page."""
    faults = []
    for page, text in pages.items():
        for check in (intervals, verdicts, rows, shares, alike):
            faults += [f"{page}: {fault}" for fault in check(text)]
        faults += [f"{page}: {fault}" for fault in bounds(page, text, results)]
    return faults + [*two_values(pages, results)]


def _built_pages() -> dict[str, str]:
    """The outputs of the executed notebooks of the last build, by page."""
    folder = config.settings().build_dir / "executed"
    pages = {}
    for path in sorted(folder.rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        shown = [
            "".join(output["data"].get("text/markdown", ""))
            for cell in cells
            for output in cell.get("outputs", [])
            if "data" in output
        ]
        pages[str(path.relative_to(folder).with_suffix(""))] = "\n\n".join(shown)
    return pages


def main() -> int:
    run = sys.argv[1] if sys.argv[1:] else current_session().run.name
    faults = contradictions(_built_pages(), all_results(records.find(run)))
    print("\n".join([*faults, f"{len(faults)} contradictions"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

"""What is under way in each round trip of a stream."""

import pytest
from helpers import made_up
from helpers.figures import assert_texts_touch_nothing, drawing

import reckon as rk
from reckon.book import contents

FIGURES = contents.findings_of("network/throughput_figures")
SEGMENT = 1448

pytestmark = pytest.mark.usefixtures("folders")  # figures are no checkout's own


def carried(trip, rate=125e6):
    return FIGURES.Carried(trip.value, trip.origin, rate, 10, 10 * SEGMENT)


def rates():
    ramp = made_up.curve("network/made/start", [0, 1], [500, 960], "Mbit/s", "ms")
    return [ramp, made_up.single("network/made/settled", 960, "Mbit/s")]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize(
    ("trip_ms", "trips"), [(0.05, []), (0.2, [1]), (1, [1, 2, 3, 4]), (100, [1, 2, 9, 10])]
)
def test_slow_start_doubles_until_the_link_is_full(data, trip_ms, trips, narrow):
    trip = rk.given(trip_ms, "ms", "made up")
    block = FIGURES.window(rates(), carried(trip), "1 ms", "made-window", "Caption")
    header, *rows = data("made-window")
    assert header[1].startswith("under way in a round trip of") and "guess" not in header[1]
    begun = [row for row in rows if "segments" in row[0]]
    assert [int(row[0].split()[1].rstrip(",")) for row in begun] == trips
    full = 125e6 * trip_ms / 1000
    unit = {"KiB": 1024, "MiB": 2**20}[header[1].split("[")[1].rstrip("]")]
    for trip_number, row in zip(trips, begun, strict=True):
        segments = 10 * 2 ** (trip_number - 1)
        assert f"{segments:,} segments" in row[0] and segments * SEGMENT < full
        assert float(row[1]) * unit == pytest.approx(segments * SEGMENT, rel=1e-4)
    if trips:
        assert 2 * segments * SEGMENT >= full
    by_words = {row[0]: float(row[1]) * unit for row in rows}
    last = max(trips, default=0) + 1
    assert by_words[f"Trip {last} on, predicted: full"] == pytest.approx(full, rel=1e-4)
    assert by_words["Measured, settled"] == pytest.approx(full * 0.96, rel=0.03)
    assert by_words["Measured, first 1 ms"] == pytest.approx(full / 2, rel=0.03)
    assert "100 % of full" in block.markdown
    assert_texts_touch_nothing(drawing("made-window", narrow))


def test_a_round_trip_that_is_guessed_is_said_to_be():
    trip = rk.guess(1, "ms", "no ping", low=0.1, high=10)
    FIGURES.window(rates(), carried(trip), "2 ms", "made-window", "Caption")
    assert "which is guessed" in drawing("made-window").axes.get_xlabel()


def test_nothing_is_drawn_without_the_other_host():
    ramp, settled = rates()
    gone = made_up.unmeasured("network/made/start", ramp)
    trip = rk.given(1, "ms", "made up")
    assert (
        "needs huge pages" in FIGURES.window([gone, settled], carried(trip), "", "m", "").markdown
    )

"""The variant of a figure for the PDFs."""

import contextlib
import re
import zlib

import pytest
from helpers import figures, made_up

import reckon as rk
from reckon.show.figure_files import PHONE, PRINT
from reckon.show.figures import drawings, printing


def content_of(pdf):
    """The operators that draw the one page of matplotlib's PDF, and its objects."""
    data = pdf.read_bytes()
    streams = re.findall(rb"stream\n(.*?)\nendstream", data, re.S)
    drawn = [zlib.decompress(stream) for stream in streams if stream[:1] == b"x"]
    return data, b"\n".join(drawn)


def draw(name):
    return rk.draw.bars([made_up.single("cpu/a", 100, "ns", processes=4)], name, "Values")


def letter_sizes(drawn):
    return [float(size) for size in re.findall(rb"/F\d+ ([\d.]+) Tf", drawn)]


def test_small_letters_are_printed_at_6_points(build):
    with drawings.new() as drawing:
        drawing.axes.text(0.5, 0.5, "small", fontsize=3)
        drawing.save("small", "C", "alt", drawings.Data(["x"], [["1"]]))
    data, drawn = content_of(figures.file("small", PRINT))
    assert printing.SCALE * min(letter_sizes(drawn)) >= 6
    assert b"/Type3" not in data and b"/CIDFontType2" in data


def test_without_tex_letters_are_those_of_the_site_and_large_enough(build, monkeypatch):
    monkeypatch.setattr(printing, "_FOLDERS", ())
    printing._load_family.cache_clear()
    draw("plain")
    data, drawn = content_of(figures.file("plain", PRINT))
    assert b"DejaVuSans" in data and b"LMSans" not in data
    assert printing.SCALE * min(letter_sizes(drawn)) >= 6


@pytest.mark.parametrize("ending", [".svg", PHONE])
def test_the_pictures_of_the_site_do_not_change(build, monkeypatch, ending):
    draw("a-printed")
    printed = figures.file("a-printed", ending).read_bytes()
    monkeypatch.setattr(printing, "for_print", lambda figure: contextlib.nullcontext())
    monkeypatch.setattr(drawings, "_code", lambda: "other")
    draw("a-printed")
    assert figures.file("a-printed", ending).read_bytes() == printed


def test_names_of_bands_are_for_the_site_alone(build):
    with drawings.new() as drawing:
        drawing.axes.text(0.5, 0.5, "of a band", label=printing.ON_SCREEN)
        drawing.save("named", "C", "alt", drawings.Data(["x"], [["1"]]))
        assert drawing.axes.texts[0].get_visible()
    with drawings.new() as drawing:
        drawing.save("nameless", "C", "alt", drawings.Data(["x"], [["1"]]))
    named, nameless = (content_of(figures.file(n, PRINT))[1] for n in ("named", "nameless"))
    assert named == nameless
    assert "of a band" in figures.file("named", ".svg").read_text()

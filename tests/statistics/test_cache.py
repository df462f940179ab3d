"""Statistics of a page are served from disk, and equal those that are computed."""

import os

import numpy as np
import pytest

from reckon import statistics
from reckon.statistics import cache

SAMPLES = [np.random.default_rng(seed).lognormal(3, 0.1, 30) for seed in range(8)]
CALLS = []


@cache.cached
def number_of_calls(values):
    CALLS.append(values)
    return len(CALLS)


@pytest.fixture
def page(tmp_path):
    """As in a page of the book, whose process stores results in this folder."""
    CALLS.clear()
    cache._open.cache_clear()
    cache.store_in(tmp_path / "cache")
    yield tmp_path / "cache"
    cache.store_in(None)
    cache._open.cache_clear()


def test_a_page_computes_once_for_the_same_samples(page):
    assert [number_of_calls(SAMPLES[0]) for _ in range(3)] == [1, 1, 1]
    assert number_of_calls(SAMPLES[1]) == 2


def test_nothing_is_kept_outside_the_book(page):
    cache.store_in(None)
    assert [number_of_calls(SAMPLES[0]) for _ in range(3)] == [1, 2, 3] and not page.exists()


def test_what_is_kept_equals_what_is_computed(page):
    first = statistics.summarise(SAMPLES)
    assert statistics.summarise(SAMPLES) == first == statistics.summarise.__wrapped__(SAMPLES)


def test_other_code_computes_again_and_removes_what_was_kept(page, monkeypatch):
    number_of_calls(SAMPLES[0])
    cache._open.cache_clear()
    monkeypatch.setattr(cache, "_code_version", lambda: "other")
    assert number_of_calls(SAMPLES[0]) == 2
    assert {path.name.split(".")[0] for path in page.iterdir()} == {"statistics-other"}


def test_a_broken_file_or_an_unwritable_folder_is_no_error(page):
    number_of_calls(SAMPLES[0])
    cache._open(page, os.getpid()).close()  # later it would write its log into the broken file
    cache._open.cache_clear()
    for path in page.iterdir():
        path.unlink() if path.suffix != ".sqlite" else path.write_bytes(b"no database" * 1000)
    assert number_of_calls(SAMPLES[0]) == 2
    for path in page.iterdir():
        path.unlink()
    page.rmdir()
    page.write_text("a file")
    cache._open.cache_clear()
    assert number_of_calls(SAMPLES[0]) == 3

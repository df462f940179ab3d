"""What the builder takes of the events that a page's process writes."""

import json

from reckon.book.execution.progress import Display


def test_half_an_event_is_left_out(tmp_path):
    """A full disk may cut one off; what is written later follows on its line."""
    done = {"event": "done", "quantity": "cpu/made/one", "state": "failed", "reason": "it broke"}
    other = {**done, "quantity": "cpu/made/two"}
    lines = [json.dumps(done), json.dumps(done)[:20] + json.dumps(done), json.dumps(other), ""]
    events = tmp_path / "page.events"
    events.write_text("\n".join(lines))
    display = Display()
    display.show("cpu/made", events)
    assert display.states == {
        "cpu/made/one": ("failed", "it broke"),
        "cpu/made/two": ("failed", "it broke"),
    }
    assert display.has_failed("cpu/made")


def _shown(tmp_path, events):
    path = tmp_path / "page.events"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    Display().show("cpu/made", path)


def test_a_reason_is_printed_in_full_only_once(tmp_path, capsys):
    names = ("cpu/made/one", "cpu/made/two")
    reason = {"event": "done", "state": "unsupported", "reason": "it needs root"}
    _shown(tmp_path, [{**reason, "quantity": name} for name in names])
    assert capsys.readouterr().out.splitlines() == [
        "  cpu/made/one unsupported: it needs root",
        "  cpu/made/two unsupported for the reason of cpu/made/one",
    ]


def test_reused_quantities_are_counted_in_the_last_line_of_their_page(tmp_path, capsys):
    reused = {"event": "done", "state": "reused", "reason": None}
    events = [{**reused, "quantity": f"cpu/made/{i}"} for i in range(3)]
    path = tmp_path / "page.events"
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    display = Display()
    display.show("cpu/made", path)
    display.page_done("cpu/made", "cpu/made", 1.0)
    display.page_done("cpu/made", "later visit", 2.0)
    assert capsys.readouterr().out.splitlines() == [
        "cpu/made: done in 1.0 s, 3 reused",
        "cpu/made: done in 2.0 s",
    ]


def test_the_events_of_a_page_that_is_executed_twice_are_read_from_their_beginning(tmp_path):
    display, path = Display(), tmp_path / "page.events"
    event = {"event": "done", "quantity": "cpu/made/one", "reason": None}
    for state in ("reused", "failed"):
        display.page("cpu/made", "executing", path)
        path.write_text(json.dumps({**event, "state": state}) + "\n")
        display.show("cpu/made", path)
        path.unlink()
    assert display.states == {"cpu/made/one": ("failed", None)}


def test_what_a_terminal_shows_of_quantities_are_new_reasons(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    states = [
        ("measured", None),
        ("unsupported", "it needs root"),
        ("unsupported", "it needs root"),
    ]
    events = [
        {"event": "done", "quantity": f"cpu/made/{i}", "state": state, "reason": reason}
        for i, (state, reason) in enumerate(states)
    ]
    _shown(tmp_path, events)
    assert capsys.readouterr().out.splitlines() == ["  cpu/made/1 unsupported: it needs root"]

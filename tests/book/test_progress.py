"""What the builder takes of the events that a page's process writes."""

import json

from reckon.book.progress import Display


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

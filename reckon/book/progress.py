"""What is happening, on the terminal: a live display, or plain lines where it is not a terminal."""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

_POLL_S = 0.1


class Display:
    """Follows the events that a notebook's measure() appends to a file.

    Use as a context manager; `page()` begins a page, `states` collects what became of each
    quantity: {quantity: (state, reason)}.
    """

    def __init__(self, events: Path, expected_s: dict[str, float]):
        self.states: dict[str, tuple[str, str | None]] = {}
        self._events, self._expected = events, expected_s
        self._live = sys.stdout.isatty()
        self._console = Console(highlight=False, soft_wrap=True)
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[left]}"),
            TimeElapsedColumn(),
            console=self._console,
            disable=not self._live,
            transient=True,
        )
        self._task = self._bar.add_task("", total=max(sum(expected_s.values()), 0.1), left="")
        self._done_s, self._page, self._offset = 0.0, "", 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> Display:
        self._events.unlink(missing_ok=True)
        self._bar.start()
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join()
        self._read()
        self._bar.stop()
        self._events.unlink(missing_ok=True)

    def line(self, text: str) -> None:
        self._console.print(text, markup=False)
        sys.stdout.flush()

    def page(self, name: str) -> None:
        self._page = name
        left = self._left()
        if not self._live:
            self.line(f"{name}: executing ({left})")
        self._bar.update(self._task, description=name, left=left)

    def page_done(self, name: str, seconds: float) -> None:
        self._read()
        self._done_s += self._expected.get(name, 0.0)
        self._bar.update(self._task, completed=self._done_s, left=self._left())
        if not self._live:
            self.line(f"{name}: done in {seconds:.1f} s")

    def _left(self) -> str:
        return f"about {max(sum(self._expected.values()) - self._done_s, 0):.0f} s to go"

    def _follow(self) -> None:
        while not self._stop.wait(_POLL_S):
            self._read()

    def _read(self) -> None:
        try:
            with open(self._events, encoding="utf-8") as file:
                file.seek(self._offset)
                text = file.read()
        except FileNotFoundError:
            return
        whole = text[: text.rfind("\n") + 1]  # the last line may still be half written
        self._offset += len(whole.encode())
        for line in whole.splitlines():
            self._show(json.loads(line))

    def _show(self, event: dict) -> None:
        quantity = event["quantity"]
        if event["event"] == "measuring":
            self._bar.update(self._task, description=f"{self._page}: measuring {quantity}")
            return
        if event["event"] == "preparing":
            self._bar.update(self._task, description=f"{self._page}: {event['what']}")
            return
        self.states[quantity] = (event["state"], event["reason"])
        self._bar.update(
            self._task,
            advance=min(event.get("seconds", 0.0), 5.0),
            description=f"{self._page}: {quantity} {event['state']}",
        )
        if event["state"] in ("cannot", "failed") or not self._live:
            why = f": {event['reason']}" if event["reason"] else ""
            self.line(f"  {quantity} {event['state']}{why}")

"""Progress on the terminal: a live display, or plain lines where the output is not a terminal."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

_MAX_S_AN_EVENT = 5.0  # by which one quantity moves the bar; the page's end corrects it


class Display:
    """Shows pages and the events that their measure() appends to a file each.

    Use as a context manager; `expect()` says what is to be done, `page()` begins a page, `states`
    collects what became of each quantity: {quantity: (state, reason)}.
    """

    def __init__(self) -> None:
        self.states: dict[str, tuple[str, str | None]] = {}
        self._with_failures: set[str] = set()  # the pages
        self._first_with: dict[str, str] = {}  # the quantity that a reason was printed of
        self._reused: Counter[str] = Counter()  # by page, since it began
        self._expected_s: dict[str, float] = {}  # by task, of those that are not done
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
        self._task = self._bar.add_task("", total=None, left="")
        self._done_s = 0.0
        self._offsets: dict[Path, int] = {}

    def __enter__(self) -> Display:
        self._bar.start()
        return self

    def __exit__(self, *_) -> None:
        self._bar.stop()

    def line(self, text: str) -> None:
        """Print a line above the live display."""
        self._console.print(text, markup=False)
        sys.stdout.flush()

    def expect(self, expected_s: dict[str, float]) -> None:
        """Take the tasks that are left and their seconds, in place of all that were expected."""
        self._expected_s = dict(expected_s)
        total = self._done_s + sum(expected_s.values())
        self._bar.update(self._task, total=max(total, 0.1), left=self._left())

    def page(self, name: str, activity: str, events: Path) -> None:
        """Show that a task of the page begins, which writes its events to a new file."""
        self._offsets.pop(events, None)
        if not self._live:
            self.line(f"{name}: {activity} ({self._left()})")
        self._bar.update(self._task, description=name, left=self._left())

    def has_failed(self, page: str) -> bool:
        """Whether a quantity of the page failed."""
        return page in self._with_failures

    def page_done(self, name: str, task: str, seconds: float) -> None:
        """Show that the task of that name has ended after that time."""
        self._done_s += self._expected_s.pop(task, 0.0)
        self._bar.update(self._task, completed=self._done_s, left=self._left())
        if not self._live:
            reused = self._reused.pop(name, 0)
            self.line(f"{name}: done in {seconds:.1f} s{f', {reused} reused' if reused else ''}")

    @property
    def left_s(self) -> float:
        """The time that all which is expected will take."""
        return sum(self._expected_s.values())

    def _left(self) -> str:
        return f"about {self.left_s:.0f} s to go"

    def show(self, page: str, events: Path) -> None:
        """Show what the page appended to its events since the last call."""
        try:
            with open(events, encoding="utf-8") as file:
                file.seek(self._offsets.get(events, 0))
                text = file.read()
        except FileNotFoundError:
            return
        written = text[: text.rfind("\n") + 1]  # the last line may still be half written
        self._offsets[events] = self._offsets.get(events, 0) + len(written.encode())
        for line in written.splitlines():
            try:
                event = json.loads(line)
            except ValueError:  # half of an event, written while the disk was full
                continue
            self._show_event(page, event)

    def _show_event(self, page: str, event: dict) -> None:
        quantity = event["quantity"]
        if event["event"] == "measuring":
            self._bar.update(self._task, description=f"measuring {quantity}")
            return
        if event["event"] == "preparing":
            self._bar.update(self._task, description=f"{page}: {event['what']}")
            return
        state, reason = event["state"], event["reason"]
        self.states[quantity] = (state, reason)
        if state == "failed":
            self._with_failures.add(page)
        self._bar.update(
            self._task,
            advance=min(event.get("seconds", 0.0), _MAX_S_AN_EVENT),
            description=f"{quantity} {state}",
        )
        if state == "reused":
            self._reused[page] += 1
        else:
            self._print_state(quantity, state, reason)

    def _print_state(self, quantity: str, state: str, reason: str | None) -> None:
        """Print what became of a quantity. A reason that many share is printed in full only once;
        the end of the build says how many share it."""
        first = self._first_with.setdefault(reason, quantity) if reason else quantity
        is_known = first != quantity
        if is_known:
            text = f"  {quantity} {state} for the reason of {first}"
        else:
            text = f"  {quantity} {state}{f': {reason}' if reason else ''}"
        if not self._live or (state in ("unsupported", "failed") and not is_known):
            self.line(text)

"""Prints what the pages conclude of made-up machines: `make machines`, or
`PYTHONPATH=tests python -m machines [NAME...] [--page PAGE] [--kept]`."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterable, Sequence

from helpers.project import ROOT

from machines import DECLARED, KEPT
from machines.judgement import Judgement, judge
from machines.machine import Machine

BUILD = ROOT / "_build" / "machines"
_INDENT = " " * 4


def main() -> None:
    """The command."""
    options = _options()
    machines = _chosen(options.names, [*KEPT] if options.kept else [*DECLARED])
    judgements: list[Judgement] = []
    for machine, of_machine in zip(
        machines, judge(machines, BUILD, options.page, options.jobs), strict=True
    ):
        print(f"\n{machine.name}: {machine.truth}")
        for judgement in of_machine:
            print(_described(judgement), flush=True)
        judgements += of_machine
    print("\n" + _table(judgements))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m machines", description=__doc__)
    parser.add_argument("names", nargs="*", help="of machines; without: all")
    parser.add_argument("--page", action="append", default=[], help="only this page, cpu/loop")
    parser.add_argument("--kept", action="store_true", help="those that are kept apart")
    parser.add_argument("--jobs", type=int, default=2, help="processes at once")
    return parser.parse_args()


def _chosen(names: Sequence[str], machines: list[Machine]) -> list[Machine]:
    known = {machine.name: machine for machine in machines}
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(f"There is no machine {unknown[0]}; there are {', '.join(known)}.")
    return [known[name] for name in names] or machines


def _described(judgement: Judgement) -> str:
    total = len(judgement.right) + len(judgement.missing)
    lines = [f"{judgement.page}: states {len(judgement.right)} of {total}"]
    lines += [f"  not stated: {name}" for name in judgement.missing]
    lines += [f"  false: {name}" for name in judgement.false]
    lines += textwrap.wrap(f"  failed: {judgement.error}", 96) if judgement.error else []
    return textwrap.indent("\n".join(lines), _INDENT)


def _table(judgements: Iterable[Judgement]) -> str:
    """A line a page and one of all: how many conclusions are right, missing and false."""
    by_page: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_page.setdefault(judgement.page, []).append(judgement)
    every = [judgement for of_page in by_page.values() for judgement in of_page]
    head = f"{'page':24}{'machines':>10}{'must state':>12}{'states':>9}{'share':>8}{'false':>7}"
    lines = [_line(page, of_page) for page, of_page in sorted(by_page.items())]
    return "\n".join([head, *lines, _line("all", every)])


def _line(name: str, judgements: list[Judgement]) -> str:
    right = sum(len(each.right) for each in judgements)
    total = right + sum(len(each.missing) for each in judgements)
    false = sum(len(each.false) for each in judgements)
    machines = len({each.machine for each in judgements})
    share = f"{right / total:.0%}" if total else "–"
    return f"{name:24}{machines:>10}{total:>12}{right:>9}{share:>8}{false:>7}"


if __name__ == "__main__":
    main()

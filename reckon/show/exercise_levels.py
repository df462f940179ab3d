"""The exercises of a chapter, in three levels."""

from __future__ import annotations

from collections.abc import Iterable

from reckon.config import ROOT
from reckon.show.block import FOR_INSTRUCTORS, Block
from reckon.show.text import NONE

Exercise = tuple[str, str]  # the question; the solution, computed from the run


def exercises(
    warm_up: Iterable[Exercise], analysis: Iterable[Exercise], projects: Iterable[Exercise]
) -> Block:
    """The numbered exercises of a chapter, each with its solution folded.

    The students' site has the solutions of the first level alone. A sentence replaces a solution of
    which the run lacks a number: in its place is a dash, which therefore stands for nothing else
    (tests/notebooks/test_words.py)."""
    levels = {"to warm up": warm_up, "analysis": analysis, "project": projects}
    texts: list[str] = []
    for level, of_level in levels.items():
        title = "Solution" if level == "to warm up" else FOR_INSTRUCTORS
        for question, solution in of_level:
            label = f"**{len(texts) + 1}** *({level})*"
            texts.append(f"{label} {question}\n\n:::{{dropdown}} {title}\n{_whole(solution)}\n:::")
    return Block("\n\n".join([_VARIABLES, *texts]))


_VARIABLES = (
    "Names in the code of an analysis are variables of this chapter's notebook; "
    "`make lab` opens it."
)


def _whole(solution: str) -> str:
    if NONE in solution.split():
        return "The solution needs a value that was not measured here, or of which there are two."
    return solution


def project(name: str, question: str) -> Exercise:
    """A project that begins with csrc/exercises/NAME.c; its solution is what a right one has in
    the place of the gap.

    The solutions lie among the tests, which an installed package lacks."""
    path, right = f"csrc/exercises/{name}.c", f"tests/exercises/{name}/right.inc"
    question += (
        f" Begin with {{download}}`{path} </{path}>`; `make exercise NAME={name}` checks it."
    )
    if not (ROOT / right).exists():
        return question, f"The repository has it, `{right}`."
    return question, f"```c\n{(ROOT / right).read_text('utf-8')}```"

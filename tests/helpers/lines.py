"""Tables of text that tests read: a line each case, below the heading of what its words are from."""

import re

import pytest


def read(folder):
    """[[file and line number, heading, line]] of its tables, each line with those that continue it."""
    heading, lines = None, []
    for file in sorted(folder.glob("*.txt")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if found := re.fullmatch(r"\[(\w+(?:[./]\w+)*)\]", line):
                heading = found[1]
            elif line.startswith(" "):
                lines[-1][2] += " " + line.strip()
            elif line and not line.startswith("#"):
                lines.append([f"{file.stem}:{number}", heading, line])
    return lines


def at_hand(lines, upto, is_case, names):
    """These names, and the values that lines above the one at that place set and it needs."""
    above = [line for _, heading, line in lines[:upto] if heading == lines[upto][1]]
    needed, used = {*re.findall(r"\w+", lines[upto][2])}, []
    for line in reversed(above):
        if is_case(line):
            continue
        set_here = re.match(r"[\w, ]+(?= = )|\w+(?=\.)|def \w+|from .*", line)[0]
        if needed & {*re.findall(r"\w+", set_here.rpartition("import ")[2])}:
            needed |= {*re.findall(r"\w+", line)}
            used.insert(0, line)
    exec("\n".join(used), names)
    return names


def check_all(cases, check):
    """Fails with each case that check() does not let pass, and why, a line each."""
    found = []
    for case in cases:
        try:
            check(*case)
        except (Exception, pytest.fail.Exception) as error:
            found.append(f"{case}: {type(error).__name__}: {error}")
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def by_heading(lines, is_case):
    """{heading: [(place among the lines, file and line number, line)]} of the cases."""
    cases = {}
    for place, (name, heading, line) in enumerate(lines):
        if is_case(line):
            cases.setdefault(heading, []).append((place, name, line))
    return cases

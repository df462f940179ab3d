"""The probes of memory: loads, bytes and faults are as many as the samples say."""

import re
from collections import Counter
from itertools import groupby, product

import pytest
from helpers.capabilities import two_cpus, x86_only
from helpers.probes import cases, compiled, disassembled, huge_pages, in_python
from helpers.programs import memory
from helpers.project import finished, output_of

from reckon.measurement import library

# --- rings -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def rings(tmp_path_factory):
    out = compiled(
        tmp_path_factory.mktemp("rings"), "rings", "-ffunction-sections", "-Wl,--gc-sections"
    )  # without make_ring(), which needs the library
    return lambda *arguments: [
        [int(word) for word in line.split()]
        for line in output_of(out, *map(str, arguments)).splitlines()
    ]


@pytest.mark.parametrize("count", [1, 2, 3, 64, 1000, 4097])
def test_a_ring_visits_every_node_once_and_a_window_as_a_whole(rings, count):
    for window, distance in product([1, 7, 64, 5000], [16, 64, 4096]):
        for walk in rings("walk", count, window, distance, 3):
            assert sorted(walk[:count]) == list(range(count)), (window, distance)
            assert walk[count] == walk[0]
            windows = [number for number, _ in groupby(node // window for node in walk[:count])]
            assert len(windows) == len(set(windows)), (window, distance)


def test_windows_and_the_nodes_in_them_are_in_random_order(rings):
    walks = [walk[:-1] for walk in rings("walk", 1024, 32, 64, 8)]
    windows = [[node // 32 for node in walk[::32]] for walk in walks]
    within = [[node % 32 for node in walk[:32]] for walk in walks]
    for orders in (walks, windows, within):
        assert len(set(map(tuple, orders))) == len(orders)
        assert all(sorted(result) != result for result in orders)
    far = sum(
        abs(a - b) > 1 for window in windows for a, b in zip(window, window[1:], strict=False)
    )
    assert far > 0.85 * 8 * 31  # 94 % of random neighbours are


def test_every_order_is_as_likely_as_every_other(rings):
    """All 24 of four nodes, by Pearson's chi-squared; 23 degrees of freedom: 49.7 once in 1000."""
    seen = Counter(tuple(walk[:-1]) for walk in rings("walk", 4, 4, 64, 12_000))
    assert len(seen) == 24
    assert sum((times - 500) ** 2 / 500 for times in seen.values()) < 49.7


def test_a_stride_is_in_rising_order(rings):
    for count in (2, 5, 1000):
        assert rings("walk", count, 0, 64, 1) == [[*range(count), 0]]


@pytest.mark.parametrize("groups", [0, 1, 2, 1000])
def test_a_group_is_64_steps(rings, groups):
    assert rings("follow", 100_000, groups) == [[64 * groups]]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        # One mapping: half of it in huge pages is not all of the second region.
        ("shares", ["1.000", "0.000", "0.500", "0.500"]),
        ("most", ["0", "-95"]),
        ("room", ["-95", "0"]),  # a byte in a huge page takes the whole page
    ],
)
def test_regions_are_judged_by_the_pages_that_they_touch(tmp_path, question, answer):
    huge_pages()
    command = [compiled(tmp_path, "region"), question]
    done = finished(*command, check=True)
    assert done.stdout.split() == answer


# --- what the compiler made ----------------------------------------------------------------------


def code_of(name):
    return disassembled(f"memory/{name}")


def loops_of(code):
    """The instructions of every loop that has none inside, from the jump's target to the jump."""
    results = []
    for address, text in code:
        if (jump := re.match(r"j\w+ +([0-9a-f]+)", text)) and int(jump[1], 16) < address:
            inside = [t for a, t in code if int(jump[1], 16) <= a <= address]
            if sum(t.startswith(("j", "ret")) for t in inside) == 1:
                results.append(inside)
    return results


def accesses(instructions, kind=r"(?!lea|nop|data16|cs )\w+"):
    """Instructions with an operand in memory, other than of the stack or the code."""
    return [t for t in instructions if re.match(rf"{kind}\b.*\((?!%rbp\)|%rsp\)|%rip\))", t)]


def test_a_group_is_64_loads_each_of_what_the_last_one_found():
    for file in ("latency.o", "bandwidth.o"):
        (loop,) = loops_of(code_of(file)["follow"])
        assert loop[:64] == 64 * [loop[0]]
        assert re.fullmatch(r"mov +\(%(\w+)\),%\1", loop[0])
        assert accesses(loop[64:]) == []


def test_the_list_is_followed_load_by_load():
    (loop,) = loops_of(code_of("latency.o")["walk_list"])
    assert len(accesses(loop)) == 1
    (load,) = accesses(loop)
    assert re.match(r"mov +\(%", load)


WIDTHS = {  # register, an ordinary access, a store past the caches
    "scalar": ("r", "mov", "movnti"),
    "sse2": ("xmm", "mov(dqa|aps|ups|dqu)|padd[qd]", "movnt(dq|ps)"),
    "avx2": ("ymm", r"vmov(dq|ap|up)\w+|vpaddq", "vmovnt(dq|ps)"),
    "avx512": ("zmm", r"vmov(dq|ap|up)\w+|vpaddq", "vmovnt(dq|ps)"),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    ("kernel", "loads", "stores", "streams"),
    [
        ("read", 8, 0, 0),
        ("write", 0, 8, 0),
        ("stream", 0, 0, 8),
        ("copy", 8, 8, 0),
        ("copy_stream", 8, 0, 8),
        ("modify", 8, 8, 0),
    ],
)
def test_a_round_is_eight_accesses_of_that_width(width, kernel, loads, stores, streams):
    code = code_of("support/vectors.o")[f"{kernel}_{width}"]
    register, ordinary, past = WIDTHS[width]
    (loop,) = loops_of(code)
    results = Counter()
    for text in accesses(loop):
        assert f"%{register}" in text.replace(text[text.index("(") : text.index(")")], ""), text
        if re.match(rf"({past}) ", text):
            results["stream"] += 1
        else:
            assert re.match(rf"({ordinary}) ", text), text
            results["store" if text.endswith(")") else "load"] += 1
    assert results == +Counter(load=loads, store=stores, stream=streams)
    assert len({re.search(r"-?\w*\(", t)[0] for t in accesses(loop) if t.endswith(")")}) in (0, 8)
    assert not [text for _, text in code if text.startswith(("call", "rep"))]
    assert any(text.startswith("sfence") for _, text in code) == bool(streams)


def between_stamps(code):
    """What lies between each RDTSC and the RDTSCP after it."""
    text = "\n".join(text for _, text in code)
    return [
        part.split("\n") for part in re.findall(r"(?<=\n)rdtsc\n(.*?)\nrdtscp", text, re.DOTALL)
    ]


@pytest.mark.parametrize(
    ("file", "function", "times", "access"),
    [
        ("latency.o0.o", "run_t470", 99, r"mov +\(%rax\),%eax"),
        ("latency.o0.o", "run_i7_10750h", 1, r"mov +\(%rax\),%eax"),
        ("latency.o0.o", "run_hpe_i7_860", 100, r"mov +\(%rax\),%rax"),
        *[
            ("bandwidth.o0.o", f"{name}{word}s" if name == "i7_" else f"{name}{word}", 8, access)
            for name in ("run_t470_", "run_x510uq_", "i7_", "run_hpe_i7_860_")
            for word, access in (("read", r"mov +\(%rax\),%\w+"), ("write", r"mov +%\w+,\(%rax\)"))
        ],
        *[
            ("fault.o0.o", f"run_{name}", 1, "movz?b?s?l? .*(%rax).*")
            for name in ("t470", "x510uq", "mbp2016")
        ],
    ],
)
def test_the_reports_probes_access_memory_as_often_as_they_count(file, function, times, access):
    """By the timed part with the most accesses: others time an empty loop or nothing."""
    parts = between_stamps(code_of(file)[function])
    results = max((accesses(part) for part in parts), key=len)
    assert len(results) == times
    assert all(re.match(access, text) for text in results), results


# --- what the samples say ------------------------------------------------------------------------


@pytest.mark.parametrize(("probe", "params", "ops"), cases("counts"))
def test_a_sample_counts_what_was_done(probe, params, ops):
    if re.search("t470|x510uq|i7_|sse2", probe + str(params)):
        x86_only()
    if params.get("threads") == 2 or re.search("loaded|two", probe):
        two_cpus()
    if "huge" in probe:
        huge_pages()
    samples = library.run(f"memory/{probe}", params, samples=3)
    if ops.startswith("more than "):
        assert (samples.ops > int(ops.removeprefix("more than "))).all()
    else:
        assert samples.ops.tolist() == 3 * [int(ops)]
    if not re.match("bandwidth/(mbp2016|t470)|latency/mbp2016", probe):  # differences of two times
        assert (samples.ticks > 0).all()


def test_faults_of_other_threads_are_not_counted():
    probe, params = "memory/fault/anonymous", {"touches": 10_000}
    ops = in_python(memory.beside_faults_of_another_thread, probe, params, 5)
    assert ops == 5 * [10_000]

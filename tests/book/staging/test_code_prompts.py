"""What the line above folded code says that it shows."""

import pytest

from reckon.book.staging.code_prompts import prompt


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('switch = rk.guess(90, "cycle", "x")', "inputs"),
        ("null = rk.measure(null_call, calls=1000)", "measurement"),
        ("sizes = {name: 64 for name in places}", "preparation"),
        (
            'one = rk.given(1, "1", "x")\nrk.show.prediction(f(one=one), "the null call")',
            "inputs and prediction of the null call",
        ),
        (
            'a = f.of("cpu/syscall/getpid_int80", x=x)\nb = f.of("cpu/syscall/times", x=x)\n'
            'c = f.of("cpu/syscall/getcwd", x=x)',
            "predictions of getpid, int 0x80, times and 1 more",
        ),
        ("%time null = rk.measure(null_call)\n!ls", "preparation"),
        ("%%bash\necho (", "preparation"),
        ('rows = [f.of(f"cpu/syscall/{name}") for name in work]', "predictions"),
    ],
)
def test_the_line_says_which_code_it_is(source, text):
    assert prompt(source) == text

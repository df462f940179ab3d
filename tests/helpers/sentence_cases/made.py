"""Values that stand for what a page has measured."""

from types import SimpleNamespace

from helpers import made_up


def value(number):
    """An input, or another thing with a value."""
    return SimpleNamespace(value=number)


def off(ratio):
    """A result that many times its prediction."""
    return SimpleNamespace(ratio=ratio, has_samples=True)


def ns(number):
    """A measured result of that many nanoseconds."""
    return made_up.single("test/made_up", number, "ns")


def summary(median, apart=0):
    return SimpleNamespace(
        median=median,
        apart=lambda other: apart,
        interval=SimpleNamespace(is_known=median > 0),
        minimum=median * 0.8,
        maximum=median * 1.2,
        processes=7,
    )

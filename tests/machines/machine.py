"""A made-up machine: what differs from the recorded one, and which conclusions are true of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType

from reckon import units

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
NS, US, MS = 1e-9, 1e-6, 1e-3

# The value at x, made of what was recorded there, all in base units (s, byte, byte/s); None: the
# point was not measured. x is None where the quantity is no curve.
Curve = Callable[[float | None, float], float | None]


@dataclass
class Model:
    """How the samples of one quantity are made from the recorded ones."""

    curve: Curve = lambda _, recorded: recorded
    visits: int = 3
    processes: int = 6  # in each visit
    first_processes: int = 0  # in the first one, if not as many as in the others
    # From visit to visit, relative, as a standard deviation; None: as processes of one visit scatter,
    # but at most 1 %.
    drift: float | None = None
    slow: float = 1.0  # times as long in the slow mode
    slow_share: float = 0.0  # of the processes
    slow_visits: tuple[int, ...] = ()  # by number from 1: all their processes are slow
    slow_is_clock: bool = False  # the core's clock is slower there, as calibrated beside the trials
    step_s: float = 0.0  # single readings are multiples of it


@dataclass(frozen=True)
class Conclusion:
    """A finding of a page, by its name."""

    page: str
    name: str


@dataclass
class Machine:
    """One made-up machine."""

    name: str
    truth: str
    models: dict[str, Model] = field(default_factory=dict)  # by quantity
    facts: dict[str, int | float | str | None] = field(default_factory=dict)
    unsupported: dict[str, str] = field(default_factory=dict)  # why, by quantity
    true: list[Conclusion] = field(default_factory=list)
    false: list[Conclusion] = field(default_factory=list)

    @property
    def pages(self) -> list[str]:
        """The pages of which it says what they must state or must not, in its order."""
        return list(dict.fromkeys(each.page for each in [*self.true, *self.false]))

    def model(self, quantity: str, **changes) -> Model:
        """The quantity's model, with these fields changed."""
        model = self.models.setdefault(quantity, Model())
        for name, value in changes.items():
            setattr(model, name, value)
        return model

    def curve(self, quantity: str, curve: Curve) -> None:
        """The quantity is that function of x and of what was recorded there, in base units."""
        self.model(quantity, curve=curve)

    def value(self, quantity: str, amount: str) -> None:
        """The quantity has this median, "140 ns", at each of its points."""
        value = units.to_base(*units.number_and_unit(amount))
        self.model(quantity, curve=lambda *_: value)

    def values(self, experiment: str, **amounts: str) -> None:
        """The same of several quantities of an experiment."""
        for name, amount in amounts.items():
            self.value(f"{experiment}/{name}", amount)

    def scale(self, factor: float, *quantities: str) -> None:
        """The quantities take this many times what was recorded."""
        for quantity in quantities:
            self.model(quantity, curve=lambda _, recorded: factor * recorded)

    def two_modes(
        self, *quantities: str, slow: float, share: float, by_clock: bool = False
    ) -> None:
        """That share of the processes takes `slow` times as long; `by_clock`: so does a cycle."""
        for quantity in quantities:
            self.model(quantity, slow=slow, slow_share=share, slow_is_clock=by_clock)

    def slow_visits(self, *quantities: str, slow: float, visits: Sequence[int], of: int) -> None:
        """Of that number of visits all processes of these take `slow` times as long."""
        for quantity in quantities:
            self.model(quantity, slow=slow, slow_visits=tuple(visits), visits=of)

    def drift(self, share: float, *quantities: str) -> None:
        """These differ by that share from visit to visit, as a standard deviation."""
        for quantity in quantities:
            self.model(quantity, drift=share)

    def steps(self, step_s: float, *quantities: str) -> None:
        """Single readings of these quantities are multiples of the counter's step."""
        for quantity in quantities:
            self.model(quantity, step_s=step_s)

    def lacks(self, reason: str, *quantities: str) -> None:
        """These quantities are unsupported."""
        self.unsupported |= dict.fromkeys(quantities, reason)

    def fact(self, name: str, value: int | float | str | None) -> None:
        """The machine description has this value, in base units; None: it is not reported."""
        self.facts[name] = value

    def must(self, page: str, *names: str) -> None:
        """The page has to state these, which follow from the truth.

        One that no page has yet gets the name that it should have."""
        self.true += [Conclusion(page, name) for name in names]

    def must_not(self, page: str, *names: str) -> None:
        """These are false of this machine."""
        self.false += [Conclusion(page, name) for name in names]


def machine(truth: str) -> Callable[[Callable[[Machine], None]], Machine]:
    """Declares a machine: of the function's name, as its body says."""

    def declare(function: Callable[[Machine], None]) -> Machine:
        declared = Machine(function.__name__, truth)
        function(declared)
        return declared

    return declare


def machines_of(*modules: ModuleType) -> list[Machine]:
    """The machines that these modules declare, in their order."""
    return [
        value for module in modules for value in vars(module).values() if isinstance(value, Machine)
    ]

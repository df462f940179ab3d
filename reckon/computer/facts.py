"""A machine description as a run's record holds it: facts, each with its source."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, RootModel


class Fact(BaseModel):
    """A value in base units, None if it is not reported, and the command or file it came from."""

    model_config = ConfigDict(frozen=True)

    value: int | float | str | None = None
    source: str = ""


class Machine(RootModel[dict[str, dict[str, Fact]]]):
    """Facts by section and key. A field is named by both: "processor.model"."""

    @classmethod
    def of(cls, facts: Mapping[str, tuple[int | float | str | None, str]]) -> Machine:
        """The description that holds these values and sources, by field."""
        described: dict[str, dict[str, Fact]] = {}
        for field, (value, source) in facts.items():
            section, key = field.split(".")
            described.setdefault(section, {})[key] = Fact(value=value, source=source)
        return cls(described)

    def fact(self, field: str) -> Fact:
        """The fact; one without a value where the description lacks the field."""
        section, key = field.split(".")
        return self.root.get(section, {}).get(key, Fact())

    def value(self, field: str) -> int | float | str | None:
        """The value in base units; None if it is not reported."""
        return self.fact(field).value

    def number(self, field: str) -> float | None:
        """The value of a field that is a number, in base units; None if it is not reported."""
        value = self.value(field)
        return None if value is None else float(value)

    def fields(self) -> list[str]:
        return [f"{section}.{key}" for section, facts in self.root.items() for key in facts]

    def with_recorded(self, section: str, recorded: Machine) -> Machine:
        """This description with what a recorded one adds to the facts of one section."""
        added = {
            key: recorded.root.get(section, {}).get(key, fact)
            for key, fact in self.root.get(section, {}).items()
            if fact.value is None
        }
        return self.with_facts(section, added)

    def with_facts(self, section: str, facts: Mapping[str, Fact]) -> Machine:
        return Machine({**self.root, section: {**self.root.get(section, {}), **facts}})

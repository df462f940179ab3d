"""What a page shows: formulas, tables, computed sentences; `figures/` has its figures.

A notebook uses `rk.show.NAME`, listed here. Most return a Block, which a notebook cell displays.
"""

import importlib

# Each module is imported when one of its names is first used.
_NAMES = {
    "exercise_levels": ["exercises", "project"],
    "formulas": ["prediction", "predictions"],
    "sentences.peers": ["host"],
    "sentences.verdicts": ["measured_again", "verdict"],
    "tables.answer_box": ["answer"],
    "tables.bounds": ["plausibility"],
    "tables.method_and_machine_tables": ["machines", "machines_curve", "methods"],
    "tables.plateau_tables": ["levels", "levels_verdict", "seen_levels"],
    "tables.process_conditions": ["conditions", "tcp"],
    "tables.tables": ["cross_check", "fits", "spreads", "table"],
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [*_MODULES]  # noqa: PLE0604


def __getattr__(name: str):
    if name not in _MODULES:
        raise AttributeError(f"module 'reckon.show' has no attribute {name!r}")
    return getattr(importlib.import_module(f"reckon.show.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__

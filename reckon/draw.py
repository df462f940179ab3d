"""Every figure: vector graphics with alt text, data beside it, prediction and spread drawn in."""

from .curves import against, curve, curves, fit
from .filling import filling
from .figures import bars, distribution, machine_picture, off_chart, series
from .staircase import levels
from .strips import among
from .surfaces import mountain

__all__ = ["against", "among", "bars", "curve", "curves", "distribution", "filling", "fit", "levels", "machine_picture",
           "mountain", "off_chart", "series"]  # fmt: skip

"""Every figure: vector graphics with alt text, data beside it, prediction and spread drawn in."""

from .curves import curve, curves, fit
from .figures import bars, distribution, machine_picture, off_chart, series

__all__ = ["bars", "curve", "curves", "distribution", "fit", "machine_picture", "off_chart",
           "series"]  # fmt: skip

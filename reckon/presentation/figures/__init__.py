"""Every figure: vector graphics with alt text and its data, prediction and spread drawn in."""

from reckon.presentation.figures.cache_fill import filling
from reckon.presentation.figures.curves import against, curve, curves, fit
from reckon.presentation.figures.picture import machine_picture
from reckon.presentation.figures.single import bars, distribution, prediction_ratios, series
from reckon.presentation.figures.staircase import levels
from reckon.presentation.figures.strips import among, method_ratios, reports_prediction_ratios
from reckon.presentation.figures.surfaces import mountain

__all__ = [
    "against",
    "among",
    "bars",
    "curve",
    "curves",
    "distribution",
    "filling",
    "fit",
    "levels",
    "machine_picture",
    "method_ratios",
    "mountain",
    "prediction_ratios",
    "reports_prediction_ratios",
    "series",
]

"""Every figure: vector graphics with alt text and its data, prediction and spread drawn in."""

from reckon.presentation.figures.cache_fill import cache_capacity
from reckon.presentation.figures.measured_curve import curve, curves, fit, pair
from reckon.presentation.figures.picture import machine_picture
from reckon.presentation.figures.single import bars, distribution, prediction_ratios, series
from reckon.presentation.figures.staircase import levels
from reckon.presentation.figures.strips import machines, method_ratios, reports_prediction_ratios
from reckon.presentation.figures.surfaces import mountain

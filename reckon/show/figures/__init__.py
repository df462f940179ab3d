"""Every figure: vector graphics with alt text and its data, prediction and spread drawn in."""

from reckon.show.figures.measured_curve import curve, curves, fit
from reckon.show.figures.mechanism import steps
from reckon.show.figures.seaborn_axes import figure
from reckon.show.figures.single import bars, prediction_ratios, reports_prediction_ratios
from reckon.show.figures.strips import machines
from reckon.show.figures.swimlanes import lanes

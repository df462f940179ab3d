"""A report as a student could have handed it in, and what its grader writes beside it."""

import numpy as np

import reckon as rk
from reckon.show.formulas import formula_block

# The rows of the rubric in book/teaching.md, by a word of each, with their points.
RUBRIC = {"The prediction": 4, "Every input": 4, "The prediction was made first": 2, "The measured value": 4, "An explanation": 4,
          "The measurement that would decide": 2}
GRADES = {"The prediction": (4, "Units agree; hardware and software are separate terms."),
          "Every input": (3, "All inputs but one have a source or an interval; the clock of 3 GHz has neither."),
          "The prediction was made first": (2, "The file with the predictions was handed in before the lab."),
          "The measured value": (3, "Value, interval and method are right; the interval is misread."),
          "An explanation": (2, "The student computed which input would have to change. But the student only claims that the TLB takes the time, without evidence."),
          "The measurement that would decide": (2, "It separates the two parts of the formula, and either result is possible.")}
NEAR = 1.25  # a ratio up to this, and down to its inverse, is no miss


def measured():
    """The first touch of a page, and of a huge one, as their chapter's record has them."""
    by_name = rk.by_name(rk.results("memory/fault"))
    return by_name.get("anonymous"), by_name.get("huge")


def is_measured(*results):
    return all(result and result.has_samples for result in results)


def unless_measured(result):
    """The sentence in the place of what cannot be said."""
    reason = rk.why(result) if result else "the chapter on page faults has no record"
    return rk.say(f"Not measured: {reason}.")


def margin(row, note=""):
    """The grader's points for that row of the rubric, beside the text."""
    points, why = GRADES[row]
    said = rk.say(f"**{row}: {points} of {RUBRIC[row]}.** {why}", note)
    return rk.blocks.Block(f":::{{margin}}\n{said.markdown}\n:::")


def formula(prediction):
    return rk.blocks.Block(formula_block(prediction))


def expected(prediction):
    expected, work, clock = float(prediction.predicted), prediction.inputs["work"], prediction.inputs["clock"]
    low, high = (expected + (end - work.value) / clock.value for end in (work.low, work.high))
    return rk.say(f"So I expect {rk.amount(expected, 'us')}. If my guess is at one end of its interval, I expect "
                  f"{rk.amount(low, 'us')} or {rk.amount(high, 'us')}.")


def clock_of_the_run(clock):
    """clock: the core's, as an input."""
    return f"The clock was measured in week 1: {rk.amount(clock.value, 'Gcycle/s')}." if clock.origin == "measured" else ""


def result(touch, prediction):
    if not is_measured(touch):
        return unless_measured(touch)
    ratio = rk.number(touch.median / float(prediction.predicted), 2)
    said = rk.say(f"Reckon measured {touch:interval} in {touch.summary.processes} fresh processes: {ratio} times my prediction. "
                  "Each trial touches 64 pages of new memory and divides by the faults that the kernel counted. Memory that the host "
                  "has taken back would mislead, so the pages were touched once before and given back. The interval says that nearly "
                  "all first touches take between its two ends.")
    return rk.blocks.Block(said.markdown, measured=(touch.quantity,))


def misread_interval(touch):
    if not is_measured(touch):
        return ""
    summary = touch.summary
    return (f"It is where the median of a later measurement would lie. A trial is a mean of 64 touches, and trials go from "
            f"{rk.amount(summary.minimum, 'us')} to {rk.amount(summary.p99, 'us')} (99th percentile); single touches vary more.")


def work_that_fits(touch, prediction):
    """The cycles of the kernel's work with which the formula would give the measured value."""
    inputs = prediction.inputs
    rest = touch.median - clearing_of(prediction) - inputs["entry"].value
    return rest * inputs["clock"].value


def explanation(touch, prediction):
    if not is_measured(touch):
        return unless_measured(touch)
    ratio, cycles, work = touch.median / float(prediction.predicted), work_that_fits(touch, prediction), prediction.inputs["work"]
    fits = f"With {rk.number(cycles)} cycles of the kernel's work, where I guessed {rk.plain(work.value)}, the formula would be right."
    if cycles < 0:
        fits = "No work of the kernel, however small, makes the formula right: clearing alone was predicted too long."
    side = ("I came out near, which may be two errors that cancel." if 1 / NEAR <= ratio <= NEAR else
            "The touch takes longer than I predicted." if ratio > 1 else "The touch takes less than I predicted.")
    return rk.say(f"{side} {fits} The difference is due to misses of the TLB, because the page is new to it.")


def tlb_claim(walk, missing):
    """What the grader answers. walk: how much longer memory takes in small pages than in huge ones at most, missing: how much longer a touch
    takes than predicted, in seconds; a walk of NaN was not measured."""
    full_marks = "“Unexplained” would have had full marks."
    if not 0 < 2 * walk < missing:
        return f"No value of this run shows it. {full_marks}"
    return (f"In week 5 a load in small pages took at most {rk.amount(walk, 'ns')} longer than in huge ones, by their intervals. "
            f"{rk.amount(missing, 'ns')} are missing here, so one miss of the TLB does not explain them. {full_marks}")


def page_walk():
    by_name = rk.by_name(rk.results("memory/latency"))
    small, huge = (by_name.get(name) for name in ("memory_small", "memory"))
    return small.summary.interval.ends[1] - huge.summary.interval.ends[0] if is_measured(small, huge) else np.nan


def missing(touch, prediction):
    """How much longer a touch takes than predicted, in seconds."""
    return touch.median - float(prediction.predicted) if is_measured(touch) else np.nan


def clearing_of(prediction):
    """The seconds for which a small page is cleared, by the formula."""
    return prediction.inputs["page"].value / prediction.inputs["written"].value


def decided(touch, huge, prediction):
    """What the grader concludes of the huge page: whether clearing was predicted right, and where the missing time is then."""
    if not is_measured(touch, huge):
        return ""
    clearing = 512 * clearing_of(prediction)
    said = f"This run has it: a huge page takes {rk.amount(huge.median, 'us')}; by the formula, clearing alone takes {rk.amount(clearing, 'us')}."
    if not 1 / NEAR <= huge.median / clearing <= NEAR:
        return f"{said} So the formula's rate of clearing does not fit huge pages."
    if touch.median <= NEAR * float(prediction.predicted):
        return f"{said} So the rate of clearing is right for huge pages."
    return (f"{said} That answers the section above. The rate of clearing fits memory, and a small page in the cache may be cleared "
            "faster still. Unless small pages are cleared more slowly, the missing time is the kernel's.")


def deciding(touch, huge, prediction):
    """Clearing or the kernel's path: a huge page has 512 times as much of the first, and the second once."""
    clearing = clearing_of(prediction)
    expects = (f"I would touch a huge page. It is cleared like 512 small ones, {rk.amount(512 * clearing, 'us')} by my formula, but the kernel is "
               "entered once. If a first touch is mostly clearing, a huge one takes 512 times as long. If it is mostly the kernel's path, a huge one takes much less.")
    if not is_measured(touch, huge):
        return rk.say(expects, unless_measured(touch if not is_measured(touch) else huge).markdown)
    times = rk.number(huge.median / touch.median)
    text = rk.say(f"{expects} Reckon measured a huge page, too: {huge:interval}, {times} times a small one.").markdown
    return rk.blocks.Block(text, measured=(touch.quantity, huge.quantity))


def grades():
    rows = [[row, f"{points} of {RUBRIC[row]}", why] for row, (points, why) in GRADES.items()]
    total = sum(points for points, _ in GRADES.values())
    rows.append(["**Together**", f"**{total} of {sum(RUBRIC.values())}**", "A good report with one misreading and one claim too many."])
    return rk.blocks.grid(["Rubric", "Points", "Why"], rows, "The grades of this report", "graded-points", widths=[28, 12, 60])

// Numbers and ratios as text, printed as by reckon/units.py and reckon/show/sentences/verdicts.py;
// tests/book/test_formulas.py compares them.
window.reckon.numbers = (() => {
  "use strict";

  /** The digits and the power of ten of a positive number, rounded as Python does: half to even. */
  function rounded(value, digits) {
    const [mantissa, power] = value.toExponential(digits + 19).split("e");
    const all = mantissa.replace(".", "");
    const isTie = /^50*$/.test(all.slice(digits));
    if (isTie && Number(all[digits - 1]) % 2 === 0) return [all.slice(0, digits), Number(power)];
    const [up, upPower] = value.toExponential(digits - 1).split("e");
    return [up.replace(".", ""), Number(upPower)];
  }

  const grouped = (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  /** A number in three significant digits, in exponent form only if very small or large. */
  function number(value, digits = 3) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    if (value === 0) return "0";
    const sign = value < 0 ? "−" : "";
    const [significant, power] = rounded(Math.abs(value), digits);
    if (power < -4 || power >= 15) {
      const raised = String(power).replace("-", "⁻").replace(/\d/g, (d) => SUPERSCRIPT[d]);
      return `${sign}${significant[0]}${digits > 1 ? "." : ""}${significant.slice(1)}·10${raised}`;
    }
    const decimals = Math.max(digits - 1 - power, 0);
    const padded = power < 0 ? "0".repeat(-power) + significant : significant.padEnd(power + 1, "0");
    const whole = padded.slice(0, padded.length - decimals);
    const fraction = decimals ? `.${padded.slice(padded.length - decimals)}` : "";
    return `${sign}${grouped(whole)}${fraction}`;
  }

  const isWhole = (value) => Math.abs(value - Math.round(value)) <= 1e-9 * Math.abs(value);

  /** A number as it was given: a whole one in full, another in three digits. */
  function plain(value) {
    if (!isWhole(value) || Math.abs(value) >= 1e12) return number(value);
    return (value < 0 ? "−" : "") + grouped(String(Math.abs(Math.round(value))));
  }

  /** A printed number and its unit: "1 byte", "64 bytes", "3 GHz". */
  function spoken(text, unit) {
    const isOne = text === "1" || text === "−1";
    return `${text} ${isOne ? (unit.one ?? unit.spoken) : unit.spoken}`.trim();
  }

  /** A value in base units, printed as it was given in the input's unit. */
  const withUnit = (value, { unit }) => spoken(plain(value / unit.factor), unit);

  /** The step in which a value is printed, of those that its unit has (the smallest first). */
  function readable(value, { steps }) {
    let best = steps[0];
    for (const step of steps.slice(1)) {
      if (Math.abs(value) >= step.factor * window.reckon.data.rules.almost_a_step) best = step;
    }
    return best;
  }

  /** A value in base units, printed with its unit. `units`: what has `steps` and the `unit` itself. */
  function amount(value, units, digits = 3) {
    const step = Number.isFinite(value) ? readable(value, units) : units.unit;
    const shown = value / step.factor;
    return spoken(step.one && isWhole(shown) ? plain(shown) : number(shown, digits), step);
  }

  /** "92.1 to 94.0": the ends of an interval as numbers of the unit in which `middle` is printed. */
  function between(low, high, middle, units) {
    const { factor } = readable(middle, units);
    return `${number(low / factor)} to ${number(high / factor)}`;
  }

  /** The power of ten of a number that is rounded to that many significant digits. */
  const powerOf = (value, digits) => rounded(Math.abs(value), digits)[1];

  /** The power of ten of the last digit that a value and the ends of its interval have. */
  function lastPlace(middle, low, high) {
    const halfWidth = (high - low) / 2;
    if (!(halfWidth > 0 && halfWidth < Infinity && Number.isFinite(middle))) return null;
    const second = powerOf(halfWidth, 2) - 1;
    if (middle === 0) return second;
    const [one, three, four] = [1, 3, 4].map((digits) => powerOf(middle, digits) - digits + 1);
    const place = Math.max(Math.min(second, one), four);
    const values = [...new Set([low, middle, high])];
    const areApart = new Set(values.map((value) => toPlace(value, three))).size === values.length;
    return areApart ? Math.max(place, three) : place;
  }

  /** A number whose last digit is at that power of ten; one digit of what is smaller. */
  function toPlace(value, place) {
    if (value === 0 || !Number.isFinite(value)) return number(value);
    const digits = Math.max(powerOf(value, 17) - place + 1, 1);
    const [significant, power] = rounded(Math.abs(value), digits);
    const near = Math.sign(value) * Number(`${significant[0]}.${significant.slice(1)}e${power}`);
    return number(near, Math.max(powerOf(near, 17) - place + 1, 1));
  }

  /** "93.1 ns" and "92.1 to 94.0": a value and its interval, whose width decides the digits of both;
      "" if it is unknown. */
  function amountAndInterval(middle, low, high, units) {
    if (!Number.isFinite(low)) return [amount(middle, units), ""];
    const step = Number.isFinite(middle) ? readable(middle, units) : units.unit;
    const values = [middle, low, high].map((value) => value / step.factor);
    const place = lastPlace(...values);
    const texts = values.map((value) => (place === null ? number(value) : toPlace(value, place)));
    const text = low < high ? spoken(texts[0], step) : amount(middle, units);
    return [text, `${texts[1]} to ${texts[2]}`];
  }

  /** The first and last value of a curve; one value if all are printed alike. */
  function ends(values, units, printed = (value) => amount(value, units)) {
    const texts = values.map(printed);
    const [first, last] = [texts[0], texts[texts.length - 1]];
    return texts.every((text) => text === first) ? first : `${first} to ${last}`;
  }

  /** A measured value of a formula, by default the first, and its interval; of two groups of processes
      both with their shares, and no interval. */
  function measuredAndInterval(formula, k = 0) {
    const { groups, value, low, high } = formula.measured;
    if (groups?.[k]) return [groups[k].shown, ""];
    return amountAndInterval(value[k], low?.[k] ?? NaN, high?.[k] ?? NaN, formula);
  }

  /** The first and last measured value of a curve, or the only one. */
  const measuredEnds = (formula) =>
    ends(formula.measured.value, formula, (_, k) => measuredAndInterval(formula, k)[0]);

  /** A whole percentage, rounded half to even. */
  function percent(share) {
    const value = 100 * share;
    const down = Math.floor(value);
    const isUp = value - down > 0.5 || (value - down === 0.5 && down % 2 === 1);
    return String(isUp ? down + 1 : down);
  }

  const times = (ratio) => (Number.isNaN(ratio) ? "–" : `${number(ratio)}×`);

  /** A ratio of measured to predicted in words; a dash for one that says nothing. */
  function howFar(ratio) {
    if (!(ratio > 0 && ratio < Infinity)) return "–";
    const factor = Math.max(ratio, 1 / ratio);
    const fits = ({ limit }) => limit === undefined || factor < limit;
    const { words } = window.reckon.data.rules.how_far.find(fits);
    return words
      .replace("{percent}", percent(Math.abs(ratio - 1)))
      .replace("{side}", ratio > 1 ? "higher" : "lower")
      .replace("{factor}", number(factor, 2));
  }

  const NO_NUMBER = "This is no number; write one such as 1234.5.";
  const TOO_LARGE = "This is too large for a number; write a smaller one.";
  const OF_THOUSANDS = "This is no number; write it with nothing between thousands, as 1234.5.";
  const AMOUNT =
    /^\s*([-+−]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][-+−]?[0-9]+)?)\s*((?:[\p{L}%]|1(?![\p{L}\p{N}_.]))[^,]*?|)\s*$/u;
  const GROUPS = /[0-9][\s,.'’_][0-9]{3}(?![0-9])/; // as in reckon/units.py
  const THOUSANDS = /^[-+−]?[1-9][0-9]{0,2}(?:,[0-9]{3}|\.[0-9]{2}0)$/;

  /** The units in which an input may be given, its own first. */
  const unitsOf = (input) => [input.unit, { spoken: input.author_unit, factor: input.unit.factor }, ...input.steps];

  /** The number and the unit's name of an amount as a person types it, or its `fault`: by the rule of
   * reckon/units.py. */
  function numberAndUnit(text) {
    const [, written, name] = AMOUNT.exec(text) ?? [];
    if (written === undefined) return { fault: GROUPS.test(text) ? OF_THOUSANDS : NO_NUMBER };
    const decimal = written.replace(",", ".");
    if (THOUSANDS.test(written)) {
      const { unclear_amount: unclear } = window.reckon.data.rules;
      const readings = { text: written, whole: decimal.replace(".", ""), decimal: decimal.replace(/\.?0+$/, "") };
      return { fault: window.reckon.words.filled(unclear, readings) };
    }
    const number = Number(decimal.replace(/−/g, "-"));
    return Number.isFinite(number) ? { number, name } : { fault: TOO_LARGE };
  }

  /** The same in base units, with the units that the field knows, of which the first need not be written. */
  function typed(text, known) {
    const { number, name, fault } = numberAndUnit(text);
    if (fault) return { fault };
    const isNamed = (unit) => [unit.spoken, unit.one].includes(name.replace(/^[uμ](?=s$)/, "µ"));
    const unit = name ? known.find(isNamed) : known[0];
    if (!unit) {
      const meant = known.find(({ spoken, one }) => [spoken, one].some((each) => each?.toLowerCase() === name.toLowerCase()));
      if (meant) return { fault: `“${name}” is no unit of this field; did you mean ${meant.spoken}?` };
      const names = [...new Set(known.map(({ spoken }) => spoken || "1"))];
      return { fault: `“${name}” is no unit of this field; write ${names.join(", ")} or none.` };
    }
    const value = number * unit.factor;
    return Number.isFinite(value) ? { value } : { fault: TOO_LARGE };
  }

  /** A value in base units as a number in the unit of an input or a formula, as it may be read again. */
  function exact(value, { unit }) {
    const texts = [12, 15, 16, 17].map((digits) => String(Number((value / unit.factor).toPrecision(digits))));
    return texts.find((text) => Number(text) * unit.factor === value) ?? texts[3];
  }

  return {
    exact,
    numberAndUnit,
    typed,
    unitsOf,
    number,
    plain,
    spoken,
    withUnit,
    amount,
    amountAndInterval,
    between,
    ends,
    measuredAndInterval,
    measuredEnds,
    percent,
    times,
    howFar,
  };
})();

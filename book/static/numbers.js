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

  const NAME = String.raw`(?:\p{L}+|%|1(?![\p{L}\p{N}_.]))`;
  const AMOUNT = new RegExp(
    String.raw`^\s*([-+−]?(?:[0-9]+[.,]?[0-9]*|[.,][0-9]+)(?:[eE][-+−]?[0-9]+)?)\s*(${NAME}(?:\s*[*/]\s*${NAME})*|)\s*$`,
    "u",
  );
  const GROUPS = /[0-9][\s,.'’_][0-9]{3}(?![0-9])/; // as in reckon/units.py
  const THOUSANDS = /^[-+−]?[1-9][0-9]{0,2}(?:,[0-9]{3}|\.[0-9]{2}0)$/;

  /** The unit of that name as { factor, powers }, by the rule of reckon/units.py; undefined if there is none. */
  function unitNamed(name) {
    const { unit_prefixes: prefixes, unit_names: names } = window.reckon.data.rules;
    const isUnit = (text) => Object.hasOwn(names, text);
    if (isUnit(name)) return names[name];
    for (const ending of ["", "s"]) {
      for (const prefix of Object.keys(prefixes)) {
        if (!name.startsWith(prefix) || !name.endsWith(ending)) continue;
        const rest = name.slice(prefix.length, name.length - ending.length);
        if (!isUnit(rest) || rest === "%" || (ending && rest.length === 1)) continue;
        return { factor: prefixes[prefix] * names[rest].factor, powers: names[rest].powers };
      }
    }
    return undefined;
  }

  /** The unit of a text such as "ns/byte", as { factor, powers }; undefined if it is none. */
  function unitOf(text) {
    const product = { factor: 1, powers: {} };
    for (const [, sign, name] of text.matchAll(/([*/]?)\s*([^\s*/]+)/g)) {
      const unit = unitNamed(name);
      if (!unit) return undefined;
      const power = sign === "/" ? -1 : 1;
      product.factor *= unit.factor ** power;
      for (const [base, exponent] of Object.entries(unit.powers)) {
        product.powers[base] = (product.powers[base] ?? 0) + power * exponent;
      }
    }
    return product;
  }

  const areAlike = (a, b) => [...Object.keys(a), ...Object.keys(b)].every((base) => (a[base] ?? 0) === (b[base] ?? 0));

  /** What a dimension is called, { time: 1 } "a time". */
  function dimensionName(dimension) {
    const known = window.reckon.data.rules.dimension_names.find(({ powers }) => areAlike(powers, dimension));
    const powers = Object.entries(dimension).filter(([, power]) => power);
    const texts = powers.map(([base, power]) => (power === 1 ? base : `${base}^${power}`)).sort();
    return known?.name ?? `a quantity of dimension ${texts.join(" · ")}`;
  }

  const amountFault = (name, gaps) => ({
    fault: window.reckon.words.filled(window.reckon.data.rules.amount_faults[name], gaps),
  });

  /** The number and the unit's name of an amount as a person types it, or its `fault`: by the rule of
   * reckon/units.py. */
  function numberAndUnit(text, example = "1234.5") {
    const [, written, name] = AMOUNT.exec(text) ?? [];
    if (written === undefined) return amountFault(GROUPS.test(text) ? "thousands" : "number", { example });
    const decimal = written.replace(",", ".");
    if (THOUSANDS.test(written)) {
      const readings = { text: written, whole: decimal.replace(".", ""), decimal: decimal.replace(/\.?0+$/, "") };
      return amountFault("unclear", readings);
    }
    const number = Number(decimal.replace(/−/g, "-"));
    return Number.isFinite(number) ? { number, name } : amountFault("large");
  }

  /** The same in base units, of an input or a formula; a number alone is in `ownUnit`. */
  function typed(text, quantity, ownUnit = quantity.unit) {
    const own = quantity.unit;
    const example = spoken(typeof quantity.value === "number" ? String(short(quantity.value, quantity)) : "150", own);
    const { number, name, fault } = numberAndUnit(text, example);
    if (fault) return { fault };
    const isNamed = (unit) => [unit.spoken, unit.one].includes(name);
    const known = name ? [own, ...quantity.steps].find(isNamed) : ownUnit;
    const unit = known ?? unitOf(name);
    if (!unit) return { fault: unknownUnit(name) };
    if (!known && !areAlike(unit.powers, quantity.dimension)) {
      const [wanted, stated] = [quantity.dimension, unit.powers].map(dimensionName);
      return amountFault("dimension", { wanted, stated, text: text.trim(), example });
    }
    const value = number * unit.factor;
    return Number.isFinite(value) ? { value } : amountFault("large");
  }

  function unknownUnit(name) {
    const { common_units: common, unit_examples: examples, unknown_unit: sentence } = window.reckon.data.rules;
    const meant = common.find((each) => each.toLowerCase() === name.toLowerCase());
    const hint = meant ? `did you mean ${meant}?` : `write for example ${examples}.`;
    return window.reckon.words.filled(sentence, { unit: `'${name}'`, hint });
  }

  /** A value as a number of its unit: a whole one in full, another in four digits. */
  function short(value, { unit }) {
    const shown = value / unit.factor;
    return isWhole(shown) ? Math.round(shown) : Number(shown.toPrecision(4));
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
    unitOf,
    dimensionName,
    short,
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

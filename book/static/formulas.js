// The formulas of a page's predictions: their values and intervals for changed inputs, and numbers as
// they are printed.
//
// Formulas, units, thresholds and words are in the page as JSON
// (reckon/presentation/what_if_panels.py; its schema is docs/formulas.schema.json). Expression trees
// are evaluated as reckon/prediction/ does it, and numbers printed as by reckon/units.py;
// tests/book/test_formulas.py compares the two.
window.reckonFormulas = (() => {
  "use strict";

  let data; // of the page
  let rules; // of the data: the numbers that this script shares with the Python package
  const formulas = new Map(); // by quantity

  /** Takes over the page's data, with each formula's trees as functions; returns it. */
  function load(json) {
    data = json;
    rules = data.rules;
    for (const formula of data.formulas) {
      formulas.set(formula.quantity, formula);
      for (const known of [formula.sealed, formula.measured ?? {}]) {
        for (const ends of ["value", "low", "high"]) known[ends] = known[ends]?.map((one) => one ?? NaN);
      }
      formula.compiled = {};
      for (const part of ["hardware", "software", "predicted"]) {
        if (formula[part]) formula.compiled[part] = compiled(formula[part], formula.axis);
      }
    }
    return data;
  }

  // --- expression trees -----------------------------------------------------------------------

  const FUNCTIONS = {
    add: (a, b) => a + b,
    sub: (a, b) => a - b,
    mul: (a, b) => a * b,
    div: (a, b) => a / b,
    pow: (a, b) => a ** b,
    neg: (a) => -a,
    abs: Math.abs,
    min: (a, b) => Math.min(a, b),
    max: (a, b) => Math.max(a, b),
    sqrt: Math.sqrt,
    exp: Math.exp,
    log: Math.log,
    log2: Math.log2,
    log10: Math.log10,
    ceil: (x) => Math.ceil(x - rules.slack * Math.max(1, Math.abs(x))),
    floor: (x) => Math.floor(x + rules.slack * Math.max(1, Math.abs(x))),
    lt: (a, b) => Number(a < b),
    le: (a, b) => Number(a <= b),
    gt: (a, b) => Number(a > b),
    ge: (a, b) => Number(a >= b),
    and: (a, b) => Number(a !== 0 && b !== 0),
    or: (a, b) => Number(a !== 0 || b !== 0),
    where: (condition, a, b) => (condition !== 0 ? a : b),
  };

  // A value is a number, or a Grid: one number for each combination of the levels (low, given,
  // high) of some uncertain inputs, which are numbered; the last one's level changes fastest.
  class Grid {
    constructor(inputs, data) {
      this.inputs = inputs;
      this.data = data;
    }
  }

  const positions = new Map();

  /** Where each element of a grid over `all` inputs is found in one over `some` of them. */
  function positionsIn(some, all) {
    const key = `${some}|${all}`;
    let found = positions.get(key);
    if (!found) {
      found = new Uint16Array(3 ** all.length);
      for (let place = 0; place < found.length; place++) {
        let rest = place;
        let stride = 1;
        for (let k = all.length - 1; k >= 0; k--) {
          if (some.includes(all[k])) {
            found[place] += (rest % 3) * stride;
            stride *= 3;
          }
          rest = Math.floor(rest / 3);
        }
      }
      positions.set(key, found);
    }
    return found;
  }

  /** A function of numbers, applied to each combination. */
  function onGrid(op, args) {
    const all = [...new Set(args.flatMap((arg) => arg.inputs ?? []))].sort((a, b) => a - b);
    const size = 3 ** all.length;
    const whole = args.map((arg) => {
      if (typeof arg === "number") return new Float64Array(size).fill(arg);
      if (arg.inputs.length === all.length) return arg.data;
      const at = positionsIn(arg.inputs, all);
      return Float64Array.from(at, (place) => arg.data[place]);
    });
    const [a, b, c] = whole;
    const data = new Float64Array(size);
    // The four commonest by loops of their own: a call for each element takes several times as long.
    if (op === "add") for (let i = 0; i < size; i++) data[i] = a[i] + b[i];
    else if (op === "sub") for (let i = 0; i < size; i++) data[i] = a[i] - b[i];
    else if (op === "mul") for (let i = 0; i < size; i++) data[i] = a[i] * b[i];
    else if (op === "div") for (let i = 0; i < size; i++) data[i] = a[i] / b[i];
    else {
      const apply = FUNCTIONS[op];
      for (let i = 0; i < size; i++) data[i] = apply(a[i], b?.[i], c?.[i]);
    }
    return new Grid(all, data);
  }

  let evaluation = 0; // numbers the evaluations of a formula, for what is computed once in each

  /** The function of the inputs' values, in base units, that a tree is; `axis` may be null. */
  function compiled(tree, axis) {
    const [op, ...args] = tree;
    if (op === "const") return { at: () => args[0], alongAxis: false };
    if (op === "input") return { at: (values) => values[args[0]], alongAxis: args[0] === axis };
    const parts = args.map((arg) => compiled(arg, axis));
    const alongAxis = parts.some((part) => part.alongAxis);
    const at = op === "where" ? choice(...parts) : operation(op, parts);
    return { at: alongAxis || !axis ? at : once(at), alongAxis };
  }

  function operation(op, parts) {
    const apply = FUNCTIONS[op];
    const [a, b] = parts.map((part) => part.at);
    if (!b) {
      return (values) => {
        const x = a(values);
        return typeof x === "number" ? apply(x) : onGrid(op, [x]);
      };
    }
    return (values) => {
      const x = a(values);
      const y = b(values);
      return typeof x === "number" && typeof y === "number" ? apply(x, y) : onGrid(op, [x, y]);
    };
  }

  /** Only the alternative that is chosen is computed, if the condition is a single number. */
  function choice(condition, a, b) {
    return (values) => {
      const holds = condition.at(values);
      if (typeof holds === "number") return (holds !== 0 ? a : b).at(values);
      return onGrid("where", [holds, a.at(values), b.at(values)]);
    };
  }

  /** What does not depend on the axis is computed once for all of its places. */
  function once(at) {
    let last = -1;
    let value;
    return (values) => {
      if (last !== evaluation) {
        value = at(values);
        last = evaluation;
      }
      return value;
    };
  }

  // --- a formula with its inputs --------------------------------------------------------------

  /** The inputs of a formula by name, those in `edits` (by their shared number) changed. */
  function inputsOf(formula, edits) {
    const inputs = {};
    for (const [name, number] of Object.entries(formula.inputs)) {
      const given = data.inputs[number];
      const value = edits.get(given.shared);
      inputs[name] = value === undefined ? given : withValue(given, value);
    }
    return inputs;
  }

  /** The input with another value; an interval grows to hold it. */
  function withValue(given, value) {
    if (given.low === undefined) return { ...given, value };
    return { ...given, value, low: Math.min(given.low, value), high: Math.max(given.high, value) };
  }

  const valuesOf = (inputs) =>
    Object.fromEntries(Object.entries(inputs).map(([name, given]) => [name, given.value]));

  /** A part ("predicted", "hardware", "software") at each place of the axis; without an axis, at the
   * only one. null if the formula has no such part. */
  function along(formula, part, values) {
    const { at } = formula.compiled[part] ?? {};
    if (!at) return null;
    evaluation++;
    if (!formula.axis) return [at(values)];
    const there = { ...values };
    return placesOf(formula).map((x) => {
      there[formula.axis] = x;
      return at(there);
    });
  }

  /** The places of a curve; of a single value one that is null. */
  const placesOf = (formula) =>
    formula.axis ? data.inputs[formula.inputs[formula.axis]].value : [null];

  /** The least and greatest predicted value at each place: [lows, highs], or null. */
  function interval(formula, inputs) {
    const uncertain = Object.keys(inputs).filter((name) => inputs[name].low !== undefined);
    if (!uncertain.length) return null;
    const values = valuesOf(inputs);
    const levels = (name) => [inputs[name].low, inputs[name].value, inputs[name].high];
    if (uncertain.length > rules.max_grid_inputs) return searched(formula, values, uncertain, levels);
    uncertain.forEach((name, k) => (values[name] = new Grid([k], Float64Array.from(levels(name)))));
    const results = along(formula, "predicted", values).map((value) =>
      typeof value === "number" ? [value] : value.data,
    );
    const least = (a, b) => (b < a || b !== b ? b : a);
    const greatest = (a, b) => (b > a || b !== b ? b : a);
    return [results.map((each) => each.reduce(least)), results.map((each) => each.reduce(greatest))];
  }

  /** The same by moving one input at a time to the level that improves the result, until none does. */
  function searched(formula, values, uncertain, levels) {
    const predictedAt = (chosen) => {
      evaluation++;
      return formula.compiled.predicted.at(chosen);
    };
    const end = (isBetter) =>
      placesOf(formula).map((x) => {
        const chosen = { ...values };
        if (formula.axis) chosen[formula.axis] = x;
        let best = predictedAt(chosen);
        for (let round = 0; round < rules.max_search_rounds; round++) {
          const before = best;
          for (const name of uncertain) {
            for (const level of levels(name)) {
              const trial = predictedAt({ ...chosen, [name]: level });
              if (isBetter(trial, best)) {
                chosen[name] = level;
                best = trial;
              }
            }
          }
          if (best === before) break;
        }
        return best;
      });
    return [end((a, b) => a < b), end((a, b) => a > b)];
  }

  function median(numbers) {
    const sorted = [...numbers].sort((a, b) => a - b);
    if (!sorted.length || sorted.some(Number.isNaN)) return NaN;
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Measured over predicted; of a curve the median over its points. */
  function ratioOf(formula, predicted) {
    if (!formula.measured) return NaN;
    const { places, value } = formula.measured;
    const ratios = places.map((place, k) => value[k] / (predicted[place] ?? NaN));
    return median(ratios.filter(Number.isFinite));
  }

  /** By uncertain input: the prediction at its ends, as multiples of what it is; the most first. */
  function sensitivity(formula, inputs) {
    const values = valuesOf(inputs);
    const now = along(formula, "predicted", values);
    const multiple = (name, value) => {
      const then = along(formula, "predicted", { ...values, [name]: value });
      const multiples = then.map((each, k) => each / now[k]);
      if (multiples.length === 1) return multiples[0];
      return Math.exp(multiples.map(Math.log).reduce((sum, log) => sum + log, 0) / multiples.length);
    };
    const spread = ({ low, high }) => {
      if (low > 0 && high > 0) return Math.abs(Math.log(high / low));
      return low === high ? 0 : Infinity;
    };
    return Object.entries(inputs)
      .filter(([, given]) => given.low !== undefined)
      .map(([name, given]) => ({
        name,
        low: multiple(name, given.low),
        high: multiple(name, given.high),
      }))
      .sort((a, b) => spread(b) - spread(a) || 0);
  }

  /** The value of an input, nearest to the given one, with which alone the prediction would meet the
   * measurement; undefined if there is none. */
  function needed(formula, inputs, name) {
    const values = valuesOf(inputs);
    const excess = (value) =>
      ratioOf(formula, along(formula, "predicted", { ...values, [name]: value })) - 1;
    const given = inputs[name];
    let above = given.value;
    let below = given.value;
    if (above === 0) {
      above = given.high ?? 0;
      const value = root(excess, 0, above);
      if (value !== undefined) return value;
    }
    for (let step = 0; step < rules.needed_steps; step++) {
      const value = root(excess, above, above * rules.needed_step);
      if (value !== undefined) return value;
      above *= rules.needed_step;
      if (below) {
        const lower = root(excess, below, below / rules.needed_step);
        if (lower !== undefined) return lower;
        below /= rules.needed_step;
      }
    }
    return undefined;
  }

  function root(f, start, end) {
    const atStart = f(start);
    if (!(atStart * f(end) <= 0)) return undefined;
    for (let k = 0; k < rules.needed_halvings; k++) {
      const middle = (start + end) / 2;
      if (atStart * f(middle) > 0) start = middle;
      else end = middle;
    }
    return Math.abs(f(end)) < rules.needed_error ? end : undefined;
  }

  // --- the printing of numbers ----------------------------------------------------------------

  /** The digits and the power of ten of a positive number, rounded as Python does: half to even. */
  function rounded(value, digits) {
    const [mantissa, power] = value.toExponential(digits + 19).split("e");
    const all = mantissa.replace(".", "");
    const isTie = /^50*$/.test(all.slice(digits));
    if (isTie && Number(all[digits - 1]) % 2 === 0) return [all.slice(0, digits), Number(power)];
    const [up, upPower] = value.toExponential(digits - 1).split("e");
    return [up.replace(".", ""), Number(upPower)];
  }

  const grouped = (whole) => whole.replace(/\B(?=(\d{3})+$)/g, " ");
  const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  /** A number in three significant digits, in exponent form only if very small or large. */
  function number(value, digits = 3) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
    if (value === 0) return "0";
    const sign = value < 0 ? "−" : "";
    const [figures, power] = rounded(Math.abs(value), digits);
    if (power < -4 || power >= 15) {
      const raised = String(power).replace("-", "⁻").replace(/\d/g, (d) => SUPERSCRIPT[d]);
      return `${sign}${figures[0]}${digits > 1 ? "." : ""}${figures.slice(1)}·10${raised}`;
    }
    const places = Math.max(digits - 1 - power, 0);
    const padded = power < 0 ? "0".repeat(-power) + figures : figures.padEnd(power + 1, "0");
    const whole = padded.slice(0, padded.length - places);
    const fraction = places ? `.${padded.slice(padded.length - places)}` : "";
    return `${sign}${grouped(whole)}${fraction}`;
  }

  /** A number as it was given: a whole one in full, another in three digits. */
  function plain(value) {
    const isWhole = Math.abs(value) < 1e12 && Math.abs(value - Math.round(value)) <= 1e-9 * Math.abs(value);
    if (!isWhole) return number(value);
    return (value < 0 ? "−" : "") + grouped(String(Math.abs(Math.round(value))));
  }

  /** The step in which a value is printed, of those that its unit has (the smallest first). */
  function readable(value, { steps }) {
    let best = steps[0];
    for (const step of steps.slice(1)) {
      if (Math.abs(value) >= step.factor * rules.almost_a_step) best = step;
    }
    return best;
  }

  /** A value in base units, printed with its unit. `units`: what has `steps` and the `unit` itself. */
  function amount(value, units, digits = 3) {
    const step = Number.isFinite(value) ? readable(value, units) : units.unit;
    return `${number(value / step.factor, digits)} ${step.spoken}`.trim();
  }

  /** "92.1 to 94.0": the ends of an interval as numbers of the unit in which `middle` is printed. */
  function between(low, high, middle, units) {
    const { factor } = readable(middle, units);
    return `${number(low / factor)} to ${number(high / factor)}`;
  }

  /** The first and last value of a curve; one value if all are printed alike. */
  function ends(values, units) {
    const first = amount(values[0], units);
    const last = amount(values[values.length - 1], units);
    const isOne = first === last && values.every((value) => amount(value, units) === first);
    return isOne ? first : `${first} to ${last}`;
  }

  /** A whole percentage, rounded half to even. */
  function percent(share) {
    const value = 100 * share;
    const down = Math.floor(value);
    const isUp = value - down > 0.5 || (value - down === 0.5 && down % 2 === 1);
    return String(isUp ? down + 1 : down);
  }

  const times = (ratio) => (Number.isNaN(ratio) ? "–" : `${number(ratio)}×`);

  /** A ratio of measured to predicted in words. */
  function howFar(ratio) {
    const factor = Math.max(ratio, 1 / ratio);
    const fits = ({ limit }) => limit === undefined || factor < limit;
    const { words } = rules.how_far.find(fits);
    return words
      .replace("{percent}", percent(Math.abs(ratio - 1)))
      .replace("{side}", ratio > 1 ? "higher" : "lower")
      .replace("{factor}", number(factor, 2));
  }

  return {
    get data() {
      return data;
    },
    load,
    formulas,
    inputsOf,
    withValue,
    valuesOf,
    along,
    interval,
    ratioOf,
    median,
    sensitivity,
    needed,
    number,
    plain,
    amount,
    between,
    ends,
    percent,
    times,
    howFar,
  };
})();

// The what-if panels of a page: changed inputs, and what the predictions would then be.
//
// Formulas, units, thresholds and words are in the page as JSON (reckon/presentation/what_if.py; its
// schema is docs/formulas.schema.json). This script walks the expression trees as
// reckon/prediction/ does, and prints numbers as reckon/units.py does; a test compares the two.
(() => {
  "use strict";

  let data; // of the page: its inputs and formulas
  let rules; // of the data: the numbers that this script shares with the Python package

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

  // --- the state of the page ------------------------------------------------------------------

  const edits = new Map(); // the changed inputs: their value in base units by their shared number
  const formulas = new Map(); // by quantity
  const panels = [];

  const given = (shared) => data.inputs.find((input) => input.shared === shared);
  const currentValue = (shared) => edits.get(shared) ?? given(shared).value;

  /** The shared numbers of a formula's inputs that can be changed. */
  const sharedOf = (formula) =>
    Object.values(formula.inputs)
      .map((number) => data.inputs[number])
      .filter((input) => input.slider)
      .map((input) => input.shared);

  const isEdited = (formula) => sharedOf(formula).some((shared) => edits.has(shared));

  const computed = new Map(); // what each formula predicts with the changed inputs

  function compute(formula) {
    if (!computed.has(formula)) computed.set(formula, computeAgain(formula));
    return computed.get(formula);
  }

  function computeAgain(formula) {
    const inputs = inputsOf(formula, edits);
    const values = valuesOf(inputs);
    const predicted = along(formula, "predicted", values);
    return {
      inputs,
      predicted,
      hardware: along(formula, "hardware", values),
      software: along(formula, "software", values),
      ratio: ratioOf(formula, predicted),
    };
  }

  function change(shared, value) {
    if (value === given(shared).value) edits.delete(shared);
    else edits.set(shared, value);
    refresh([shared]);
  }

  function reset() {
    const changed = [...edits.keys()];
    edits.clear();
    refresh(changed);
  }

  /** Brings all that depends on these inputs up to date: panels and the numbers in the page. */
  function refresh(changed) {
    computed.clear();
    for (const panel of panels) panel.refresh(changed);
    for (const span of document.querySelectorAll("span[data-quantity][data-shows]")) {
      const formula = formulas.get(span.dataset.quantity);
      if (formula && sharedOf(formula).some((shared) => changed.includes(shared))) follow(span, formula);
    }
    document.querySelectorAll("[data-track]").forEach(followOnTrack);
  }

  /** Moves the prediction on the logarithmic line of an answer box, whose scale its marks show. */
  function followOnTrack(track) {
    const formula = formulas.get(track.dataset.track);
    if (!formula?.measured || formula.axis) return;
    const at = (mark) => parseFloat(track.style.getPropertyValue(`--${mark}`));
    track.dataset.sealed ??= at("predicted");
    const start = Number(track.dataset.sealed);
    const [sealed, measured] = [formula.sealed.value[0], formula.measured.value[0]];
    const scale = (at("measured") - start) / Math.log(measured / sealed);
    const place = start + scale * Math.log(compute(formula).predicted[0] / sealed);
    const isKnown = isEdited(formula) && Number.isFinite(place);
    const shown = isKnown ? Math.min(100, Math.max(0, place)) : start;
    track.style.setProperty("--predicted", `${shown.toFixed(1)}%`);
  }

  /** Shows the changed prediction in a number of the page; unchanged, what was sealed. */
  function follow(span, formula) {
    span.dataset.sealed ??= span.textContent;
    span.classList.toggle("what-if-changed", isEdited(formula));
    span.textContent = isEdited(formula) ? shown(span, formula) : span.dataset.sealed;
  }

  function shown(span, formula) {
    const now = compute(formula);
    const point = Number(span.dataset.point ?? 0);
    const place = formula.measured?.places[point] ?? 0;
    const predicted = now.predicted[place];
    const isOfCurve = formula.axis && span.dataset.point === undefined;
    const ratio = isOfCurve ? now.ratio : (formula.measured?.value[point] ?? NaN) / predicted;
    switch (span.dataset.shows) {
      case "predicted":
        return isOfCurve ? ends(now.predicted, formula) : amount(predicted, formula);
      case "ratio":
        return times(ratio);
      case "verdict":
        return howFar(ratio);
      case "interval": {
        const range = interval(formula, now.inputs);
        return range ? between(range[0][place], range[1][place], predicted, formula) : "–";
      }
      default:
        return span.dataset.sealed;
    }
  }

  /** The first and last value of a curve; one value if all are printed alike. */
  function ends(values, units) {
    const first = amount(values[0], units);
    const last = amount(values[values.length - 1], units);
    const isOne = first === last && values.every((value) => amount(value, units) === first);
    return isOne ? first : `${first} to ${last}`;
  }

  // --- building elements ----------------------------------------------------------------------

  let counter = 0;
  const newId = () => `what-if-${++counter}`;

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  const withUnit = (value, input) => `${plain(value / input.unit.factor)} ${input.unit.spoken}`.trim();

  /** A value as it stands in a field: a whole number in full, another in four digits. */
  function inField(value, input) {
    const shown = value / input.unit.factor;
    const whole = Math.round(shown);
    return Math.abs(shown - whole) <= 1e-9 * Math.abs(shown) ? whole : Number(shown.toPrecision(4));
  }

  // --- one input ------------------------------------------------------------------------------

  const SLIDER_STEPS = 1000;

  /** A row with a slider and a field for an input, which is called `label`. */
  function inputRow(shared, label) {
    const input = given(shared);
    const [low, high] = input.slider;
    const position = (value) => {
      const share = input.logarithmic
        ? Math.log(value / low) / Math.log(high / low)
        : (value - low) / (high - low);
      return String(Math.round(SLIDER_STEPS * Math.min(1, Math.max(0, share || 0))));
    };
    const valueAt = (step) => {
      const share = step / SLIDER_STEPS;
      const value = input.logarithmic ? low * (high / low) ** share : low + (high - low) * share;
      return Number((value / input.unit.factor).toPrecision(3)) * input.unit.factor;
    };
    const id = newId();
    const unit = input.unit.spoken;
    const slider = element("input", {
      type: "range",
      min: 0,
      max: SLIDER_STEPS,
      "aria-label": `${label}, slider`,
      oninput: () => change(shared, valueAt(Number(slider.value))),
    });
    const field = element("input", {
      type: "number",
      step: "any",
      id,
      "aria-describedby": `${id}-source`,
      oninput: () => {
        const isEmpty = field.value === "" && !field.validity.badInput;
        const value = isEmpty ? input.value : field.valueAsNumber * input.unit.factor;
        field.setAttribute("aria-invalid", !Number.isFinite(value));
        if (Number.isFinite(value)) change(shared, value);
      },
    });
    const interval =
      input.low === undefined
        ? ""
        : ` (${plain(input.low / input.unit.factor)} to ${withUnit(input.high, input)})`;
    const row = element(
      "div",
      { class: "what-if-input" },
      element("label", { for: id }, label),
      slider,
      element("span", { class: "what-if-field" }, field, element("span", {}, unit)),
      element("small", { id: `${id}-source` }, `${input.source}${interval}`),
    );
    const show = () => {
      const value = currentValue(shared);
      slider.value = position(value);
      slider.setAttribute("aria-valuetext", withUnit(value, input));
      // What is being typed is left as it is.
      if (document.activeElement !== field || !edits.has(shared)) field.value = inField(value, input);
      row.classList.toggle("what-if-changed", edits.has(shared));
    };
    show();
    return { row, shared, show };
  }

  // --- one quantity ---------------------------------------------------------------------------

  const TRACK_MARGIN = 2; // a track reaches this factor beyond the sealed and the measured value

  /** The predicted, sealed and measured value on a logarithmic line. */
  function track(formula, now) {
    const middle = (values, places) => median(places.map((place) => values[place]).filter(Number.isFinite));
    const places = formula.measured?.places ?? formula.sealed.value.map((_, k) => k);
    const marks = {
      sealed: middle(formula.sealed.value, places),
      measured: formula.measured ? median(formula.measured.value) : NaN,
      predicted: middle(now.predicted, places),
    };
    const fixed = [marks.sealed, marks.measured].filter((value) => value > 0);
    const all = [...fixed.flatMap((v) => [v / TRACK_MARGIN, v * TRACK_MARGIN]), marks.predicted];
    const positive = all.filter((value) => value > 0 && Number.isFinite(value));
    const [low, high] = [Math.min(...positive), Math.max(...positive)];
    const line = element("span", { class: "what-if-track", "aria-hidden": "true" });
    for (const [name, value] of Object.entries(marks)) {
      if (!(value > 0 && Number.isFinite(value))) continue;
      const share = high > low ? Math.log(value / low) / Math.log(high / low) : 0.5;
      line.append(element("span", { class: name, style: `left: ${(96 * share + 2).toFixed(1)}%` }));
    }
    return line;
  }

  /** A quantity of a panel: a line with its numbers, and below it what they are made of. */
  function resultBox(formula, isAlone) {
    const line = element("summary");
    const body = element("div", { class: "what-if-body" });
    const box = element("details", { class: "what-if-result", ontoggle: () => show() }, line, body);
    const sealedRatio = ratioOf(formula, formula.sealed.value);
    if (isAlone) box.open = true;

    const drawing = element("div");
    const list = element("ul");
    const effects = element("div");
    body.append(drawing, list, effects);
    let range = null; // of a curve: the interval that is drawn

    function show() {
      const now = compute(formula);
      const { measured } = formula;
      const predicted = element("span", { class: "predicted" }, ends(now.predicted, formula));
      const value = measured
        ? element("span", { class: "measured" }, ends(measured.value, formula))
        : element("span", {}, "not measured");
      const ratio = element("b", {}, times(now.ratio));
      const before = element("small", {}, `sealed ${times(sealedRatio)}`);
      line.replaceChildren(
        element("span", { class: "what-if-name" }, formula.label),
        track(formula, now),
        element("span", { class: "what-if-values" }, predicted, " → ", value),
        element("span", { class: "what-if-ratio" }, ratio, before),
      );
      if (!box.open) return;
      list.replaceChildren(...sentences(formula, now));
      if (formula.axis) drawing.replaceChildren(curve(formula, now, range));
      later.add(result);
      startLater();
    }

    /** What takes longer: the interval of a curve, and what each input does. */
    function showMore() {
      const now = compute(formula);
      if (formula.axis) {
        range = interval(formula, now.inputs);
        drawing.replaceChildren(curve(formula, now, range));
      }
      effects.replaceChildren(effectsTable(formula, now) ?? "");
    }

    const result = { box, formula, show, showMore };
    return result;
  }

  const later = new Set(); // results of which more is to be shown
  let laterTimer = null;

  /** Shows more of one result after another, between which the page can be used. */
  function startLater() {
    laterTimer ??= setTimeout(() => {
      laterTimer = null;
      const [result] = later;
      later.delete(result);
      if (result.box.open && result.box.isConnected) result.showMore();
      if (later.size) startLater();
    });
  }

  /** The numbers of a quantity: predicted with interval and parts, sealed, measured, ratio. */
  function sentences(formula, now) {
    const { sealed, measured } = formula;
    const list = [];
    const item = (...content) => list.push(element("li", {}, ...content));
    if (!formula.axis) {
      const range = interval(formula, now.inputs);
      const width = range ? ` (${between(range[0][0], range[1][0], now.predicted[0], formula)})` : "";
      const predicted = amount(now.predicted[0], formula);
      item("predicted ", element("b", {}, predicted), width, partsText(formula, now));
    }
    item(`sealed ${ends(sealed.value.filter(Number.isFinite), formula)}`);
    if (!measured) {
      item(formula.reason ? `not measured: ${formula.reason}` : "not measured yet");
      return list;
    }
    const [value, low, high] = [measured.value[0], measured.low?.[0], measured.high?.[0]];
    const width = Number.isFinite(low) ? ` (${between(low, high, value, formula)})` : "";
    item(`measured ${formula.axis ? ends(measured.value, formula) : amount(value, formula) + width}`);
    if (now.ratio > 0 && now.ratio < Infinity) {
      const median = formula.axis ? ", by the median over its points: " : ": ";
      item(element("b", {}, times(now.ratio)), median, howFar(now.ratio));
    }
    return list;
  }

  function partsText(formula, { hardware, software }) {
    if (hardware && software) {
      return `: hardware ${amount(hardware[0], formula)} + software ${amount(software[0], formula)}`;
    }
    return hardware && formula.kind === "rate" ? `: hardware alone ${amount(hardware[0], formula)}` : "";
  }

  /** How far each input's interval moves the prediction, and where it alone would meet it. */
  function effectsTable(formula, now) {
    const moves = sensitivity(formula, now.inputs);
    if (!moves.length) return null;
    const logs = moves.flatMap(({ low, high }) => [low, high]).map(Math.log);
    const most = Math.max(0.1, ...logs.filter(Number.isFinite).map(Math.abs));
    const percentAt = (log) => 50 + (50 * Math.max(-most, Math.min(most, log))) / most;
    const body = element("tbody");
    for (const { name, low, high } of moves) {
      const input = now.inputs[name];
      const [left, right] = [Math.min(low, high), Math.max(low, high)].map(Math.log).map(percentAt);
      const bar = element(
        "span",
        { class: "what-if-bar", "aria-hidden": "true" },
        element("span", { style: `left: ${left}%; width: ${Math.max(1, right - left)}%` }),
      );
      const isGuess = formula.measured && input.origin === "guess";
      const meets = isGuess ? needed(formula, now.inputs, name) : undefined;
      const outside = meets < input.low || meets > input.high ? ", outside its interval" : "";
      body.append(
        element(
          "tr",
          {},
          element("th", { scope: "row" }, input.label),
          element("td", {}, bar, `${times(low)} to ${times(high)}`),
          element("td", {}, meets === undefined ? "–" : `${withUnit(meets, input)}${outside}`),
        ),
      );
    }
    const head = (text) => element("th", { scope: "col" }, text);
    return element(
      "table",
      { class: "what-if-effects" },
      element(
        "thead",
        {},
        element("tr", {}, head("input"), head("its interval moves the prediction"), head("alone would meet it at")),
      ),
      body,
    );
  }

  // --- the picture of a curve -----------------------------------------------------------------

  const WIDTH = 360;
  const HEIGHT = 190;
  const EDGE = { left: 50, right: 12, top: 8, bottom: 22 };

  function svg(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /** Maps values onto pixels from `start` to `end`, logarithmically over more than a decade. */
  function scale(values, start, end) {
    const known = values.filter(Number.isFinite);
    let [low, high] = [Math.min(...known), Math.max(...known)];
    const isLogarithmic = low > 0 && high / low > 10;
    if (!isLogarithmic && low > 0 && low < high) low = start > end ? 0 : low;
    if (low === high) high = low + (Math.abs(low) || 1);
    const map = isLogarithmic ? Math.log : (value) => value;
    const at = (value) => start + ((end - start) * (map(value) - map(low))) / (map(high) - map(low));
    const middle = isLogarithmic ? Math.sqrt(low * high) : (low + high) / 2;
    return { at, ticks: [low, middle, high] };
  }

  /** Measured points, the sealed and the present curve. */
  function curve(formula, now, range) {
    const axis = data.inputs[formula.inputs[formula.axis]];
    const { measured, sealed } = formula;
    const x = scale(axis.value, EDGE.left, WIDTH - EDGE.right);
    const shown = [...now.predicted, ...sealed.value, ...(measured?.value ?? [])];
    const y = scale(shown.filter(Number.isFinite), HEIGHT - EDGE.bottom, EDGE.top);
    const line = (values, name) => {
      const points = values
        .map((value, k) => [x.at(axis.value[k]), y.at(value)])
        .filter((point) => point.every(Number.isFinite));
      return svg("polyline", { class: name, points: points.map((p) => p.map((c) => c.toFixed(1))).join(" ") });
    };
    const dots = (measured?.places ?? [])
      .map((place, k) => ({ cx: x.at(axis.value[place]), cy: y.at(measured.value[k]) }))
      .filter(({ cy }) => Number.isFinite(cy))
      .map((at) => svg("circle", { class: "measured", r: 2.5, ...at }));
    const anchors = ["start", "middle", "end"];
    const labels = [
      ...x.ticks.map((value, k) =>
        svg(
          "text",
          { x: x.at(value), y: HEIGHT - 6, "text-anchor": anchors[k] },
          amount(value, axis),
        ),
      ),
      ...y.ticks.map((value) =>
        svg("text", { x: EDGE.left - 4, y: y.at(value) + 3, "text-anchor": "end" }, amount(value, formula, 2)),
      ),
    ];
    const clip = (value) => Math.min(Math.max(value, EDGE.top), HEIGHT - EDGE.bottom);
    const band = [];
    if (range) {
      const side = (values) =>
        values.map((value, k) => `${x.at(axis.value[k]).toFixed(1)},${clip(y.at(value) || 0).toFixed(1)}`);
      const points = [...side(range[0]), ...side(range[1]).reverse()].join(" ");
      band.push(svg("polygon", { class: "interval", points }));
    }
    const base = HEIGHT - EDGE.bottom;
    const frame = svg("path", { class: "frame", d: `M${EDGE.left} ${EDGE.top}V${base}H${WIDTH - EDGE.right}` });
    const name =
      `${formula.label}: predicted ${ends(now.predicted, formula)}` +
      (measured ? `, measured ${ends(measured.value, formula)}` : "");
    return element(
      "div",
      { class: "what-if-curve" },
      svg(
        "svg",
        { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": name },
        ...band,
        frame,
        line(sealed.value, "sealed"),
        line(now.predicted, "predicted"),
        ...dots,
        ...labels,
      ),
      element(
        "p",
        {},
        element("span", { class: "predicted" }, "— with your inputs "),
        element("span", { class: "sealed" }, "┄ sealed "),
        measured ? element("span", { class: "measured" }, "● measured") : null,
      ),
    );
  }

  // --- what is copied -------------------------------------------------------------------------

  const exact = (value, input) => String(Number((value / input.unit.factor).toPrecision(12)));
  const lastPart = (quantity) => quantity.slice(quantity.lastIndexOf("/") + 1);
  const editedFormulas = () => [...formulas.values()].filter(isEdited);

  /** The changed inputs of a formula: [name, input, value]. */
  const changesOf = (formula) =>
    Object.entries(formula.inputs)
      .map(([name, number]) => [name, data.inputs[number]])
      .filter(([, input]) => input.slider && edits.has(input.shared))
      .map(([name, input]) => [name, input, edits.get(input.shared)]);

  /** The address of this page with the changed inputs, each by the first quantity that has it. */
  function link() {
    const written = new Set();
    const changes = new URLSearchParams();
    for (const formula of editedFormulas()) {
      for (const [name, input, value] of changesOf(formula)) {
        if (written.has(input.shared)) continue;
        written.add(input.shared);
        changes.append(`${lastPart(formula.quantity)}.${name}`, exact(value, input));
      }
    }
    return `${location.href.split("#")[0]}${LINK}${changes}`;
  }

  const LINK = "#what-if=";

  /** Takes over the changed inputs of an address. */
  function followLink() {
    if (!location.hash.startsWith(LINK)) return;
    const changed = [...edits.keys()];
    edits.clear();
    for (const [place, text] of new URLSearchParams(location.hash.slice(LINK.length))) {
      const [quantity, name] = place.split(".");
      const formula = [...formulas.values()].find((one) => lastPart(one.quantity) === quantity);
      const input = data.inputs[formula?.inputs[name]];
      const value = Number(text) * input?.unit.factor;
      if (!input?.slider || !Number.isFinite(value)) continue;
      edits.set(input.shared, value);
      changed.push(input.shared);
    }
    refresh(changed);
    const panel = panels.find((one) => one.shared.some((shared) => edits.has(shared)));
    if (!panel) return;
    panel.open();
    panel.box.scrollIntoView({ block: "center" });
  }

  /** The changed predictions as a file. */
  function predictionsToml() {
    const lines = [`# Changed on the page ${data.experiment} of the run ${data.run}.`];
    for (const formula of editedFormulas()) {
      lines.push("", `["${formula.quantity}"]`);
      for (const [name, input, value] of changesOf(formula)) {
        const amountOf = (one) => `${exact(one, input)} ${input.author_unit}`;
        lines.push(`${name} = "${amountOf(value)}"  # instead of ${amountOf(input.value)}`);
      }
    }
    return `${lines.join("\n")}\n`;
  }

  const quoted = (text) => JSON.stringify(text);

  /** An input as a notebook writes it. */
  function inputCode(input, value) {
    const text = (one) => exact(one, input);
    const unit = quoted(input.author_unit);
    const source = quoted(input.author_source);
    if (input.origin === "axis") {
      return `rk.axis([${input.value.map(text).join(", ")}], ${unit}, ${source})`;
    }
    const bounds = `low=${text(Math.min(input.low ?? value, value))}, high=${text(Math.max(input.high ?? value, value))}`;
    const isAsGiven = value === input.value;
    if (input.origin === "given" && (isAsGiven || input.low === undefined)) {
      return `rk.given(${text(value)}, ${unit}, ${source}${input.low === undefined ? "" : `, ${bounds}`})`;
    }
    const guess = `rk.guess(${text(value)}, ${unit}, ${source}, ${bounds})`;
    if (!isAsGiven || (input.origin !== "measured" && input.origin !== "machine")) return guess;
    const place = input.at_end ? ", at_end=True" : "";
    return `rk.${input.origin}(${quoted(input.reference)}, otherwise=${guess}${place})`;
  }

  /** A cell that defines and shows each changed prediction of these formulas. */
  function notebookCell(some) {
    const cells = some.filter(isEdited).map((formula) => {
      const name = `${lastPart(formula.quantity).replace(/\W/g, "_")}_what_if`;
      const kind = formula.kind === "sum" ? "" : `, kind=${quoted(formula.kind)}`;
      const names = Object.keys(formula.inputs);
      const parts = Object.entries(formula.python);
      const inputs = names.map((input) => {
        const one = data.inputs[formula.inputs[input]];
        return `    ${input}=${inputCode(one, edits.get(one.shared) ?? one.value)},`;
      });
      return [
        `@rk.predict(${quoted(formula.quantity)}, unit=${quoted(formula.author_unit)}${kind})`,
        `def ${name}(${names.join(", ")}):`,
        ...parts.map(([part, text]) => `    ${part} = ${text}`),
        `    return ${parts.map(([part]) => part).join(", ")}`,
        "",
        `${name}_here = ${name}(`,
        ...inputs,
        ")",
        `rk.show.prediction(${name}_here, ${quoted(formula.label)})`,
      ].join("\n");
    });
    return `${cells.join("\n\n")}\n`;
  }

  // --- a panel --------------------------------------------------------------------------------

  function makePanel(anchor) {
    const own = anchor.dataset.quantities.split(" ").map((name) => formulas.get(name)).filter(Boolean);
    const shared = [...new Set(own.flatMap(sharedOf))];
    if (!shared.length) return;
    const what = anchor.dataset.what || (own.length === 1 ? own[0].label : `${own.length} quantities`);
    const status = element("output", { class: "what-if-status", "aria-live": "polite" });
    const text = element("textarea", { rows: 6, readonly: "", "aria-label": "Text to copy", hidden: "" });
    const save = element("button", { type: "button", hidden: "", onclick: download }, "Download predictions.toml");
    const content = element("div", { class: "what-if-content" });
    const box = element(
      "details",
      { class: "what-if", ontoggle: () => box.open && build() },
      element("summary", {}, element("b", {}, "What if?"), ` Change the prediction: ${what}`),
      content,
    );
    let rows = [];
    let results = [];

    /** The input's name; where several have it, with the first of its quantities. */
    function labelOf(one) {
      const { label } = given(one);
      if (shared.filter((other) => given(other).label === label).length === 1) return label;
      const [first, ...others] = own.filter((formula) => sharedOf(formula).includes(one));
      return `${label} of ${first.label}${others.length ? " …" : ""}`;
    }

    function build() {
      if (rows.length) return;
      rows = shared.map((one) => inputRow(one, labelOf(one)));
      results = own.map((formula) => resultBox(formula, own.length === 1));
      const button = (title, onclick) => element("button", { type: "button", onclick }, title);
      const offer = (title, make) => button(title, () => copy(make()));
      content.append(
        element("div", { class: "what-if-inputs" }, ...rows.map(({ row }) => row)),
        status,
        element("div", { class: "what-if-results" }, ...results.map((result) => result.box)),
        element(
          "div",
          { class: "what-if-actions" },
          button("Reset", reset),
          offer("Copy link", link),
          offer("Copy as notebook cell", () => notebookCell(own)),
          button("Keep these predictions", () => copy(predictionsToml(), true)),
        ),
        text,
        save,
      );
      results.forEach((result) => result.show());
      report();
    }

    /** One sentence on what the changes did. */
    function report() {
      const changed = own.filter(isEdited);
      if (!changed.length) {
        status.textContent = "These are the inputs of the prediction as it is; change one.";
        return;
      }
      if (own.length === 1) {
        const [formula] = own;
        const now = compute(formula);
        const sealedRatio = ratioOf(formula, formula.sealed.value);
        const ratio = formula.measured
          ? `; measured is ${times(now.ratio)} (sealed ${times(sealedRatio)})`
          : "; it is not measured";
        status.textContent = `With your inputs: ${ends(now.predicted, formula)}${ratio}.`;
        return;
      }
      const count = (ratios) => ratios.filter((one) => one > 1 / rules.near && one < rules.near).length;
      const measured = own.filter((formula) => formula.measured);
      const near = count(measured.map((formula) => compute(formula).ratio));
      const sealed = count(measured.map((formula) => ratioOf(formula, formula.sealed.value)));
      status.textContent =
        `With your inputs ${changed.length} of ${own.length} predictions change; ` +
        `${near} of ${measured.length} lie within ${rules.near} times of the measurement (sealed ${sealed}).`;
    }

    async function copy(content, isFile = false) {
      text.value = content;
      save.hidden = !isFile;
      text.hidden = false;
      text.select();
      try {
        await navigator.clipboard.writeText(content);
        status.textContent = "Copied.";
      } catch {
        status.textContent = "The text is below and selected; copy it from there.";
      }
    }

    function download() {
      const address = URL.createObjectURL(new Blob([predictionsToml()], { type: "application/toml" }));
      element("a", { href: address, download: "predictions.toml" }).click();
      URL.revokeObjectURL(address);
    }

    panels.push({
      box,
      shared,
      open() {
        for (let fold = box; fold; fold = fold.parentElement.closest("details")) fold.open = true;
        build();
      },
      refresh(changed) {
        if (!box.open) {
          rows = []; // made again when it is opened
          content.replaceChildren();
          return;
        }
        if (!shared.some((one) => changed.includes(one))) return;
        rows.filter((row) => changed.includes(row.shared)).forEach((row) => row.show());
        results
          .filter(({ formula }) => sharedOf(formula).some((one) => changed.includes(one)))
          .forEach((result) => result.show());
        report();
      },
    });
    anchor.append(box);
  }

  // --- the page -------------------------------------------------------------------------------

  function start() {
    const source = document.querySelector("script.reckon-formulas");
    if (!source) return;
    data = JSON.parse(source.textContent);
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
    document.querySelectorAll(".reckon-what-if").forEach(makePanel);
    followLink();
    window.addEventListener("hashchange", followLink);
  }

  // For tests: what the panels show, by quantity and inputs in base units by their names.
  window.reckonWhatIf = {
    number,
    plain,
    percent,
    amount: (value, quantity) => amount(value, formulas.get(quantity)),
    howFar,
    data: () => data,
    evaluate(quantity, changes, withInterval = true) {
      const formula = formulas.get(quantity);
      const inputs = inputsOf(formula, new Map());
      for (const [name, value] of Object.entries(changes)) inputs[name] = withValue(inputs[name], value);
      const values = valuesOf(inputs);
      return {
        hardware: along(formula, "hardware", values),
        software: along(formula, "software", values),
        predicted: along(formula, "predicted", values),
        interval: withInterval ? interval(formula, inputs) : null,
      };
    },
    sensitivity: (quantity) => {
      const formula = formulas.get(quantity);
      return sensitivity(formula, inputsOf(formula, new Map()));
    },
    needed: (quantity, name) => {
      const formula = formulas.get(quantity);
      return needed(formula, inputsOf(formula, new Map()), name);
    },
  };

  document.addEventListener("DOMContentLoaded", start);
})();

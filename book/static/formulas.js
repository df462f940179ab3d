// The formulas of a page's predictions: their values and intervals for changed inputs.
//
// Formulas, units, thresholds and words are in the page as JSON
// (reckon/edits/what_if_panels.py).
// tests/book/test_formulas.py compares the values with those of Python.
window.reckon.formulas = (() => {
  "use strict";

  const { Grid, compiled, startEvaluation } = window.reckon.expressions;
  // Of the page; on one without predictions the book's rules alone.
  let data = (window.reckon.data = { inputs: [], formulas: [], rules: window.reckonBook?.rules });
  let rules; // the numbers that this script shares with the Python package; a page's are the book's
  const byQuantity = new Map();

  /** Takes over the page's data, with each formula's trees as functions. */
  function load(json) {
    data = window.reckon.data = json;
    rules = data.rules ??= window.reckonBook.rules;
    for (const formula of data.formulas) {
      byQuantity.set(formula.quantity, formula);
      for (const known of [formula.sealed, formula.measured ?? {}]) {
        for (const ends of ["value", "low", "high"]) known[ends] = known[ends]?.map((value) => value ?? NaN);
      }
      const given = Object.entries(formula.inputs).map(([name, number]) => [name, data.inputs[number]]);
      formula.given = Object.fromEntries(given);
      setTrees(formula, formula);
    }
  }

  /** Has the formula computed by these trees, by part. */
  function setTrees(formula, trees) {
    formula.compiled = {};
    for (const part of ["hardware", "software", "predicted"]) {
      if (trees[part]) formula.compiled[part] = compiled(trees[part], formula.axis);
    }
  }

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
    const later = undefined;
    if (given.low === undefined) return { ...given, value, later };
    return { ...given, value, later, low: Math.min(given.low, value), high: Math.max(given.high, value) };
  }

  const valuesOf = (inputs) =>
    Object.fromEntries(Object.entries(inputs).map(([name, given]) => [name, given.value]));

  /** The same values, but of measured inputs that have moved since the seal what they are now. */
  const laterValuesOf = (inputs) =>
    Object.fromEntries(Object.entries(inputs).map(([name, given]) => [name, given.later ?? given.value]));

  /** A part ("predicted", "hardware", "software") at each position of the axis; without an axis, at the
   * only one. null if the formula has no such part. */
  function along(formula, part, values) {
    const { at } = formula.compiled[part] ?? {};
    if (!at) return null;
    startEvaluation();
    if (!formula.axis) return [at(values)];
    const valuesThere = { ...values };
    return positionsOf(formula).map((x) => {
      valuesThere[formula.axis] = x;
      return at(valuesThere);
    });
  }

  /** The positions of a curve; of a single value one that is null. */
  const positionsOf = (formula) =>
    formula.axis ? data.inputs[formula.inputs[formula.axis]].value : [null];

  /** The least and greatest predicted value at each position: [lows, highs], or null.
   *
   * All combinations of the levels give where each end is begun, or the given values where these are too
   * many; from there one input at a time moves to the best of ever closer values. */
  function interval(formula, inputs) {
    const uncertain = Object.keys(inputs).filter((name) => inputs[name].low !== undefined);
    if (!uncertain.length) return null;
    const values = valuesOf(inputs);
    const levels = (name) => [inputs[name].low, inputs[name].value, inputs[name].high];
    const isOnGrid = uncertain.length <= rules.max_grid_inputs;
    const onGrid = { ...values };
    if (isOnGrid) uncertain.forEach((name, k) => (onGrid[name] = new Grid([k], Float64Array.from(levels(name)))));
    const grids = isOnGrid ? along(formula, "predicted", onGrid) : [];
    const end = (isBetter) =>
      positionsOf(formula).map((x, position) => {
        const chosen = { ...values };
        if (formula.axis) chosen[formula.axis] = x;
        if (isOnGrid) chooseBest(chosen, grids[position], uncertain, levels, isBetter);
        return searched(formula, chosen, uncertain, inputs, isBetter);
      });
    return [end((a, b) => a < b), end((a, b) => a > b)];
  }

  /** Gives each input its level in the best combination of a grid; in one without a value, if there is one. */
  function chooseBest(chosen, grid, uncertain, levels, isBetter) {
    if (typeof grid === "number") return;
    let best = 0;
    for (let k = 1; k < grid.data.length; k++) {
      if (Number.isNaN(grid.data[best])) break;
      if (Number.isNaN(grid.data[k]) || isBetter(grid.data[k], grid.data[best])) best = k;
    }
    for (let k = grid.inputs.length - 1; k >= 0; k--) {
      const name = uncertain[grid.inputs[k]];
      chosen[name] = levels(name)[best % 3];
      best = Math.floor(best / 3);
    }
  }

  /** The best value that moving one input at a time reaches from those chosen. */
  function searched(formula, chosen, uncertain, inputs, isBetter) {
    const { search_steps: steps, search_zooms: zooms } = rules;
    const predicted = () => {
      startEvaluation();
      return formula.compiled.predicted.at(chosen);
    };
    let best = predicted();
    for (let round = 0; round < rules.max_search_rounds; round++) {
      const before = best;
      for (const name of uncertain) {
        const { low, high } = inputs[name];
        let reach = high - low;
        for (let zoom = 0; zoom < zooms; zoom++) {
          const centre = chosen[name];
          let level = centre;
          for (let step = -steps; step <= steps; step++) {
            const tried = Math.min(Math.max(centre + (step / steps) * reach, low), high);
            if (tried === chosen[name]) continue; // beyond an end
            chosen[name] = tried;
            const found = predicted();
            if (isBetter(found, best)) {
              best = found;
              level = chosen[name];
            }
          }
          chosen[name] = level;
          reach /= steps;
        }
      }
      if (best === before || Number.isNaN(best)) break;
    }
    return best;
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
    const { indices, value } = formula.measured;
    const ratios = indices.map((index, k) => value[k] / (predicted[index] ?? NaN));
    return median(ratios.filter(Number.isFinite));
  }

  /** By uncertain input: the prediction at its ends, as multiples of what it is; the most first. */
  function sensitivity(formula, inputs) {
    const values = valuesOf(inputs);
    const now = along(formula, "predicted", values);
    const multiple = (name, value) => {
      const then = along(formula, "predicted", { ...values, [name]: value });
      const multiples = then.map((value, k) => value / now[k]);
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

  return {
    load,
    setTrees,
    byQuantity,
    inputsOf,
    withValue,
    valuesOf,
    laterValuesOf,
    along,
    interval,
    ratioOf,
    median,
    sensitivity,
    needed,
  };
})();

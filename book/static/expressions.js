// Expression trees of the page's formulas as functions, evaluated as reckon/prediction/ does it;
// tests/book/test_formulas.py compares the two.

// What the scripts of the panels share: each adds its functions, in the order of _config.yml.
// formulas.js sets `data`, which is the page's.
window.reckon = { data: null };

window.reckon.expressions = (() => {
  "use strict";

  const slack = (x) => window.reckon.data.rules.slack * Math.max(1, Math.abs(x));

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
    ceil: (x) => Math.ceil(x - slack(x)),
    floor: (x) => Math.floor(x + slack(x)),
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

  const knownPositions = new Map();

  /** Where each element of a grid over `all` inputs is found in one over `some` of them. */
  function positionsIn(some, all) {
    const key = `${some}|${all}`;
    let positions = knownPositions.get(key);
    if (!positions) {
      positions = new Uint16Array(3 ** all.length);
      for (let element = 0; element < positions.length; element++) {
        let rest = element;
        let stride = 1;
        for (let k = all.length - 1; k >= 0; k--) {
          if (some.includes(all[k])) {
            positions[element] += (rest % 3) * stride;
            stride *= 3;
          }
          rest = Math.floor(rest / 3);
        }
      }
      knownPositions.set(key, positions);
    }
    return positions;
  }

  /** A function of numbers, applied to each combination. */
  function onGrid(op, args) {
    const all = [...new Set(args.flatMap((arg) => arg.inputs ?? []))].sort((a, b) => a - b);
    const size = 3 ** all.length;
    const whole = args.map((arg) => {
      if (typeof arg === "number") return new Float64Array(size).fill(arg);
      if (arg.inputs.length === all.length) return arg.data;
      return Float64Array.from(positionsIn(arg.inputs, all), (position) => arg.data[position]);
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

  const startEvaluation = () => evaluation++;

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

  /** What does not depend on the axis is computed once for all of its positions. */
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

  return { FUNCTIONS, Grid, compiled, startEvaluation };
})();

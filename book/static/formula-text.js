// A formula as a reader types it, "mode_switch / clock": its expression tree and its dimension, by the
// grammar and the rules of a notebook's formula (reckon/prediction/tracing.py and dimensions.py).
// tests/book/test_formula_text.py compares the two.
window.reckon.formulaText = (() => {
  "use strict";

  const { FUNCTIONS } = window.reckon.expressions;
  const { nearest, didYouMean } = window.reckon.words;

  const TOKEN = /\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z_][\w.]*)|(\*\*|<=|>=|[-+*/(),<>]))/y;
  const COMPARISONS = { "<": "lt", "<=": "le", ">": "gt", ">=": "ge" };
  const SUMS = { "+": "add", "-": "sub" };
  const PRODUCTS = { "*": "mul", "/": "div" };
  const SAME_DIMENSION = {
    add: "added",
    sub: "subtracted",
    where: "alternatives",
    ...Object.fromEntries(["min", "max", ...Object.values(COMPARISONS)].map((op) => [op, "compared"])),
  };

  class FormulaError extends Error {}

  const INSTEAD = { "^": "a power is written **, as in a**2", "×": "write *", "·": "write *", "−": "write -" };

  const strange = (letter) =>
    INSTEAD[letter] ? `“${letter}” is no operator of a formula; ${INSTEAD[letter]}.` : `“${letter}” is not part of a formula.`;

  function tokens(text) {
    const found = [];
    TOKEN.lastIndex = 0;
    while (text.slice(TOKEN.lastIndex).trim()) {
      const start = TOKEN.lastIndex;
      const match = TOKEN.exec(text);
      if (!match) throw new FormulaError(strange(text.slice(start).trim()[0]));
      const [, number, name, sign] = match;
      found.push({ number, name, sign, start: match.index + match[0].length - (number ?? name ?? sign).length, end: TOKEN.lastIndex });
    }
    return found;
  }

  /** The expression tree of a text; `names` are the inputs. Throws a FormulaError. */
  function parse(text, names) {
    const all = tokens(text);
    let place = 0;
    const sign = () => all[place]?.sign;

    /** A tree with the text that it was written as. */
    function node(start, op, ...args) {
      if (op === "div" && args[1][0] === "const" && args[1][1] === 0) {
        throw new FormulaError("A division by 0 has no value; divide by an input or a number.");
      }
      const isNumber = op !== "const" && op !== "input" && args.every(([kind]) => kind === "const");
      const tree = isNumber ? ["const", FUNCTIONS[op](...args.map(([, value]) => value))] : [op, ...args];
      tree.text = text.slice(start, all[place - 1].end);
      return tree;
    }

    function expect(wanted) {
      if (sign() !== wanted) throw new FormulaError(`“${wanted}” is missing${after()}.`);
      place += 1;
    }

    const after = () => (place ? ` after “${text.slice(all[place - 1].start, all[place - 1].end)}”` : "");

    /** Operands of a level, from left to right. */
    function chain(operators, operand) {
      const start = all[place]?.start;
      let tree = operand();
      while (operators[sign()]) {
        const op = operators[sign()];
        place += 1;
        tree = node(start, op, tree, operand());
      }
      return tree;
    }

    function comparison() {
      const start = all[place]?.start;
      const left = sum();
      const op = COMPARISONS[sign()];
      if (!op) return left;
      place += 1;
      return node(start, op, left, sum());
    }

    const sum = () => chain(SUMS, product);
    const product = () => chain(PRODUCTS, signed);

    function signed() {
      const start = all[place]?.start;
      if (sign() === "+" || sign() === "-") {
        const isMinus = sign() === "-";
        place += 1;
        const operand = signed();
        return isMinus ? node(start, "neg", operand) : operand;
      }
      const base = atom();
      if (sign() !== "**") return base;
      place += 1;
      return node(start, "pow", base, signed());
    }

    function atom() {
      const token = all[place];
      if (!token) throw new FormulaError(`The formula ends too early${after()}.`);
      place += 1;
      const { number, name, start } = token;
      if (number) return node(start, "const", Number(number));
      if (name) return sign() === "(" ? call(name, start) : input(name, start);
      if (token.sign !== "(") throw new FormulaError(`An input or a number is missing before “${token.sign}”.`);
      const inner = comparison();
      expect(")");
      return inner;
    }

    function input(name, start) {
      if (!names.includes(name)) {
        const hint = didYouMean(name, names, `its inputs are ${names.join(", ")}.`);
        throw new FormulaError(`${name} is not one of its inputs; ${hint}`);
      }
      return node(start, "input", name);
    }

    function call(name, start) {
      const { functions } = window.reckon.data.rules;
      const [op] = Object.entries(functions).find(([, numpy]) => `np.${numpy}` === name) ?? [];
      if (!op) {
        const known = Object.values(functions).sort();
        const meant = nearest(name.slice(name.lastIndexOf(".") + 1), known);
        const hint = meant
          ? `did you mean np.${meant}?`
          : `available are ${known.map((numpy) => `np.${numpy}`).join(", ")}.`;
        throw new FormulaError(`${name} cannot become part of a formula; ${hint}`);
      }
      const args = [];
      do {
        place += 1; // the bracket or a comma
        args.push(comparison());
      } while (sign() === ",");
      expect(")");
      if (args.length !== FUNCTIONS[op].length) {
        throw new FormulaError(`${name} takes ${FUNCTIONS[op].length} values, not ${args.length}.`);
      }
      return node(start, op, ...args);
    }

    const tree = comparison();
    if (all[place]) throw new FormulaError(`“${text.slice(all[place].start)}” is too much${after()}.`);
    return tree;
  }

  // --- dimensions: powers by base, { time: 1 } --------------------------------------------------------

  /** a · b^power, without the bases that cancel. */
  function times(a, b, power = 1) {
    const product = { ...a };
    for (const [base, exponent] of Object.entries(b)) product[base] = (product[base] ?? 0) + power * exponent;
    return Object.fromEntries(Object.entries(product).filter(([, exponent]) => Math.abs(exponent) > 1e-12));
  }

  const isPlain = (dimension) => !Object.keys(dimension).length;
  const areAlike = (a, b) => isPlain(times(a, b, -1));

  function nameOf(dimension) {
    const known = window.reckon.data.rules.dimension_names.find(({ powers }) => areAlike(powers, dimension));
    const powers = Object.entries(dimension).map(([base, power]) => `${base}^${power}`);
    return known?.name ?? `a quantity of dimension ${powers.join(" · ")}`;
  }

  const isZero = ([op, value]) => op === "const" && value === 0;

  /** The dimension of a tree, for inputs of these dimensions. Throws a FormulaError. */
  function dimensionOf(tree, dimensions) {
    const [op, ...args] = tree;
    if (op === "const") return {};
    if (op === "input") return dimensions[args[0]];
    const parts = args.map((arg) => dimensionOf(arg, dimensions));
    if (SAME_DIMENSION[op]) {
      const common = commonDimension(op, args.slice(-2), parts.slice(-2));
      return SAME_DIMENSION[op] === "compared" && op !== "min" && op !== "max" ? {} : common;
    }
    if (op === "mul") return times(parts[0], parts[1]);
    if (op === "div") return times(parts[0], parts[1], -1);
    if (op === "neg" || op === "abs") return parts[0];
    if (op === "sqrt") return times({}, parts[0], 0.5);
    if (op === "pow" && args[1][0] === "const") return times({}, parts[0], args[1][1]);
    args.forEach((arg, k) => {
      if (isPlain(parts[k])) return;
      throw new FormulaError(
        `${arg.text} is ${nameOf(parts[k])}; ${op} takes a plain number: divide it by something of its own kind first.`,
      );
    });
    return {};
  }

  function commonDimension(op, [left, right], [leftPart, rightPart]) {
    if (isZero(left)) return rightPart;
    if (isZero(right) || areAlike(leftPart, rightPart)) return leftPart;
    throw new FormulaError(
      `${left.text} is ${nameOf(leftPart)}; ${right.text} is ${nameOf(rightPart)}: ` +
        `these cannot be ${SAME_DIMENSION[op]}.`,
    );
  }

  /** The tree of one part of a formula. Throws a FormulaError, also where it has another dimension. */
  function parsePart(formula, text) {
    const tree = parse(text, Object.keys(formula.inputs));
    const given = Object.entries(formula.inputs);
    const dimensions = Object.fromEntries(given.map(([name, number]) => [name, window.reckon.data.inputs[number].dimension]));
    const dimension = dimensionOf(tree, dimensions);
    if (!isZero(tree) && !areAlike(dimension, formula.dimension)) {
      throw new FormulaError(
        `The formula gives ${nameOf(dimension)}, but ${formula.author_unit} is ${nameOf(formula.dimension)}.`,
      );
    }
    return tree;
  }

  return { parsePart, FormulaError };
})();

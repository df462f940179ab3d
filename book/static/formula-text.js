// A formula as a reader types it, "mode_switch / clock": its expression tree and its dimension, by the
// grammar and the rules of a notebook's formula (reckon/prediction/tracing.py and dimensions.py).
// tests/book/test_formula_text.py compares the two.
window.reckon.formulaText = (() => {
  "use strict";

  const { FUNCTIONS } = window.reckon.expressions;
  const { filled, nearest, didYouMean } = window.reckon.words;
  const { dimensionName, unitOf } = window.reckon.numbers;

  const TOKEN =
    /\s*(?:([0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?|\.[0-9]+(?:[eE][-+]?[0-9]+)?)|([A-Za-z_][A-Za-z0-9_.]*)|(\*\*|\/\/|<<|>>|[<>=!]=|\S))/gu;
  const SIGNS = ["**", "<=", ">=", ..."+-*/(),<>"];
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

  /** The error with the sentence of that name (reckon/prediction/grammar.py). */
  const fault = (name, gaps = {}) => new FormulaError(filled(window.reckon.data.rules.formula_faults[name], gaps));

  function tokens(text) {
    const { refused_signs: refused } = window.reckon.data.rules;
    const found = [];
    for (const match of text.matchAll(TOKEN)) {
      const [whole, number, name, sign] = match;
      const written = number ?? name ?? sign;
      const end = match.index + whole.length;
      const token = { number, name, sign, text: written, start: end - written.length, end };
      const before = found.at(-1);
      if (before?.number && before.end === token.start && !sign) {
        if (name && unitOf(name)) throw fault("unit", { text: name });
        throw fault("digits", { text: before.text + written });
      }
      if (Object.hasOwn(refused, written)) throw fault("operator", { operator: written, instead: refused[written] });
      if (sign && !SIGNS.includes(sign)) throw fault("letter", { text: sign });
      found.push(token);
    }
    return found;
  }

  /** The expression tree of a text; `names` are the inputs. Throws a FormulaError. */
  function parse(text, names) {
    const { formula_faults: faults, functions, most_depth: most } = window.reckon.data.rules;
    const all = tokens(text);
    let place = 0;
    let nesting = 0;
    const sign = () => all[place]?.sign;
    const after = () => (place ? filled(faults.after, { text: all[place - 1].text }) : "");

    /** A tree with the text that it was written as; of numbers, the number that it gives. */
    function node(start, op, ...args) {
      if (op === "div" && isZero(args[1])) throw fault("zero");
      const trees = args.filter(Array.isArray);
      const isNumber = op === "const" || (trees.length && trees.every(([kind]) => kind === "const"));
      const value = op === "const" ? args[0] : isNumber && FUNCTIONS[op](...trees.map(([, number]) => number));
      const tree = isNumber ? ["const", value] : [op, ...args];
      tree.text = text.slice(start, all[place - 1].end);
      if (isNumber && !Number.isFinite(value)) throw fault("number", { text: tree.text });
      tree.depth = 1 + (isNumber ? 0 : Math.max(0, ...trees.map(({ depth }) => depth)));
      if (tree.depth > most) throw fault("deep", { most });
      return tree;
    }

    function nested(read) {
      nesting += 1;
      if (nesting > most) throw fault("deep", { most });
      const tree = read();
      nesting -= 1;
      return tree;
    }

    /** A comma between two digits, where none may be or none separates parts. */
    function refuseDecimalComma() {
      const around = all.slice(Math.max(place - 1, 0), place + 2);
      const joined = around.map((token) => token.text).join("");
      const [first, last] = [around[0], around.at(-1)];
      if (first.number && last.number && first.start + joined.length === last.end) throw fault("comma", { text: joined });
    }

    /** What begins an operand, where the one before it has ended. */
    function refuseOperand() {
      const { number, name, text: next } = all[place] ?? {};
      if (name && !names.includes(name) && unitOf(name)) throw fault("unit", { text: name });
      if (number || name || next === "(") throw fault("between", { before: all[place - 1].text, text: next });
    }

    function expect(wanted) {
      if (sign() !== wanted) {
        if (sign() === ",") refuseDecimalComma();
        refuseOperand();
        throw fault("missing", { text: wanted, after: after() });
      }
      place += 1;
    }

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
        const operand = nested(signed);
        return isMinus ? node(start, "neg", operand) : operand;
      }
      const base = atom();
      if (sign() !== "**") return base;
      place += 1;
      return node(start, "pow", base, nested(signed));
    }

    function atom() {
      const token = all[place];
      if (!token) throw fault("end", { after: after() });
      place += 1;
      const { number, name, start } = token;
      if (number) return node(start, "const", Number(number));
      if (name) return sign() === "(" ? call(name, start) : input(name, start);
      if (token.sign !== "(") throw fault("operand", { text: token.sign });
      const inner = nested(comparison);
      expect(")");
      return inner;
    }

    function input(name, start) {
      if (!names.includes(name)) {
        if (unitOf(name) && !nearest(name, names)) throw fault("unit", { text: name });
        const listed = { names: names.join(", ") };
        if (["hardware", "software"].includes(name)) throw fault("part", { text: name, ...listed });
        const hint = didYouMean(name, names, filled(faults.inputs, listed));
        throw fault("name", { text: name, hint });
      }
      return node(start, "input", name);
    }

    function call(name, start) {
      const [op] = Object.entries(functions).find(([, numpy]) => `np.${numpy}` === name) ?? [];
      if (names.includes(name)) refuseOperand();
      if (name.startsWith("rk.")) throw fault("maker", { text: name });
      if (!op) {
        const known = Object.values(functions).sort();
        const meant = nearest(name.slice(name.lastIndexOf(".") + 1), known);
        const available = filled(faults.functions, { names: known.map((numpy) => `np.${numpy}`).join(", ") });
        throw fault("function", { text: name, hint: meant ? filled(faults.meant, { name: meant }) : available });
      }
      const args = [];
      do {
        place += 1; // the bracket or a comma
        args.push(nested(comparison));
      } while (sign() === ",");
      expect(")");
      const { length: wanted } = FUNCTIONS[op];
      if (args.length !== wanted) throw fault("arguments", { text: name, wanted, count: args.length });
      return node(start, op, ...args);
    }

    const trees = [comparison()];
    while (sign() === ",") {
      refuseDecimalComma();
      place += 1;
      trees.push(comparison());
    }
    refuseOperand();
    if (all[place]) throw fault("rest", { text: text.slice(all[place].start).trim(), after: after() });
    return trees;
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
        `${arg.text} is ${dimensionName(parts[k])}; ${op} takes a plain number: divide it by something of its own kind first.`,
      );
    });
    return {};
  }

  function commonDimension(op, [left, right], [leftPart, rightPart]) {
    if (isZero(left)) return rightPart;
    if (isZero(right) || areAlike(leftPart, rightPart)) return leftPart;
    const hasNumber = left[0] === "const" || right[0] === "const";
    throw new FormulaError(
      `${left.text} is ${dimensionName(leftPart)}; ${right.text} is ${dimensionName(rightPart)}: ` +
        `these cannot be ${SAME_DIMENSION[op]}${hasNumber ? window.reckon.data.rules.own_input : ""}.`,
    );
  }

  const treesOf = (formula, text) => parse(text, Object.keys(formula.given));

  /** The texts of a formula's parts that a text has, by name: of the whole, "formula", or of one part; as
   * reckon/prediction/variations.py has them. Throws a FormulaError. */
  function partsOf(formula, name, text) {
    if (name !== "formula") return [[name, text]];
    const trees = treesOf(formula, text);
    const whole = Object.keys(formula.python);
    const names = trees.length === 1 && whole.at(-1) === "predicted" ? ["predicted"] : whole;
    if (trees.length !== names.length) throw partsFault(text, trees.length, names.length, names.join(", "));
    return names.map((part, k) => [part, trees[k].text]);
  }

  const partsFault = (text, length, needed, wanted) =>
    fault("parts", { text: text.trim(), count: `${length} part${length > 1 ? "s" : ""}`, needed, wanted });

  /** The tree of one part of a formula. Throws a FormulaError, also where it has another dimension. */
  function parsePart(formula, text) {
    const [tree, ...others] = treesOf(formula, text);
    if (others.length) throw partsFault(text, 1 + others.length, 1, "one");
    const dimensions = Object.fromEntries(Object.entries(formula.given).map(([name, { dimension }]) => [name, dimension]));
    const dimension = dimensionOf(tree, dimensions);
    if (!isZero(tree) && !areAlike(dimension, formula.dimension)) {
      throw new FormulaError(
        `The formula gives ${dimensionName(dimension)}, but ${formula.author_unit} is ${dimensionName(formula.dimension)}.`,
      );
    }
    return tree;
  }

  return { parsePart, partsOf, FormulaError };
})();

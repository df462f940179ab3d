// What a reader takes away from the What if? panels: the changed inputs as an address of the page, as
// lines of a predictions.toml for `reckon predict`, and as a notebook's cell.
window.reckon.copies = (() => {
  "use strict";

  const { byQuantity } = window.reckon.formulas;
  const { exact, spoken, typed, unitOf } = window.reckon.numbers;
  const { didYouMean } = window.reckon.words;
  const { parsePart, partsOf, FormulaError } = window.reckon.formulaText;
  const { edits, given, texts, textsOf, isEdited, changeText, changeOnly } = window.reckon.edits;
  const { element } = window.reckon.elements;

  const LINK = "#what-if=";
  const FORMULA = "formula";

  /** The formula of a quantity; of another page what inputs.js has of it, without what a check needs. */
  const known = (quantity) => byQuantity.get(quantity) ?? window.reckonBook?.inputs?.[quantity];

  /** The formula of a quantity, as far as a line is checked by it. */
  function formulaOf(quantity) {
    const formula = known(quantity);
    if (!formula || formula.given) return formula;
    const { inputs, axis, author_unit: unit } = formula;
    const entries = Object.entries(inputs).map(([name, spoken]) => {
      const { factor, powers } = unitOf(spoken);
      return [name, { unit: { spoken, factor }, dimension: powers, steps: [], slider: !axis.includes(name) }];
    });
    return { ...formula, dimension: unitOf(unit).powers, given: Object.fromEntries(entries) };
  }

  /** Whether a line states arithmetic: the whole formula, or its hardware's or software's part. */
  function isOfText({ quantity, name }) {
    const formula = known(quantity);
    const isPart = ["hardware", "software"].includes(name) && (!formula || name in formula.python);
    return name === FORMULA || (isPart && !(name in (formula?.inputs ?? {})));
  }

  const lastPart = (quantity) => quantity.slice(quantity.lastIndexOf("/") + 1);
  const editedFormulas = () => [...byQuantity.values()].filter(isEdited);

  /** The changed inputs of a formula: [name, input, value]. */
  const changesOf = (formula) =>
    Object.entries(formula.inputs)
      .map(([name, number]) => [name, window.reckon.data.inputs[number]])
      .filter(([, input]) => input.slider && edits.has(input.shared))
      .map(([name, input]) => [name, input, edits.get(input.shared)]);

  const amountOf = (value, input) => spoken(exact(value, input), input.unit);

  /** What is changed of a formula, as lines of a predictions.toml: { quantity, name, amount }; of an input
   * with `change`, what all predictions that share the input call its change. */
  function linesOf(formula) {
    const { quantity } = formula;
    const lines = changesOf(formula).map(([name, input, value]) => {
      const first = given(input.shared);
      return { quantity, name, amount: amountOf(value, input), change: `${first.label} = ${amountOf(value, first)}` };
    });
    // The parts as the function of a notebook returns them.
    if (texts.has(formula)) lines.push({ quantity, name: FORMULA, amount: Object.values(textsOf(formula)).join(", ") });
    return lines;
  }

  /** Lines as the fragment of an address. */
  function fragment(start, lines) {
    const pairs = lines.map(({ quantity, name, amount }) => [`${quantity}.${name}`, amount]);
    return `${start}${String(new URLSearchParams(pairs)).replaceAll("%2F", "/")}`;
  }

  /** The lines of the page's address; null if its fragment does not start so. */
  function linked(start) {
    if (!location.hash.startsWith(start)) return null;
    return [...new URLSearchParams(location.hash.slice(start.length))].map(([path, amount]) => {
      const [, quantity, name] = /^(.*)\.(.*)$/.exec(path) ?? [path, path, ""];
      return { quantity, name, amount };
    });
  }

  /** The address of this page with the changed inputs, each by the first quantity that has it. */
  function link() {
    const written = new Set();
    const isFirst = ({ quantity, name }) => {
      const number = byQuantity.get(quantity).inputs[name];
      const key = window.reckon.data.inputs[number]?.shared ?? quantity;
      return !written.has(key) && written.add(key);
    };
    const lines = editedFormulas().flatMap(linesOf).filter(isFirst);
    return `${location.href.split("#")[0]}${fragment(LINK, lines)}`;
  }

  /** The input that a line changes and its value in base units, or a `fault`. */
  function inputChange({ quantity, name, amount }) {
    const formula = formulaOf(quantity);
    if (!formula) return { fault: `${quantity} is not on this page.` };
    const input = formula.given[name];
    if (!input?.slider) {
      const names = Object.keys(formula.given).filter((each) => formula.given[each].slider);
      const hint = didYouMean(name, names, `it has ${names.join(", ")}.`);
      return { fault: `${lastPart(quantity)} has no input ${name}; ${hint}` };
    }
    const { value, fault } = typed(amount, input);
    const isBelowZero = value < 0 && !(input.value < 0);
    const wrong = fault ?? (isBelowZero ? window.reckon.data.rules.impossible.input : undefined);
    return { shared: input.shared, value, fault: wrong && `${name}: ${wrong}` };
  }

  /** What is wrong with a line; "" without any. */
  function lineFault(line) {
    const { quantity, name, amount } = line;
    if (!isOfText(line)) return inputChange(line).fault ?? "";
    const formula = formulaOf(quantity);
    try {
      partsOf(formula, name, amount).forEach(([, text]) => parsePart(formula, text));
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error;
      return `${name}: ${error.message}`;
    }
    return "";
  }

  /** Changes what these lines say, and nothing else; the sentences on those that do not fit this page. */
  function apply(lines) {
    const changes = lines.filter((line) => !isOfText(line)).map(inputChange);
    const fitting = changes.filter(({ fault }) => !fault);
    const faults = changes.map(({ fault }) => fault).filter(Boolean);
    try {
      changeOnly(new Map(fitting.map(({ shared, value }) => [shared, value])));
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error;
      faults.push(error.message); // no input was changed
    }
    for (const { quantity, name, amount } of lines.filter(isOfText)) {
      try {
        const formula = byQuantity.get(quantity);
        if (!formula) throw new FormulaError(`${quantity} is not on this page.`);
        partsOf(formula, name, amount).forEach(([part, text]) => changeText(formula, part, text));
      } catch (error) {
        if (!(error instanceof FormulaError)) throw error;
        faults.push(error.message);
      }
    }
    return faults;
  }

  const quoted = (text) => JSON.stringify(text);

  /** An input as a notebook writes it. */
  function inputCode(input, value) {
    const text = (number) => exact(number, input);
    const unit = quoted(input.author_unit);
    const isAsGiven = value === input.value;
    const isOwn = input.origin === "measured" || input.origin === "machine";
    const asked = `instead of ${text(input.value)} ${input.author_unit}, ${input.author_source}`;
    const source = quoted(isOwn && !isAsGiven ? asked : input.author_source);
    if (input.origin === "axis") {
      return `rk.axis([${input.value.map(text).join(", ")}], ${unit}, ${source})`;
    }
    const bounds = `low=${text(Math.min(input.low ?? value, value))}, high=${text(Math.max(input.high ?? value, value))}`;
    if (input.origin === "given" && (isAsGiven || input.low === undefined)) {
      return `rk.given(${text(value)}, ${unit}, ${source}${input.low === undefined ? "" : `, ${bounds}`})`;
    }
    const guess = `rk.guess(${text(value)}, ${unit}, ${source}, ${bounds})`;
    if (!isAsGiven || !isOwn) return guess;
    const atEnd = input.at_end ? ", at_end=True" : "";
    return `rk.${input.origin}(${quoted(input.reference)}, otherwise=${guess}${atEnd})`;
  }

  /** A cell that defines and shows each changed prediction of these formulas. */
  function notebookCell(quantities) {
    const cells = quantities.filter(isEdited).map((formula) => {
      const name = `${lastPart(formula.quantity).replace(/\W/g, "_")}_what_if`;
      const kind = formula.kind === "sum" ? "" : `, kind=${quoted(formula.kind)}`;
      const parts = Object.entries(textsOf(formula));
      const inputs = Object.entries(formula.inputs).map(([inputName, number]) => {
        const input = window.reckon.data.inputs[number];
        return `    ${inputName}=${inputCode(input, edits.get(input.shared) ?? input.value)},`;
      });
      return [
        `@rk.predict(${quoted(formula.quantity)}, unit=${quoted(formula.author_unit)}${kind})`,
        `def ${name}(${Object.keys(formula.inputs).join(", ")}):`,
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

  /** Gives the reader the text as a file. */
  function download(text, name = "predictions.toml") {
    const address = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
    element("a", { href: address, download: name }).click();
    URL.revokeObjectURL(address);
  }

  /** Copies the content, which stands in `text` too, selected. */
  async function give(content, text, say) {
    text.value = content;
    text.hidden = false;
    text.select();
    try {
      await navigator.clipboard.writeText(content);
      say("Copied.");
    } catch {
      say("The text is below and selected; copy it from there.");
    }
  }

  return { LINK, isOfText, linesOf, fragment, linked, link, apply, lineFault, lastPart, notebookCell, download, give };
})();

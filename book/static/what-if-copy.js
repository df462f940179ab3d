// What a reader takes away from the What if? panels: the changed inputs as an address of the page, as a
// TOML file for `reckon predict`, and as a notebook's cell.
window.reckon.copies = (() => {
  "use strict";

  const { byQuantity } = window.reckon.formulas;
  const { edits, texts, textsOf, isEdited, changeText } = window.reckon.edits;
  const { element } = window.reckon.elements;

  const LINK = "#what-if=";

  /** A value in base units as a number in the unit of an input or a formula, as it may be read again. */
  function exact(value, { unit }) {
    const texts = [12, 15, 16, 17].map((digits) => String(Number((value / unit.factor).toPrecision(digits))));
    return texts.find((text) => Number(text) * unit.factor === value) ?? texts[3];
  }
  const lastPart = (quantity) => quantity.slice(quantity.lastIndexOf("/") + 1);
  const editedFormulas = () => [...byQuantity.values()].filter(isEdited);

  /** The changed inputs of a formula: [name, input, value]. */
  const changesOf = (formula) =>
    Object.entries(formula.inputs)
      .map(([name, number]) => [name, window.reckon.data.inputs[number]])
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
      for (const [part, text] of Object.entries(texts.get(formula) ?? {})) {
        changes.append(`${lastPart(formula.quantity)}:${part}`, text);
      }
    }
    return `${location.href.split("#")[0]}${LINK}${changes}`;
  }

  /** The changed inputs that the page's address names: values by shared number; null without any. */
  function linkedChanges() {
    if (!location.hash.startsWith(LINK)) return null;
    const changes = new Map();
    for (const [path, text] of new URLSearchParams(location.hash.slice(LINK.length))) {
      const [quantityName, inputName] = path.split(".");
      const isNamed = ({ quantity }) => lastPart(quantity) === quantityName;
      const formula = [...byQuantity.values()].find(isNamed);
      const input = window.reckon.data.inputs[formula?.inputs[inputName]];
      const value = Number(text) * input?.unit.factor;
      if (input?.slider && Number.isFinite(value)) changes.set(input.shared, value);
    }
    return changes;
  }

  /** How many changes the page's address names. */
  const linkedCount = () => [...new URLSearchParams(location.hash.slice(LINK.length))].length;

  /** Changes the formulas that the page's address names. */
  function followLinkedFormulas() {
    for (const [path, text] of new URLSearchParams(location.hash.slice(LINK.length))) {
      const [quantityName, part] = path.split(":");
      const formula = [...byQuantity.values()].find(({ quantity }) => lastPart(quantity) === quantityName);
      if (formula?.python[part] === undefined) continue;
      try {
        changeText(formula, part, text);
      } catch {
        // A formula that does not fit is left out.
      }
    }
  }

  /** The changed predictions as a file. */
  function predictionsToml() {
    const { experiment, run } = window.reckon.data;
    const lines = [`# Changed on the page ${experiment} of the run ${run}.`];
    for (const formula of editedFormulas()) {
      lines.push("", `["${formula.quantity}"]`);
      for (const [name, input, value] of changesOf(formula)) {
        const amountOf = (number) => `${exact(number, input)} ${input.author_unit}`;
        lines.push(`${name} = "${amountOf(value)}"  # instead of ${amountOf(input.value)}`);
      }
      // The parts as the function of a notebook returns them.
      if (texts.has(formula)) lines.push(`formula = ${quoted(Object.values(textsOf(formula)).join(", "))}`);
    }
    return `${lines.join("\n")}\n`;
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
  function download(text) {
    const address = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
    element("a", { href: address, download: "predictions.toml" }).click();
    URL.revokeObjectURL(address);
  }

  return { link, linkedChanges, linkedCount, followLinkedFormulas, predictionsToml, notebookCell, exact, download };
})();

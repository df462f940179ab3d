// The inputs that the reader of a page has changed, and what the formulas predict with them.
window.reckon.edits = (() => {
  "use strict";

  const { byQuantity, inputsOf, valuesOf, along, ratioOf, setTrees } = window.reckon.formulas;
  const { parsePart, FormulaError } = window.reckon.formulaText;
  const { amount } = window.reckon.numbers;
  const { joined } = window.reckon.words;

  const edits = new Map(); // the changed inputs: their value in base units by their shared number
  const listeners = []; // called with the shared numbers of the inputs that a change touches, and whether
  // all are reset

  const onChange = (listener) => listeners.push(listener);

  const given = (shared) => window.reckon.data.inputs.find((input) => input.shared === shared);
  const currentValue = (shared) => edits.get(shared) ?? given(shared).value;

  /** The shared numbers of a formula's inputs that can be changed. */
  const sharedOf = (formula) =>
    Object.values(formula.inputs)
      .map((number) => window.reckon.data.inputs[number])
      .filter((input) => input.slider)
      .map((input) => input.shared);

  const texts = new Map(); // the changed parts of formulas: their text by part, by formula

  /** The arithmetic of a formula as a notebook writes it, by part. */
  const textsOf = (formula) => ({ ...formula.python, ...texts.get(formula) });

  const isEdited = (formula) => texts.has(formula) || sharedOf(formula).some((shared) => edits.has(shared));

  /** Whether what the reader has changed gives the formula another text or another value. */
  function isMoved(formula) {
    const before = along(formula, "predicted", valuesOf(inputsOf(formula, new Map())));
    return texts.has(formula) || compute(formula).predicted.some((value, k) => value !== before[k]);
  }

  /** What of these formulas the reader has changed: "inputs", "formula", "formulas", or both. */
  function changedOf(formulas) {
    const ofInputs = formulas.flatMap(sharedOf).some((shared) => edits.has(shared));
    const [first, second] = formulas.filter((formula) => texts.has(formula));
    const ofTexts = second ? "formulas" : first && "formula";
    return [(ofInputs || !ofTexts) && "inputs", ofTexts].filter(Boolean).join(" and ");
  }

  /** Throws a FormulaError for an infinite value of a formula, and for a time or rate below 0. */
  function checkValue(formula) {
    const { inputs, predicted } = compute(formula);
    const isAmount = Object.keys(formula.dimension).length > 0;
    const wrong = predicted.find((value) => !Number.isFinite(value) || (isAmount && value < 0));
    if (wrong === undefined) return;
    const { sentence, zeros, negative, infinite } = window.reckon.data.rules.impossible;
    const atZero = Object.keys(inputs).filter((name) => inputs[name].value === 0);
    throw new FormulaError(
      sentence
        .replace("{name}", formula.quantity)
        .replace("{value}", amount(wrong, formula))
        .replace("{zeros}", atZero.length ? zeros.replace("{names}", joined(atZero)) : "")
        .replace("{why}", wrong < 0 ? negative : infinite),
    );
  }

  /** Takes the text for a part of the formula. Throws a FormulaError and changes nothing. */
  function changeText(formula, part, text) {
    const tree = parsePart(formula, text);
    const trees = { ...formula.changed, [part]: tree };
    const { hardware, software } = { ...formula, ...trees };
    if (formula.python.software !== undefined) trees.predicted = ["add", hardware, software];
    useTrees(formula, trees);
    try {
      checkValue(formula);
    } catch (error) {
      useTrees(formula, formula.changed);
      throw error;
    }
    formula.changed = trees;
    texts.set(formula, { ...texts.get(formula), [part]: text.trim() });
    if (Object.entries(textsOf(formula)).every(([name, now]) => now === formula.python[name])) resetText(formula);
    announce(sharedOf(formula));
  }

  /** Has the formula computed by its own trees, but for these. */
  function useTrees(formula, trees) {
    setTrees(formula, { ...formula, ...trees });
    computed.delete(formula);
  }

  function resetText(formula) {
    texts.delete(formula);
    delete formula.changed;
    useTrees(formula, {});
  }

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

  const sealedRatio = (formula) => ratioOf(formula, formula.sealed.value);

  const isBelowZero = (shared, value) => value < 0 && given(shared).value >= 0;

  /** Takes the value of an input. Throws a FormulaError and changes nothing where one of its
   * predictions cannot have such a value. */
  function change(shared, value) {
    if (isBelowZero(shared, value)) throw new FormulaError(window.reckon.data.rules.impossible.input);
    const before = edits.get(shared);
    take(shared, value);
    try {
      window.reckon.data.formulas.filter((formula) => sharedOf(formula).includes(shared)).forEach(checkValue);
    } catch (error) {
      take(shared, before ?? given(shared).value);
      throw error;
    }
    announce([shared]);
  }

  function take(shared, value) {
    if (value === given(shared).value) edits.delete(shared);
    else edits.set(shared, value);
    computed.clear();
  }

  function forgetEdits() {
    edits.clear();
    computed.clear();
  }

  /** Changes these inputs (values by shared number) and no others; formulas are as they were. Throws a
   * FormulaError, and then nothing is changed at all, where a prediction cannot have such a value. */
  function changeOnly(changes) {
    [...texts.keys()].forEach(resetText);
    forgetEdits();
    for (const [shared, value] of changes) take(shared, value);
    try {
      [...byQuantity.values()].filter(isEdited).forEach(checkValue);
    } catch (error) {
      forgetEdits();
      throw error;
    } finally {
      announce(window.reckon.data.inputs.map(({ shared }) => shared), true); // also what was refused
    }
  }

  const reset = () => changeOnly(new Map());

  function announce(touched, isReset = false) {
    for (const listener of listeners) listener(touched, isReset);
  }

  return {
    edits,
    onChange,
    given,
    currentValue,
    sharedOf,
    texts,
    textsOf,
    isEdited,
    isMoved,
    changedOf,
    changeText,
    compute,
    sealedRatio,
    change,
    changeOnly,
    reset,
  };
})();

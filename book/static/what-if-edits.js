// The inputs that the reader of a page has changed, and what the formulas predict with them.
window.reckon.edits = (() => {
  "use strict";

  const { inputsOf, valuesOf, along, ratioOf } = window.reckon.formulas;

  const edits = new Map(); // the changed inputs: their value in base units by their shared number
  const listeners = []; // called with the shared numbers of the inputs that a change touches

  const onChange = (listener) => listeners.push(listener);

  const given = (shared) => window.reckon.data.inputs.find((input) => input.shared === shared);
  const currentValue = (shared) => edits.get(shared) ?? given(shared).value;

  /** The shared numbers of a formula's inputs that can be changed. */
  const sharedOf = (formula) =>
    Object.values(formula.inputs)
      .map((number) => window.reckon.data.inputs[number])
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

  const sealedRatio = (formula) => ratioOf(formula, formula.sealed.value);

  function change(shared, value) {
    if (value === given(shared).value) edits.delete(shared);
    else edits.set(shared, value);
    announce([shared]);
  }

  /** Changes these inputs (values by shared number) and no others. */
  function changeOnly(changes) {
    const touched = [...edits.keys(), ...changes.keys()];
    edits.clear();
    for (const [shared, value] of changes) edits.set(shared, value);
    announce(touched);
  }

  const reset = () => changeOnly(new Map());

  function announce(touched) {
    computed.clear();
    for (const listener of listeners) listener(touched);
  }

  return {
    edits,
    onChange,
    given,
    currentValue,
    sharedOf,
    isEdited,
    compute,
    sealedRatio,
    change,
    changeOnly,
    reset,
  };
})();

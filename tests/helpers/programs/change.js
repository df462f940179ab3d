// What a quantity predicts with these numbers of its inputs and these parts of its formula, and the
// same with the later values of measured inputs.
([quantity, numbers, parts]) => {
  const { byQuantity, along, laterValuesOf } = reckon.formulas;
  const { changeOnly, changeText, compute } = reckon.edits;
  const formula = byQuantity.get(quantity);
  const changes = Object.entries(numbers).map(([name, number]) => {
    const input = reckon.data.inputs[formula.inputs[name]];
    return [input.shared, number * input.unit.factor];
  });
  const texts = Object.keys(numbers).map((name) => {
    const input = reckon.data.inputs[formula.inputs[name]];
    return Number(reckon.numbers.exact(numbers[name] * input.unit.factor, input));
  });
  changeOnly(new Map(changes));
  for (const [part, text] of Object.entries(parts)) changeText(formula, part, text);
  const { inputs, predicted } = compute(formula);
  return { predicted, texts, later: along(formula, "predicted", laterValuesOf(inputs)) };
}

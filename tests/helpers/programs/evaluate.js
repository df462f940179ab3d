// Parts and interval of a quantity for each set of changed inputs; the interval for the first few.
([quantity, changes, intervals]) => {
  const { byQuantity, inputsOf, withValue, valuesOf, along, interval } = reckon.formulas;
  const formula = byQuantity.get(quantity);
  return changes.map((values, k) => {
    const inputs = inputsOf(formula, new Map());
    for (const name in values) inputs[name] = withValue(inputs[name], values[name]);
    const part = (name) => along(formula, name, valuesOf(inputs));
    return {
      hardware: part("hardware"),
      software: part("software"),
      predicted: part("predicted"),
      interval: k < intervals ? interval(formula, inputs) : null,
    };
  });
}

// One input of a What if? panel: a slider and a field.
window.reckon.inputs = (() => {
  "use strict";

  const { plain, withUnit } = window.reckon.numbers;
  const { element } = window.reckon.elements;
  const { edits, given, currentValue, change } = window.reckon.edits;

  let counter = 0;
  const newId = () => `what-if-${++counter}`;

  /** A value as it stands in a field: a whole number in full, another in four digits. */
  function inField(value, input) {
    const shown = value / input.unit.factor;
    const whole = Math.round(shown);
    return Math.abs(shown - whole) <= 1e-9 * Math.abs(shown) ? whole : Number(shown.toPrecision(4));
  }

  const SLIDER_STEPS = 1000;

  /** A row with a slider and a field for an input, which is called `label`. */
  function inputRow(shared, label) {
    const input = given(shared);
    const [low, high] = input.slider;
    const position = (value) => {
      const share = input.logarithmic
        ? Math.log(value / low) / Math.log(high / low)
        : (value - low) / (high - low);
      return String(Math.round(SLIDER_STEPS * Math.min(1, Math.max(0, share || 0))));
    };
    const valueAt = (step) => {
      const share = step / SLIDER_STEPS;
      const value = input.logarithmic ? low * (high / low) ** share : low + (high - low) * share;
      return Number((value / input.unit.factor).toPrecision(3)) * input.unit.factor;
    };
    const id = newId();
    const unit = input.unit.spoken;
    const slider = element("input", {
      type: "range",
      min: 0,
      max: SLIDER_STEPS,
      "aria-label": `${label}, slider`,
      oninput: () => change(shared, valueAt(Number(slider.value))),
    });
    const field = element("input", {
      type: "number",
      step: "any",
      id,
      "aria-describedby": `${id}-source`,
      oninput: () => {
        const isEmpty = field.value === "" && !field.validity.badInput;
        const value = isEmpty ? input.value : field.valueAsNumber * input.unit.factor;
        field.setAttribute("aria-invalid", !Number.isFinite(value));
        if (Number.isFinite(value)) change(shared, value);
      },
    });
    const interval =
      input.low === undefined
        ? ""
        : ` (${plain(input.low / input.unit.factor)} to ${withUnit(input.high, input)})`;
    const row = element(
      "div",
      { class: "what-if-input" },
      element("label", { for: id }, label),
      slider,
      element("span", { class: "what-if-field" }, field, element("span", {}, unit)),
      element("small", { id: `${id}-source` }, `${input.source}${interval}`),
    );
    const show = () => {
      const value = currentValue(shared);
      slider.value = position(value);
      slider.setAttribute("aria-valuetext", withUnit(value, input));
      // What is being typed is left as it is.
      if (document.activeElement !== field || !edits.has(shared)) field.value = inField(value, input);
      row.classList.toggle("what-if-changed", edits.has(shared));
    };
    show();
    return { row, shared, show };
  }

  return { inputRow };
})();

// One input of a What if? panel: a slider and a field.
window.reckon.inputs = (() => {
  "use strict";

  const { exact, plain, short, typed, withUnit } = window.reckon.numbers;
  const { element } = window.reckon.elements;
  const { filled } = window.reckon.words;
  const { edits, given, currentValue, change } = window.reckon.edits;
  const { FormulaError } = window.reckon.formulaText;

  let counter = 0;
  const newId = () => `what-if-${++counter}`;

  /** A value as it stands in a field: a changed one and a whole number in full, another in four digits. */
  function inField(value, input) {
    if (edits.has(input.shared) && value === edits.get(input.shared)) return exact(value, input);
    return short(value, input);
  }

  /** What is said of a value far outside of the interval that the input is stated with; else "". */
  function farOutside(value, { low, high, unit }) {
    const { miss, far_outside: sentence } = window.reckon.data.rules;
    const isFar = low >= 0 && (value < low / miss || value > high * miss);
    return isFar ? filled(sentence, { interval: `${plain(low / unit.factor)} to ${withUnit(high, { unit })}` }) : "";
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
    const settle = () => {
      before = currentValue(shared);
    };
    const id = newId();
    const unit = input.unit.spoken;
    const slider = element("input", {
      type: "range",
      min: 0,
      max: SLIDER_STEPS,
      "aria-label": `${label}, slider`,
      oninput: () => tryValue(valueAt(Number(slider.value))),
    });
    const ends = element(
      "span",
      { class: "what-if-ends", "aria-hidden": "true" },
      ...[low, high].map((end) => element("span", {}, withUnit(end, input))),
    );
    const field = element("input", {
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      id,
      placeholder: inField(input.value, input),
      "aria-describedby": `${id}-source`,
      onfocus: settle,
      onchange: settle, // as by Enter
      onblur: () => show(),
      oninput: () => {
        const { value, fault } = field.value.trim() ? typed(field.value, input) : { value: input.value };
        if (fault) refuse(fault);
        else tryValue(value);
      },
    });
    let before; // the value when typing began
    let refusedAt; // the value that is computed with, while the field has a mistake
    const fault = element("output", { class: "what-if-fault", "aria-live": "polite" });

    function say(sentence, isInvalid) {
      fault.textContent = sentence;
      field.setAttribute("aria-invalid", isInvalid);
    }

    function refuse(sentence) {
      refusedAt = before; // the start of what is being typed was perhaps a number, too
      if (currentValue(shared) !== before) change(shared, before);
      say(`${sentence} The numbers below are as before it.`, true);
    }

    function tryValue(value) {
      refusedAt = undefined;
      try {
        change(shared, value);
      } catch (error) {
        if (!(error instanceof FormulaError)) throw error;
        refuse(error.message);
      }
    }

    const interval =
      input.low === undefined
        ? ""
        : ` (${plain(input.low / input.unit.factor)} to ${withUnit(input.high, input)})`;
    const row = element(
      "div",
      { class: "what-if-input" },
      element("label", { for: id }, label),
      element("span", { class: "what-if-slider" }, slider, ends),
      element("span", { class: "what-if-field" }, field, element("span", {}, unit)),
      element("small", { id: `${id}-source` }, `${input.source}${interval}`),
      fault,
    );
    /** Shows the value; a mistake stays as it was typed until the value is another, or all are reset. */
    const show = (isReset = false) => {
      const value = currentValue(shared);
      if (!isReset && value === refusedAt) return;
      refusedAt = undefined;
      say(farOutside(value, input), false);
      slider.value = position(value);
      slider.setAttribute("aria-valuetext", withUnit(value, input));
      // What is being typed is left as it is; an empty field shows in grey what is computed with.
      if (document.activeElement !== field) field.value = inField(value, input);
      row.classList.toggle("what-if-changed", edits.has(shared));
    };
    show();
    return { row, shared, show };
  }

  return { inputRow };
})();

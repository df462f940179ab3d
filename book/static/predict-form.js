// The form of "Predict first": asks for predictions of a page's quantities, and shows what became of them.
window.reckon.predictForm = (() => {
  "use strict";

  const { byQuantity } = window.reckon.formulas;
  const { exact, measuredAndInterval, numberAndUnit, times, typed, howFar, unitOf, withUnit } = window.reckon.numbers;
  const { element, button } = window.reckon.elements;
  const { joined } = window.reckon.words;
  const { guesses, put, skip, isOpen, missing, holds, score, firstVote } = window.reckon.guesses;

  const words = (text) => text.replace(/\s+/g, " ").trim();

  /** The point of a quantity that is predicted: of a curve the answer box's, else the last one. */
  function pointOf(formula) {
    if (!formula.axis) return 0;
    const span = document.querySelector(`.answer [data-quantity="${formula.quantity}"][data-point]`);
    const known = formula.measured.value.map((value, k) => (Number.isFinite(value) ? k : -1));
    return span ? Number(span.dataset.point) : Math.max(...known);
  }

  /** The position of that point on the curve's axis, and the axis; undefined for a single value. */
  function placeOf(formula) {
    if (!formula.axis) return undefined;
    const axis = window.reckon.data.inputs[formula.inputs[formula.axis]];
    return { axis, value: axis.value[formula.measured.indices[pointOf(formula)]] };
  }

  function titleOf(formula) {
    const position = placeOf(formula);
    if (!position) return formula.label;
    const { axis, value } = position;
    const counted = axis.unit.spoken ? "" : ` ${axis.author_source}`;
    return `${formula.label} at ${withUnit(value, axis)}${counted}`;
  }

  /** What the chapter calls the quantity, and the question: that of its answer box, if it has one. */
  function wordsOf(formula) {
    const { quantity } = formula;
    const subject = document.querySelector(`.reckon-what-if[data-quantities="${quantity}"]`)?.dataset.what;
    const box = document.querySelector(`.answer [data-quantity="${quantity}"]`)?.closest(".answer");
    return { subject: subject ? ` (${subject})` : "", question: box ? words(box.firstElementChild.textContent) : formula.question };
  }

  const FAR = 100; // times what a page's quantities take: a slip of the unit rather than a prediction
  const askedBack = new Set(); // quantities whose unit was asked back, once: more would tell how large they are

  /** Whether a value is far outside of what all quantities of the page that have its dimension take. */
  function isFar(value, { dimension }) {
    const isAlike = (other) => JSON.stringify(other.dimension) === JSON.stringify(dimension);
    const values = [...byQuantity.values()]
      .filter(isAlike)
      .flatMap(({ sealed, measured }) => [sealed.value, sealed.low, sealed.high, measured?.value].flat())
      .filter((each) => each > 0);
    return value < Math.min(...values) / FAR || value > Math.max(...values) * FAR;
  }

  const withoutOne = (text) => text.replace(/ 1$/, "");

  /** The fields for a quantity; `read` gives its prediction, null where none is typed. */
  function fieldsOf(formula, isAlone, isTwice) {
    const before = guesses.get(formula.quantity)?.text ?? {}; // the first vote
    const point = pointOf(formula);
    const measured = formula.measured.groups?.[point] ? undefined : formula.measured.value[point];
    const field = (label, more, amount) => {
      const input = element("input", { type: "text", inputmode: "decimal", autocomplete: "off", value: amount, ...more });
      return [input, element("label", {}, `${label} `, input)];
    };
    const [value, valueLabel] = field("I predict", isAlone ? { required: "", autofocus: "" } : {}, before.predicted);
    const [least, leastLabel] = field("at least", {}, before.low);
    const [most, mostLabel] = field("at most", {}, before.high);
    const reason = element("input", { type: "text", class: "reason", maxlength: 500, value: before.reason });
    // No unit is chosen before: that of the quantity would tell how large it is.
    const choices = formula.steps.map(({ spoken }, k) => element("option", { value: k }, spoken));
    const unit = element("select", { "aria-label": "Unit" }, element("option", { value: "" }, "unit"), ...choices);
    unit.hidden = formula.steps.length === 1;
    if (unit.hidden) unit.value = "0";
    const read = (input) => typed(input.value, formula, formula.steps[Number(unit.value)]);
    const isBare = (input) => numberAndUnit(input.value).name === "";
    const inBase = (input) => read(input).value;
    /** Has the list name the unit that stands behind the number, which is the one that counts. */
    const followTyped = () => {
      const { name } = numberAndUnit(value.value);
      const { factor } = (name && unitOf(name)) || {};
      const step = formula.steps.findIndex((each) => Math.abs(each.factor / factor - 1) < 1e-9);
      if (unit.value && step >= 0) unit.value = String(step);
    };
    const check = () => {
      followTyped();
      const [low, middle, high] = [least, value, most].map((input) => (input.value ? read(input) : {}));
      const isAmount = Object.keys(formula.dimension).length > 0;
      const faults = [
        [!least.value !== !most.value, "Fill in both “at least” and “at most”, or neither."],
        [low.value > high.value, "“At least” is larger than “at most”: exchange the two."],
        [low.value > middle.value, "“At least” is larger than your prediction."],
        [high.value < middle.value, "“At most” is smaller than your prediction."],
        [isAmount && low.value < 0, "“At least” is below 0, and no amount is negative."],
      ];
      const [, wrong = ""] = faults.find(([isSo]) => isSo) ?? [];
      const lacksUnit = unit.value === "" && [value, least, most].some(isBare);
      unit.setCustomValidity(lacksUnit ? "Choose a unit, or write it behind each number." : "");
      const isMissing = !value.value && (isAlone || least.value || most.value || reason.value);
      const positive = middle.value > 0 || (!value.value && !isMissing);
      const needed = value.value ? "A prediction is larger than 0." : "Type a number: what you predict.";
      value.setCustomValidity(middle.fault ?? (positive ? "" : needed));
      least.setCustomValidity(low.fault ?? "");
      most.setCustomValidity(high.fault ?? wrong);
    };
    const { subject, question } = wordsOf(formula);
    const node = element(
      "fieldset",
      {},
      element("legend", {}, `${titleOf(formula)}${subject}`),
      element("p", {}, question),
      element("p", {}, valueLabel, unit, unit.hidden ? formula.steps[0].spoken : ""),
      element("p", {}, "and would bet that it is ", leastLabel, " and ", mostLabel, " (optional)"),
      element("p", {}, element("label", {}, "because ", reason)),
    );

    function guess() {
      if (!value.value) return null;
      const number = (input) => Number((inBase(input) / formula.unit.factor).toPrecision(12)); // 1 µs: 1000, not 999.9…
      const inUnit = (input) => withoutOne(`${number(input)} ${formula.author_unit}`);
      const made = { predicted: inBase(value), measured, label: formula.label, text: { predicted: inUnit(value) } };
      if (least.value && most.value && inBase(least) < inBase(most)) {
        Object.assign(made, { low: inBase(least), high: inBase(most) });
        Object.assign(made.text, { low: inUnit(least), high: inUnit(most) });
      }
      const position = placeOf(formula);
      if (position) made.text.at = withoutOne(`${exact(position.value, position.axis)} ${position.axis.author_unit}`);
      if (reason.value.trim()) made.text.reason = reason.value.trim();
      made.text = { ...firstVote(before), ...made.text };
      if (isTwice && !before.predicted) made.isFirst = true;
      return made;
    }

    /** What is predicted as the reader wrote it: another unit would tell how large it is. */
    const written = () => (isBare(value) ? `${value.value} ${formula.steps[Number(unit.value)].spoken}` : value.value);

    return { formula, point, node, check, guess, written };
  }

  /** Asks for these quantities in one form, for each `isTwice`; calls `whenMade` and `atEnd`. */
  function ask(quantities, { isTwice, whenMade, atEnd }) {
    const left = missing(quantities);
    if (!left.length) return;
    const rows = left.map((quantity) => fieldsOf(byQuantity.get(quantity), left.length === 1, isTwice));
    const check = () => rows.forEach((row) => row.check());
    const showAll = () => finish(left.map(skip));
    const leave = () => {
      dialog.close();
      dialog.remove(); // at once: the event comes later
    };
    const dialog = element("dialog", { class: "predict", "aria-labelledby": "predict-title", onclose: () => end() });
    const isAgain = left.some((quantity) => guesses.has(quantity));
    const again = isAgain ? "Predict again" : "Predict first";
    const votes = isAgain
      ? "This is your second prediction: after it you see what was measured."
      : "You predict twice: now, and again after a discussion. What was measured is shown after the second time.";
    const said = element("output", { "aria-live": "polite" });
    const form = element(
      "form",
      { method: "dialog", oninput: check, onsubmit: (event) => submit(event) },
      isTwice || isAgain ? element("p", {}, votes) : null,
      ...rows.map(({ node }) => node),
      said,
      element(
        "p",
        {},
        element("button", { type: "submit" }, "Predict"),
        button("Show without predicting", showAll),
        button("Cancel", leave),
      ),
    );
    const chapter = document.querySelector(".bd-article h1")?.cloneNode(true);
    chapter?.querySelectorAll(".section-number, .headerlink").forEach((part) => part.remove());
    dialog.append(element("h2", { id: "predict-title" }, `${again}: ${words(chapter?.textContent ?? "")}`), form);

    function submit(event) {
      event.preventDefault();
      const made = rows.map((row) => ({ row, guess: row.guess() })).filter(({ guess }) => guess);
      const isNew = ({ row: { formula } }) => !askedBack.has(formula.quantity);
      const far = made.filter(({ row, guess }) => isFar(guess.predicted, row.formula)).filter(isNew);
      far.forEach(({ row: { formula } }) => askedBack.add(formula.quantity));
      const amounts = far.map(({ row }) => `${row.written()} (${row.formula.label})`);
      if (far.length) {
        said.textContent = `Far outside of all that this page is about: ${joined(amounts)}. Is the unit meant? “Predict” then takes it as it is.`;
      } else if (made.length) finish(made.map(({ row, guess }) => put(row.formula.quantity, guess)));
      else said.textContent = "Predict one of these at least.";
    }

    /** Shows each prediction with what was measured, or that a second one is due. */
    function finish(faults) {
      whenMade();
      const result = element("div", { role: "status" });
      const on = button("Close", leave);
      form.replaceWith(result, element("p", {}, on));
      const shown = rows.filter(({ formula }) => isOpen(formula.quantity));
      result.append(...shown.map((row) => resultOf(row, shown.length > 1)));
      if (left.some((quantity) => guesses.get(quantity)?.isFirst)) {
        const rest = "Your first prediction is kept. Discuss it, then predict again: after that you see what was measured.";
        result.append(element("p", {}, rest));
      }
      const last = faults.find(Boolean) || (shown.length ? score() : "");
      if (last) result.append(element("p", {}, last));
      on.focus();
    }

    function end() {
      dialog.remove();
      atEnd();
    }

    document.body.append(dialog);
    check();
    dialog.showModal();
  }

  /** What was measured, and what the reader predicted of it. */
  function resultOf({ formula, point }, isNamed) {
    const guess = guesses.get(formula.quantity);
    const [text, interval] = measuredAndInterval(formula, point);
    const name = isNamed ? `${titleOf(formula)}: measured ` : "Measured: ";
    const line = element("p", {}, name, element("b", {}, text), interval && ` (${interval})`, ".");
    if (!guess.predicted) return line;
    const how = guess.measured ? `: ${howFar(guess.measured / guess.predicted)}` : "";
    line.append(element("br"), `You predicted ${outcome(guess)}${how}.`);
    return line;
  }

  /** "150 ns (100 ns to 200 ns): measured is 1.24× that, inside your interval". */
  function outcome(guess) {
    const { predicted, low, high } = guess.text;
    const width = low ? ` (${low} to ${high})` : "";
    if (!guess.measured) return `${predicted}${width}, of which there is no ratio`;
    const held = holds(guess);
    const inside = held === undefined ? "" : `, ${held ? "inside" : "outside"} your interval`;
    return `${predicted}${width}: measured is ${times(guess.measured / guess.predicted)} that${inside}`;
  }

  return { ask, outcome, titleOf, words };
})();

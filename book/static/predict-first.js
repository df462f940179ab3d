// Predict first: what was measured stays covered until the reader has predicted it. predict-first.css
// covers every computed output; this script uncovers what shows nothing that is still to be predicted.
(() => {
  "use strict";

  const { blind } = window.reckonBook;
  const { byQuantity } = window.reckon.formulas;
  const { measuredAndInterval, times, typed, unitsOf, howFar, withUnit } = window.reckon.numbers;
  const { element } = window.reckon.elements;
  const { filled } = window.reckon.words;
  const { guesses, put, forget, holds, score, toml, SWITCH, NAME } = window.reckon.guesses;
  const { stored, store } = window.reckon.storage;
  const { exact, download, give, lastPart } = window.reckon.copies;

  const QUESTIONS = "reckon-questions";
  const VOTES = "reckon-votes";
  const root = document.documentElement;
  const isAsked = () => blind || stored(SWITCH) === "on";
  // ?predict=getpid,times&votes=2: the questions that a teacher chooses, and whether each is asked twice.
  const address = new URLSearchParams(location.search);
  if (address.has("predict")) {
    store(SWITCH, "on");
    store(QUESTIONS, address.get("predict"));
    store(VOTES, address.get("votes") ?? "");
  }
  const isTwice = () => stored(VOTES) === "2";
  root.classList.toggle("predict-first", isAsked()); // before the page is drawn

  let asked = []; // the quantities that a reader of this page predicts
  let units = []; // what is covered: { box, needs, kind }; needs: quantities, or null
  let bar = null;

  const button = (title, onclick, more = {}) => element("button", { type: "button", onclick, ...more }, title);
  const count = (number, word) => `${number} ${number === 1 ? word : word.replace(/y$/, "ie") + "s"}`;
  const isOpen = (quantity) => guesses.has(quantity) && !guesses.get(quantity).isFirst;
  const missing = (needs) => needs.filter((quantity) => !isOpen(quantity));

  // --- what is covered, and which predictions uncover it ------------------------------------------

  /** The quantities that an element's marks name. */
  function marked(box) {
    const marks = [...box.querySelectorAll("[data-measured], [data-quantity]")];
    return [...new Set(marks.flatMap(({ dataset }) => (dataset.measured ?? dataset.quantity).split(" ")))];
  }

  /** Of quantities on a page with formulas: those to predict before their values are shown. */
  function needsOf(quantities) {
    const own = quantities.filter((quantity) => asked.includes(quantity));
    const isKnown = quantities.length > 0 && quantities.every((name) => byQuantity.get(name)?.measured === undefined);
    return own.length || isKnown ? own : asked;
  }

  /** A model shows what was measured where its inputs are results of the same page. */
  function needsOfModel(box) {
    const names = [...box.querySelectorAll(".reckon-what-if")].flatMap(({ dataset }) => dataset.quantities.split(" "));
    const inputs = names.flatMap((name) => Object.values(byQuantity.get(name)?.inputs ?? {}));
    const read = inputs.map((number) => window.reckon.data.inputs[number].reference);
    return asked.filter((quantity) => read.includes(quantity));
  }

  const words = (text) => text.replace(/\s+/g, " ").trim();

  /** The quantity that a table's row is of, by its title: "getpid", or of a curve "getpid, 64 calls". */
  function quantityOf(row) {
    const title = words(row.cells[0]?.textContent ?? "");
    const isTitled = ({ label }) => title === words(label) || title.startsWith(`${words(label)}, `);
    const named = [...byQuantity.values()].filter(isTitled);
    return named.sort((a, b) => b.label.length - a.label.length)[0]?.quantity;
  }

  /** The covered parts of an output of a page with formulas. */
  function unitsOfOutput(box) {
    if (box.querySelector(".reckon-what-if")) {
      const panels = [...box.querySelectorAll(".reckon-what-if")];
      return [
        { box, needs: needsOfModel(box) },
        ...panels.map((panel) => ({ box: panel, needs: needsOf(panel.dataset.quantities.split(" ")), isSilent: true })),
      ];
    }
    const rows = [...box.querySelectorAll("tbody tr")].map((row) => [row, quantityOf(row)]);
    if (!rows.some(([, quantity]) => quantity) || box.querySelector(".answer")) {
      return [{ box, needs: needsOf(marked(box)) }];
    }
    box.classList.add("by-row");
    const ofRows = rows.map(([row, quantity]) => ({ box: row, needs: needsOf(quantity ? [quantity] : []), isRow: true }));
    return [...ofRows, { box, needs: [...new Set(ofRows.flatMap(({ needs }) => needs))], isSilent: true }];
  }

  function findUnits() {
    const outputs = [...document.querySelectorAll(".bd-article .cell:not(.tag_given) > .cell_output")];
    const isChapter = asked.length > 0;
    const plain = outputs.filter((box) => !box.querySelector(".headlines"));
    const found = isChapter ? plain.flatMap(unitsOfOutput) : plain.map((box) => ({ box, needs: null }));
    const rows = [...document.querySelectorAll(".headlines tbody tr")].map((box) => ({ box, isRow: true }));
    const boxes = [...document.querySelectorAll(".answer")].filter((box) => !box.closest(".cell"));
    const values = [...document.querySelectorAll(".machine-card [data-quantity]")];
    const silent = values.map((box) => ({ box, needs: [box.dataset.quantity], isSilent: true }));
    const elsewhere = [...rows, ...boxes.map((box) => ({ box }))].map((unit) => ({ ...unit, needs: marked(unit.box) }));
    return [...found, ...elsewhere, ...silent];
  }

  function refresh() {
    for (const unit of units) {
      const left = unit.needs === null ? null : missing(unit.needs);
      const isShown = unit.isShown || left?.length === 0;
      unit.box.classList.toggle("uncovered", isShown);
      unit.cover?.remove();
      unit.cover = isShown ? own(unit) : cover(unit, left);
      if (!unit.cover) continue;
      const place = unit.isRow ? unit.box.cells[0] : (unit.box.querySelector(":scope > .answer") ?? unit.box);
      place.append(unit.cover);
    }
    showBar();
  }

  /** The line in the place of what is covered. */
  function cover(unit, left) {
    if (unit.isSilent || !root.classList.contains("predict-first")) return null;
    const line = element(unit.isRow ? "span" : "p", { class: "cover" });
    const here = left?.filter((quantity) => byQuantity.has(quantity));
    if (left === null) {
      line.append("Covered: it shows what was measured. ", button("Show it", () => show(unit)));
    } else if (here.length) {
      const what = here.length === 1 ? titleOf(byQuantity.get(here[0])) : count(here.length, "quantity");
      const verb = here.some((quantity) => guesses.has(quantity)) ? "Predict again:" : "Predict";
      const title = unit.isRow && here.length === 1 ? verb.replace(":", "") : `${verb} ${what}`;
      const name = unit.isRow ? { "aria-label": `${verb} ${what}` } : {};
      line.append(unit.isRow ? " " : "Covered. ", button(title, () => ask(here, unit.box), name));
    } else {
      line.append(unit.isRow ? " covered" : "Covered until you have predicted it in its chapter.");
    }
    return line;
  }

  function show(unit) {
    unit.isShown = true;
    refresh();
    focusOn(unit.box);
  }

  /** What the reader predicted of the one quantity that is shown here. */
  function own(unit) {
    const [quantity, ...others] = unit.needs ?? [];
    const guess = guesses.get(quantity);
    if (!guess?.predicted || others.length || unit.isSilent) return null;
    return element(unit.isRow ? "small" : "p", { class: "guess" }, `You predicted ${outcome(guess)}.`);
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

  // --- one prediction ------------------------------------------------------------------------------

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

  /** What the chapter calls the quantity, and the question that its answer box has for it. */
  function wordsOf({ quantity }) {
    const subject = document.querySelector(`.reckon-what-if[data-quantities="${quantity}"]`)?.dataset.what;
    const box = document.querySelector(`.answer [data-quantity="${quantity}"]`)?.closest(".answer");
    return { subject: subject ? ` (${subject})` : "", question: box && words(box.firstElementChild.textContent) };
  }

  const withoutOne = (text) => text.replace(/ 1$/, "");

  /** The fields for a quantity; `read` gives its prediction, null where none is typed. */
  function fieldsOf(formula, isAlone) {
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
    const usual = formula.steps.findIndex(({ spoken }) => spoken === formula.unit.spoken);
    const unit = element(
      "select",
      { "aria-label": "Unit" },
      ...formula.steps.map(({ spoken }, k) => element("option", { value: k, ...(k === usual ? { selected: "" } : {}) }, spoken)),
    );
    unit.hidden = formula.steps.length === 1;
    const read = (input) => typed(input.value, [formula.steps[Number(unit.value)], ...unitsOf(formula)]);
    const inBase = (input) => read(input).value;
    const check = () => {
      const [low, middle, high] = [least, value, most].map((input) => (input.value ? read(input) : {}));
      const { half, outside, negative } = window.reckon.data.rules.interval_faults;
      const isAmount = Object.keys(formula.dimension).length > 0;
      const faults = [
        [!least.value !== !most.value, half],
        [low.value > middle.value || high.value < middle.value || low.value > high.value, outside],
        [isAmount && low.value < 0, negative],
      ];
      const [, wrong = ""] = faults.find(([isSo]) => isSo) ?? [];
      const isMissing = !value.value && (isAlone || least.value || most.value || reason.value);
      const positive = middle.value > 0 || (!value.value && !isMissing);
      value.setCustomValidity(middle.fault ?? (positive ? "" : "A prediction is larger than 0."));
      least.setCustomValidity(low.fault ?? "");
      const texts = { low: least.value, value: value.value, high: most.value };
      const whole = filled(wrong, texts);
      most.setCustomValidity(high.fault ?? whole.charAt(0).toUpperCase() + whole.slice(1));
    };
    const { subject, question } = wordsOf(formula);
    const node = element(
      "fieldset",
      {},
      element("legend", {}, `${titleOf(formula)}${subject}`),
      question ? element("p", {}, question) : null,
      element("p", {}, valueLabel, unit, unit.hidden ? formula.steps[0].spoken : ""),
      element("p", {}, "and would bet that it is ", leastLabel, " and ", mostLabel, " (optional)"),
      element("p", {}, element("label", {}, "because ", reason)),
    );

    function guess() {
      if (!value.value) return null;
      const inUnit = (input) => withoutOne(`${exact(inBase(input), formula)} ${formula.author_unit}`);
      const made = { predicted: inBase(value), measured, label: formula.label, text: { predicted: inUnit(value) } };
      if (least.value && most.value) {
        Object.assign(made, { low: inBase(least), high: inBase(most) });
        Object.assign(made.text, { low: inUnit(least), high: inUnit(most) });
      }
      const position = placeOf(formula);
      if (position) made.text.at = withoutOne(`${exact(position.value, position.axis)} ${position.axis.author_unit}`);
      if (reason.value.trim()) made.text.reason = reason.value.trim();
      if (before.predicted) made.text.first_vote = before.predicted;
      else if (isTwice()) made.isFirst = true;
      return made;
    }

    return { formula, point, node, check, guess };
  }

  /** Asks for these quantities in one form; what they uncover begins at `box`. */
  function ask(quantities, box) {
    const left = missing(quantities);
    if (!left.length) return;
    const rows = left.map((quantity) => fieldsOf(byQuantity.get(quantity), left.length === 1));
    const check = () => rows.forEach((row) => row.check());
    const skip = () => finish(rows.map(({ formula }) => [formula.quantity, { isSkipped: true }]));
    const leave = () => {
      dialog.close();
      dialog.remove(); // at once: the event comes later
    };
    const dialog = element("dialog", { class: "predict", "aria-labelledby": "predict-title", onclose: () => end() });
    const again = left.some((quantity) => guesses.has(quantity)) ? "Predict again" : "Predict first";
    const said = element("output", { "aria-live": "polite" });
    const form = element(
      "form",
      { method: "dialog", oninput: check, onsubmit: (event) => submit(event) },
      ...rows.map(({ node }) => node),
      said,
      element(
        "p",
        {},
        element("button", { type: "submit" }, "Predict"),
        button("Show without predicting", skip),
        button("Cancel", leave),
      ),
    );
    const chapter = document.querySelector(".bd-article h1")?.cloneNode(true);
    chapter?.querySelectorAll(".section-number, .headerlink").forEach((part) => part.remove());
    dialog.append(element("h2", { id: "predict-title" }, `${again}: ${words(chapter?.textContent ?? "")}`), form);

    function submit(event) {
      event.preventDefault();
      const made = rows.map((row) => [row.formula.quantity, row.guess()]).filter(([, guess]) => guess);
      if (made.length) finish(made);
      else said.textContent = "Predict one of these at least.";
    }

    /** Keeps the predictions, and shows each with what was measured, or that a second one is due. */
    function finish(made) {
      const faults = made.map(([quantity, guess]) => put(quantity, guess));
      refresh();
      const result = element("div", { role: "status" });
      const on = button("Close", leave);
      form.replaceWith(result, element("p", {}, on));
      const shown = rows.filter(({ formula }) => isOpen(formula.quantity));
      result.append(...shown.map((row) => resultOf(row, shown.length > 1)));
      if (shown.length < rows.length && isTwice()) {
        const rest = "Your first prediction is kept. Discuss it, then predict again: after that you see what was measured.";
        result.append(element("p", {}, rest));
      }
      const last = faults.find(Boolean) || (shown.length ? score() : "");
      if (last) result.append(element("p", {}, last));
      on.focus();
    }

    function end() {
      dialog.remove();
      focusOn(box);
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

  function focusOn(box) {
    if (document.querySelector("dialog[open]")) return;
    box.tabIndex = -1;
    box.focus({ preventScroll: true });
  }

  // --- the switch and the score -----------------------------------------------------------------------

  function makeBar() {
    const toggle = element("input", { type: "checkbox", role: "switch", onchange: () => turn(toggle.checked) });
    const name = element("input", {
      type: "text",
      size: 12,
      value: stored(NAME) ?? "",
      oninput: () => store(NAME, name.value),
    });
    const text = element("textarea", { rows: 5, readonly: "", "aria-label": "Your predictions", hidden: "" });
    const sentence = element("output", { "aria-live": "polite" });
    const copy = () => give(toml(name.value), text, (said) => (sentence.textContent = said));
    const actions = element(
      "details",
      {},
      element("summary", {}, "Your predictions"),
      element("p", {}, element("label", {}, "Your name (optional) ", name)),
      button("Copy", copy),
      button("Download", () => download(toml(name.value), fileName(name.value))),
      button("Forget them all", () => confirm("Forget all of your predictions of this book?") && (forget(), refresh())),
      text,
    );
    const form = button("Predict this page", () => ask(asked, box));
    const rest = button("Show all of this page", () => {
      for (const quantity of missing(asked)) put(quantity, { isSkipped: true });
      for (const unit of units.filter(({ needs }) => needs === null)) unit.isShown = true;
      refresh();
    });
    const label = element("label", {}, toggle, " Predict first: cover what was measured until I have predicted it");
    const title = blind ? element("span", {}, "Predict first: what was measured is covered until you have predicted it.") : label;
    const box = element("aside", { class: "predict-bar", "aria-label": "Predict first" }, title, sentence, form, rest, actions);
    document.querySelector(".bd-article h1")?.after(box);
    return { box, toggle, sentence, form, rest, actions };
  }

  /** The name of a reader's file, by which a teacher knows them apart. */
  function fileName(reader) {
    const name = reader.trim().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
    return `predictions${name && `-${name}`}-${new Date().toISOString().slice(0, 10)}.toml`;
  }

  function turn(isOn) {
    store(SWITCH, isOn ? "on" : "off");
    root.classList.toggle("predict-first", isOn);
    refresh();
  }

  function showBar() {
    const isOn = root.classList.contains("predict-first");
    const left = missing(asked).length;
    const here = asked.length ? `${asked.length - left} of ${count(asked.length, "quantity")} of this page shown. ` : "";
    bar.toggle.checked = isOn;
    const once = asked.filter((quantity) => guesses.get(quantity)?.isFirst).length;
    const due = once ? `Of ${count(once, "quantity")} a second prediction is due, after discussion. ` : "";
    bar.sentence.textContent = isOn ? `${here}${due}${score()}` : "";
    bar.form.hidden = !isOn || !left;
    bar.form.textContent = once ? "Predict again" : "Predict this page";
    bar.rest.hidden = !isOn || !(left || units.some(({ needs, isShown }) => needs === null && !isShown));
    bar.actions.hidden = ![...guesses.values()].some(({ predicted }) => predicted);
  }

  function start() {
    const formulas = [...byQuantity.values()];
    const all = formulas.filter(({ measured, is_method }) => measured && !is_method).map(({ quantity }) => quantity);
    const chosen = (stored(QUESTIONS) ?? "").split(",");
    const ofTeacher = all.filter((quantity) => chosen.includes(quantity) || chosen.includes(lastPart(quantity)));
    asked = ofTeacher.length ? ofTeacher : all;
    units = findUnits();
    if (!units.length) return;
    bar = makeBar();
    refresh();
  }

  document.addEventListener("DOMContentLoaded", start);
})();

// Predict first: what was measured stays covered until the reader has predicted it. predict-first.css
// covers every computed output; this script uncovers what shows nothing that is still to be predicted.
(() => {
  "use strict";

  const book = window.reckonBook;
  const { byQuantity } = window.reckon.formulas;
  const { element, button } = window.reckon.elements;
  const { guesses, skip, isOpen, missing, forget, score, toml, SWITCH, NAME } = window.reckon.guesses;
  const { joined } = window.reckon.words;
  const { stored, store } = window.reckon.storage;
  const { download, give, lastPart } = window.reckon.copies;
  const { ask, outcome, titleOf, words } = window.reckon.predictForm;

  // What a teacher chooses, in the build or else in the address, ?predict=getpid,times&votes=2&own=shown: the
  // questions, whether each is asked twice, and whether Reckon's own prediction stays open.
  const CHOICES = ["predict", "votes", "own"];
  const keyOf = (choice) => `reckon-choice-${choice}`;
  const chosen = (choice) => book[choice] || stored(keyOf(choice)) || "";
  const root = document.documentElement;
  const isAsked = () => book.blind || stored(SWITCH) === "on";
  const address = new URLSearchParams(location.search);
  if (address.has("predict")) {
    store(SWITCH, "on");
    for (const choice of CHOICES) store(keyOf(choice), address.get(choice) ?? "");
  }
  root.classList.toggle("predict-first", isAsked()); // before the page is drawn
  root.classList.toggle("own-shown", chosen("own") === "shown");

  let asked = []; // the quantities that a reader of this page predicts
  let units = []; // what is covered: { box, needs, kind }; needs: quantities, or null
  let ruler = []; // the rows of the front page's table of times, the shortest first
  let bar = null;

  const count = (number, word) => `${number} ${number === 1 ? word : word.replace(/y$/, "ie") + "s"}`;

  // --- what is covered, and which predictions uncover it ------------------------------------------

  /** The quantities that an element's marks name. */
  function marked(box) {
    const marks = [...box.querySelectorAll("[data-measured], [data-quantity]")];
    return [...new Set(marks.flatMap(({ dataset }) => (dataset.measured ?? dataset.quantity).split(" ")))];
  }

  const questions = () => chosen("predict").split(/[\s,;]+/).filter(Boolean);

  /** The questions of its chapter that uncover a quantity on other pages. */
  function askedInChapter(quantity) {
    const chapter = quantity.slice(0, quantity.lastIndexOf("/") + 1);
    const ofChapter = questions().filter((question) => question.startsWith(chapter));
    return ofChapter.length && !ofChapter.includes(quantity) ? ofChapter : [quantity];
  }

  /** Those that a teacher asks for in another chapter. */
  const askedElsewhere = (quantities) =>
    questions().filter((question) => quantities.includes(question) && !byQuantity.has(question));

  /** Of quantities on a page with formulas: those to predict before their values are shown. */
  function needsOf(quantities) {
    const own = quantities.filter((quantity) => asked.includes(quantity));
    const isKnown = quantities.length > 0 && quantities.every((name) => byQuantity.get(name)?.measured === undefined);
    return [...(own.length || isKnown ? own : asked), ...askedElsewhere(quantities)];
  }

  /** A model shows what was measured where its inputs are questions of this page or of a teacher. */
  function needsOfModel(box) {
    const names = [...box.querySelectorAll(".reckon-what-if")].flatMap(({ dataset }) => dataset.quantities.split(" "));
    const inputs = names.flatMap((name) => Object.values(byQuantity.get(name)?.inputs ?? {}));
    const read = inputs.map((number) => window.reckon.data.inputs[number].reference);
    return [...asked.filter((quantity) => read.includes(quantity)), ...askedElsewhere(read)];
  }

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
    const marks = [...document.querySelectorAll(".bd-article [data-quantity]")];
    const values = marks.filter((mark) => !mark.closest(".cell, .answer, .headlines"));
    const silent = values.map((box) => ({ box, isSilent: true, names: [box.dataset.quantity] }));
    const others = [...rows, ...boxes.map((box) => ({ box }))].map((unit) => ({ ...unit, names: marked(unit.box) }));
    const elsewhere = [...others, ...silent].map((unit) => ({ ...unit, needs: unit.names.flatMap(askedInChapter) }));
    return [...found, ...elsewhere];
  }

  const isCovered = ({ needs, isShown }) => !isShown && (needs === null || missing(needs).length > 0);

  function refresh() {
    for (const unit of units) {
      const left = unit.needs === null ? null : missing(unit.needs);
      unit.box.classList.toggle("uncovered", !isCovered(unit));
      unit.cover?.remove();
      unit.cover = !isCovered(unit) ? own(unit) : cover(unit, left);
      if (!unit.cover) continue;
      const place = unit.isRow ? unit.box.cells[0] : (unit.box.querySelector(":scope > .answer") ?? unit.box);
      place.append(unit.cover);
    }
    orderRuler();
    showBar();
  }

  /** Orders the ruler's rows by name while one is covered: their order would tell its place. */
  function orderRuler() {
    const hides = ruler.some((row) => getComputedStyle(row.cells[1]).visibility === "hidden");
    const name = (row) => row.cells[0].textContent;
    const byName = [...ruler].sort((a, b) => name(a).localeCompare(name(b)));
    ruler[0]?.parentElement.append(...(hides ? byName : ruler));
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
      line.append(unit.isRow ? " " : "Covered. ", button(title, () => askFor(here, unit.box), name));
    } else {
      const names = joined(left.map((quantity) => book.titles[quantity] ?? lastPart(quantity)));
      line.append(unit.isRow ? " covered" : `Covered until you have predicted ${names} in its chapter.`);
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

  const askFor = (quantities, box) =>
    ask(quantities, { isTwice: chosen("votes") === "2", whenMade: refresh, atEnd: () => focusOn(box) });

  function focusOn(box) {
    if (document.querySelector("dialog[open]")) return;
    box.tabIndex = -1;
    box.focus({ preventScroll: true });
  }

  // --- the form, the switch and the score -----------------------------------------------------------------------

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
    const form = button("Predict this page", () => askFor(asked, box));
    const rest = button("Show all of this page", () => {
      missing(units.flatMap(({ needs }) => needs ?? [])).forEach(skip);
      for (const unit of units.filter(({ needs }) => needs === null)) unit.isShown = true;
      refresh();
    });
    const label = element("label", {}, toggle, " Predict first: cover what was measured until I have predicted it");
    const title = book.blind ? element("span", {}, "Predict first: what was measured is covered until you have predicted it.") : label;
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
    bar.sentence.textContent = isOn ? `${here}${due}${unknownQuestions()}${score()}` : "";
    bar.form.hidden = !isOn || !left;
    bar.form.textContent = once ? "Predict again" : "Predict this page";
    bar.rest.hidden = !isOn || !units.some(isCovered);
    bar.actions.hidden = ![...guesses.values()].some(({ predicted }) => predicted);
  }

  /** A sentence on questions of the address that are misspelt; "" without any. */
  function unknownQuestions() {
    const known = [...byQuantity.keys(), ...Object.keys(book.titles)];
    const isKnown = (question) => known.some((quantity) => [quantity, lastPart(quantity)].includes(question));
    const unknown = questions().filter((question) => !isKnown(question));
    return unknown.length ? `The address asks for ${joined(unknown)}, which this book does not have. ` : "";
  }

  function start() {
    const formulas = [...byQuantity.values()];
    const all = formulas.filter(({ measured, is_method }) => measured && !is_method).map(({ quantity }) => quantity);
    // From here on by their whole names: other pages have quantities of the same last part.
    const whole = (question) => all.find((quantity) => lastPart(quantity) === question) ?? question;
    store(keyOf("predict"), questions().map(whole).join(","));
    const ofTeacher = all.filter((quantity) => questions().includes(quantity));
    asked = ofTeacher.length ? ofTeacher : all;
    units = findUnits();
    ruler = [...document.querySelectorAll(".ruler tbody tr")];
    if (!units.length) return;
    bar = makeBar();
    refresh();
  }

  document.addEventListener("DOMContentLoaded", start);
})();

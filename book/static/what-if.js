// The What if? panels of a page: inputs of its predictions are changed there, and what they predict
// follows, in the panels and in the page's own numbers.
(() => {
  "use strict";

  const { load, byQuantity } = window.reckon.formulas;
  const { ends, measuredAndInterval, times } = window.reckon.numbers;
  const { element, button } = window.reckon.elements;
  const { inputRow } = window.reckon.inputs;
  const { resultBox } = window.reckon.results;
  const { LINK, link, linked, apply, notebookCell, give } = window.reckon.copies;
  const { given, sharedOf, isEdited, isMoved, changedOf, compute, sealedRatio, onChange, reset } = window.reckon.edits;

  const WRONG = ".what-if [aria-invalid=true]";
  const panels = [];
  let isPage = false; // of the site; else an output in JupyterLab

  /** What a panel of these quantities calls an input: its name; where several inputs have it, with the
   * first of its quantities. */
  function labelOf(shared, quantities) {
    const { label } = given(shared);
    const alike = new Set(quantities.flatMap(sharedOf).filter((other) => given(other).label === label));
    if (alike.size === 1) return label;
    const [first, ...others] = quantities.filter((formula) => sharedOf(formula).includes(shared));
    return `${label} of ${first.label}${others.length ? " …" : ""}`;
  }

  /** One sentence on what the changes did to these quantities. */
  function report(quantities) {
    const changed = quantities.filter(isEdited);
    if (!changed.length) return `These are the inputs of the prediction as it is; change one.`;
    if (quantities.length === 1) return reportOne(quantities[0]);
    const { near } = window.reckon.data.rules;
    const isNear = (ratio) => ratio > 1 / near && ratio < near;
    const measured = quantities.filter((formula) => formula.measured && !isOfTwoGroups(formula));
    const nearNow = measured.filter((formula) => isNear(compute(formula).ratio)).length;
    const nearAsSealed = measured.filter((formula) => isNear(sealedRatio(formula))).length;
    return (
      `With your ${changedOf(quantities)} ${changed.length} of ${quantities.length} predictions change; ${nearNow} of ` +
      `${measured.length} lie within ${near} times of the measurement (sealed ${nearAsSealed}).`
    );
  }

  const isOfTwoGroups = ({ axis, measured }) => !axis && Boolean(measured?.groups);

  function reportOne(formula) {
    const { predicted, ratio } = compute(formula);
    const start = `With your ${changedOf([formula])}: ${ends(predicted, formula)};`;
    if (!formula.measured) return `${start} it is not measured.`;
    if (isOfTwoGroups(formula)) return `${start} measured ${measuredAndInterval(formula)[0]}, so there is no ratio.`;
    return `${start} measured is ${times(ratio)} (sealed ${times(sealedRatio(formula))}).`;
  }

  /** How many predictions of the page besides these have changed; "" without any. */
  function reportOthers(quantities) {
    const others = [...byQuantity.values()].filter((formula) => isMoved(formula) && !quantities.includes(formula));
    if (!others.length || !quantities.some(isEdited)) return "";
    return others.length === 1
      ? "One more prediction of this page follows."
      : `${others.length} more predictions of this page follow.`;
  }

  /** The buttons below a panel, and the text that they give, which is forgotten when an input changes.
   * `say` takes a sentence for the reader. */
  function actions(quantities, say) {
    const text = element("textarea", { rows: 6, readonly: "", "aria-label": "Text to copy", hidden: "" });
    const all = () => [...byQuantity.values()];
    const forget = () => (text.hidden = true);
    /** What is wrong; "" if something of these is changed, and without a mistake. */
    const fault = (formulas) => {
      if (!formulas.some(isEdited)) return "Nothing is changed; change an input first.";
      const wrong = document.querySelector(WRONG);
      wrong?.focus(); // what is wrong with it is said there
      return wrong ? "A field has a mistake, so nothing is kept or copied: mend it, or reset." : "";
    };
    const copy = (formulas, content) => {
      const wrong = fault(formulas);
      if (wrong) say(wrong);
      else give(content(), text, say);
    };
    /** Keeps the predictions that the changes move; where they move none, those that have them. */
    const keep = () => {
      const moved = all().filter(isMoved);
      say(fault(all()) || window.reckon.kept.keep(moved.length ? moved : all().filter(isEdited)));
    };
    const buttons = element(
      "div",
      { class: "what-if-actions" },
      button("Reset", reset),
      ...(isPage ? [button("Copy link", () => copy(all(), link))] : []),
      button("Copy as notebook cell", () => copy(quantities, () => notebookCell(quantities))),
      ...(isPage
        ? [button("Keep these predictions", keep), button("Kept predictions", () => window.reckon.kept.open())]
        : []),
    );
    return { nodes: [buttons, text], forget };
  }

  /** The panel of an anchor's quantities, folded; what is in it is made when it is opened. */
  function makePanel(anchor) {
    const names = anchor.dataset.quantities.split(" ");
    const own = names.map((name) => byQuantity.get(name)).filter(Boolean);
    const shared = [...new Set(own.flatMap(sharedOf))];
    if (!shared.length) return;
    const title =
      own.length === 1
        ? `Change the prediction: ${anchor.dataset.what || own[0].label}`
        : `Change these ${own.length} predictions`;
    const status = element("output", { class: "what-if-status", "aria-live": "polite" });
    const others = element("small", { class: "what-if-others" });
    const content = element("div", { class: "what-if-content", oninput: () => tell() });
    const counted = element("small");
    const ofKept = element("p", { class: "what-if-kept" });
    const box = element(
      "details",
      { class: "what-if", ontoggle: () => box.open && build() },
      element("summary", {}, element("b", {}, "What if?"), ` ${title}`, counted),
      content,
    );
    let rows = [];
    let results = [];
    let forgetText = () => {};

    const say = (sentence) => (status.textContent = sentence);

    function tell() {
      say(`${report(own)}${box.querySelector(WRONG) ? " All of this is from before the mistake." : ""}`);
      others.textContent = reportOthers(own);
    }

    function build() {
      if (rows.length) return;
      rows = shared.map((number) => inputRow(number, labelOf(number, own)));
      results = own.map((formula) => resultBox(formula, own.length === 1));
      const { nodes, forget } = actions(own, say);
      forgetText = forget;
      content.append(
        ofKept,
        element("div", { class: "what-if-inputs" }, ...rows.map(({ row }) => row)),
        status,
        others,
        element("div", { class: "what-if-results" }, ...results.map((result) => result.box)),
        ...nodes,
      );
      results.forEach((result) => result.show());
      tell();
    }

    /** Says what is kept for this panel; the texts of its changes. */
    function tellKept() {
      const { changes, address, faulty } = window.reckon.kept.keptOf(names);
      counted.textContent = changes.length ? ` (${changes.length} kept)` : "";
      const link = () => element("a", { href: address }, "Show it");
      ofKept.replaceChildren(
        ...(changes.length ? [`You have kept ${changes.join("; ")}. `, link()] : []),
        ...faulty.flatMap(({ change, fault, remove }) => [
          ` You have kept ${change}, which does not fit. ${fault} `,
          button("Remove", remove, { "aria-label": `Remove ${change}` }),
        ]),
      );
      return changes;
    }

    /** Unfolds the panel, and in it the result of a quantity. */
    function open(quantity) {
      for (let fold = box; fold; fold = fold.parentElement.closest("details")) fold.open = true;
      build();
      const result = results.find(({ formula }) => formula.quantity === quantity);
      if (result) result.box.open = true;
    }

    function refresh(touched, isReset) {
      if (!box.open) {
        rows = []; // made again when it is opened
        content.replaceChildren();
        return;
      }
      forgetText();
      others.textContent = reportOthers(own);
      const isTouched = (number) => touched.includes(number);
      if (!shared.some(isTouched)) return;
      rows.filter((row) => isTouched(row.shared)).forEach((row) => row.show(isReset));
      results
        .filter(({ formula }) => sharedOf(formula).some(isTouched))
        .forEach((result) => result.show(isReset));
      const edited = results.filter(({ formula }) => isEdited(formula));
      if (edited.length && !edited.some((result) => result.box.open)) edited[0].box.open = true;
      tell();
    }

    /** What each input does, for a printer, which a timer does not reach; of one quantity, for room. */
    function prepareForPrint() {
      if (own.length > 1) return;
      box.classList.add("what-if-printed");
      open();
      results.forEach((result) => result.showMore());
    }

    panels.push({ box, formulas: own, open, say, tellKept, prepareForPrint });
    onChange(refresh);
    if (isPage) window.reckon.kept.onChange(tellKept);
    anchor.append(box);
    if (!isPage && own.length === 1) open();
  }

  /** Takes over the changed inputs of the address, and shows the first panel that has one. */
  function followLink() {
    const lines = linked(LINK);
    if (!lines) return;
    const faults = apply(lines);
    if (!lines.length) return;
    const { quantity } = lines[0];
    const isOf = ({ formulas }) => formulas.some((formula) => formula.quantity === quantity);
    const panel = panels.find(isOf) ?? panels.find(({ formulas }) => formulas.some(isEdited)) ?? panels[0];
    panel.open(quantity);
    if (faults.length) panel.say(`The address has changes that do not fit this page and are left out. ${faults.join(" ")}`);
    panel.box.scrollIntoView({ block: "center" });
  }

  /** Says in each panel what is kept for it, and unfolds the first that has a change. */
  function showKept() {
    const shown = new Set();
    for (const { tellKept, open } of panels) {
      const changes = tellKept();
      if (changes.some((change) => !shown.has(change))) open();
      changes.forEach((change) => shown.add(change));
    }
  }

  /** Makes the panels of the anchors below an element, from the data that stands there too. */
  window.reckon.makePanels = (root) => {
    load(JSON.parse(root.querySelector("script.reckon-formulas").textContent));
    root.querySelectorAll(".reckon-what-if").forEach(makePanel);
  };

  function start() {
    if (!document.querySelector("script.reckon-formulas")) return;
    isPage = true;
    window.reckon.makePanels(document);
    showKept();
    followLink();
    window.addEventListener("hashchange", followLink);
    document.addEventListener("click", ({ target }) => {
      if (target.closest(`a[href^="${LINK}"]`)?.hash === location.hash) followLink(); // no other address
    });
    window.addEventListener("beforeprint", () => panels.forEach((panel) => panel.prepareForPrint()));
  }

  document.addEventListener("DOMContentLoaded", start);
})();

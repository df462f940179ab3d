// The What if? panels of a page: inputs of its predictions are changed there, and what they predict
// follows, in the panels and in the page's own numbers.
(() => {
  "use strict";

  const { load, byQuantity } = window.reckon.formulas;
  const { ends, times } = window.reckon.numbers;
  const { element } = window.reckon.elements;
  const { inputRow } = window.reckon.inputs;
  const { resultBox } = window.reckon.results;
  const { link, linkedChanges, predictionsToml, notebookCell } = window.reckon.copies;
  const { edits, given, sharedOf, isEdited, compute, sealedRatio, onChange, changeOnly, reset } =
    window.reckon.edits;

  const panels = [];

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
    if (!changed.length) return "These are the inputs of the prediction as it is; change one.";
    if (quantities.length === 1) return reportOne(quantities[0]);
    const { near } = window.reckon.data.rules;
    const isNear = (ratio) => ratio > 1 / near && ratio < near;
    const measured = quantities.filter((formula) => formula.measured);
    const nearNow = measured.filter((formula) => isNear(compute(formula).ratio)).length;
    const nearAsSealed = measured.filter((formula) => isNear(sealedRatio(formula))).length;
    return (
      `With your inputs ${changed.length} of ${quantities.length} predictions change; ${nearNow} of ` +
      `${measured.length} lie within ${near} times of the measurement (sealed ${nearAsSealed}).`
    );
  }

  function reportOne(formula) {
    const { predicted, ratio } = compute(formula);
    const comparison = formula.measured
      ? `measured is ${times(ratio)} (sealed ${times(sealedRatio(formula))})`
      : "it is not measured";
    return `With your inputs: ${ends(predicted, formula)}; ${comparison}.`;
  }

  /** The buttons below a panel, and the text that they give. `say` takes a sentence for the reader. */
  function actions(quantities, say) {
    const text = element("textarea", { rows: 6, readonly: "", "aria-label": "Text to copy", hidden: "" });
    const button = (title, onclick) => element("button", { type: "button", onclick }, title);
    const save = button("Download predictions.toml", () => {
      const file = new Blob([text.value], { type: "application/toml" });
      const address = URL.createObjectURL(file);
      element("a", { href: address, download: "predictions.toml" }).click();
      URL.revokeObjectURL(address);
    });
    save.hidden = true;
    const copy = async (content, isFile = false) => {
      text.value = content;
      text.hidden = false;
      save.hidden = !isFile;
      text.select();
      try {
        await navigator.clipboard.writeText(content);
        say("Copied.");
      } catch {
        say("The text is below and selected; copy it from there.");
      }
    };
    const buttons = element(
      "div",
      { class: "what-if-actions" },
      button("Reset", reset),
      button("Copy link", () => copy(link())),
      button("Copy as notebook cell", () => copy(notebookCell(quantities))),
      button("Keep these predictions", () => copy(predictionsToml(), true)),
    );
    return [buttons, text, save];
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
    const content = element("div", { class: "what-if-content" });
    const box = element(
      "details",
      { class: "what-if", ontoggle: () => box.open && build() },
      element("summary", {}, element("b", {}, "What if?"), ` ${title}`),
      content,
    );
    let rows = [];
    let results = [];

    const say = (sentence) => (status.textContent = sentence);

    function build() {
      if (rows.length) return;
      rows = shared.map((number) => inputRow(number, labelOf(number, own)));
      results = own.map((formula) => resultBox(formula, own.length === 1));
      content.append(
        element("div", { class: "what-if-inputs" }, ...rows.map(({ row }) => row)),
        status,
        element("div", { class: "what-if-results" }, ...results.map((result) => result.box)),
        ...actions(own, say),
      );
      results.forEach((result) => result.show());
      say(report(own));
    }

    function open() {
      for (let fold = box; fold; fold = fold.parentElement.closest("details")) fold.open = true;
      build();
    }

    function refresh(touched) {
      if (!box.open) {
        rows = []; // made again when it is opened
        content.replaceChildren();
        return;
      }
      const isTouched = (number) => touched.includes(number);
      if (!shared.some(isTouched)) return;
      rows.filter((row) => isTouched(row.shared)).forEach((row) => row.show());
      results
        .filter(({ formula }) => sharedOf(formula).some(isTouched))
        .forEach((result) => result.show());
      say(report(own));
    }

    panels.push({ box, shared, open });
    onChange(refresh);
    anchor.append(box);
  }

  /** Takes over the changed inputs of the address, and shows the first panel that has one. */
  function followLink() {
    const changes = linkedChanges();
    if (!changes) return;
    changeOnly(changes);
    const panel = panels.find(({ shared }) => shared.some((number) => edits.has(number)));
    if (!panel) return;
    panel.open();
    panel.box.scrollIntoView({ block: "center" });
  }

  function start() {
    const source = document.querySelector("script.reckon-formulas");
    if (!source) return;
    load(JSON.parse(source.textContent));
    document.querySelectorAll(".reckon-what-if").forEach(makePanel);
    followLink();
    window.addEventListener("hashchange", followLink);
  }

  document.addEventListener("DOMContentLoaded", start);
})();

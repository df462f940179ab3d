// The page's own numbers follow the inputs that its reader changes.
(() => {
  "use strict";

  const { byQuantity, interval } = window.reckon.formulas;
  const { amount, between, ends, times } = window.reckon.numbers;
  const { onChange, sharedOf, isEdited, compute } = window.reckon.edits;

  const COLUMNS = { 1: "predicted", 3: "ratio" }; // of a table of results (reckon/show/tables/tables.py)
  const words = (node) => node.textContent.replace(/\s+/g, " ").trim();

  /** Marks predictions and ratios in the tables of results, whose rows have the quantities' titles. */
  function markTables() {
    const formulas = [...byQuantity.values()].filter(({ measured }) => measured);
    for (const table of document.querySelectorAll("table.results")) {
      const rows = [...table.tBodies].flatMap((body) => [...body.rows]);
      for (const formula of formulas) {
        if (formula.axis) markCurve(rows, formula);
        else rows.filter((row) => words(row.cells[0]) === formula.label).forEach((row) => mark(row, formula));
      }
    }
  }

  /** Marks the rows of a curve: all of its points, or of a long one the ends. */
  function markCurve(rows, formula) {
    const isPoint = (row) => words(row.cells[0]).startsWith(`${formula.label}, `) && words(row.cells[1]) !== "–";
    const points = formula.measured.indices.map((_, k) => k);
    const ofCurve = rows.filter(isPoint);
    const shown = ofCurve.length === points.length ? points : [points[0], points.at(-1)];
    if (ofCurve.length === shown.length) ofCurve.forEach((row, k) => mark(row, formula, shown[k]));
  }

  function mark(row, { quantity }, point) {
    for (const [column, shows] of Object.entries(COLUMNS)) {
      const cell = row.cells[column].querySelector("p") ?? row.cells[column];
      const span = document.createElement("span");
      Object.assign(span.dataset, point === undefined ? { quantity, shows } : { quantity, shows, point });
      span.append(...cell.childNodes);
      cell.append(span);
    }
  }

  let isMarked = false;

  onChange((touched) => {
    if (!isMarked) markTables();
    isMarked = true;
    for (const span of document.querySelectorAll("span[data-quantity][data-shows]")) {
      const formula = byQuantity.get(span.dataset.quantity);
      if (formula && sharedOf(formula).some((shared) => touched.includes(shared))) follow(span, formula);
    }
    document.querySelectorAll("[data-track]").forEach(followOnTrack);
  });

  /** Moves the prediction on the logarithmic line of an answer box, whose scale its marks show. */
  function followOnTrack(track) {
    const formula = byQuantity.get(track.dataset.track);
    if (!formula?.measured || formula.axis) return;
    const at = (mark) => parseFloat(track.style.getPropertyValue(`--${mark}`));
    track.dataset.sealed ??= at("predicted");
    const start = Number(track.dataset.sealed);
    const sealed = formula.sealed.value[0];
    const groups = formula.measured.groups?.[0].medians;
    const [mark, measured] = groups ? ["low", groups[0]] : ["measured", formula.measured.value[0]];
    const scale = (at(mark) - start) / Math.log(measured / sealed);
    const position = start + scale * Math.log(compute(formula).predicted[0] / sealed);
    const isKnown = isEdited(formula) && Number.isFinite(position);
    const shown = isKnown ? Math.min(100, Math.max(0, position)) : start;
    track.style.setProperty("--predicted", `${shown.toFixed(1)}%`);
  }

  /** Shows the changed prediction in a number of the page; unchanged, what was sealed. A sentence stays
   * that on the sealed prediction, which the sentences after it judge too, and says so. */
  function follow(span, formula) {
    if (span.dataset.shows === "verdict") {
      span.parentElement.classList.toggle("what-if-sealed", isEdited(formula));
      return;
    }
    span.dataset.sealed ??= span.textContent;
    span.classList.toggle("what-if-changed", isEdited(formula));
    span.textContent = isEdited(formula) ? shown(span, formula) : span.dataset.sealed;
  }

  function shown(span, formula) {
    const now = compute(formula);
    const point = Number(span.dataset.point ?? 0);
    const index = formula.measured?.indices[point] ?? 0;
    const predicted = now.predicted[index];
    const isOfCurve = formula.axis && span.dataset.point === undefined;
    const measured = formula.measured?.groups?.[point] ? NaN : (formula.measured?.value[point] ?? NaN);
    const ratio = isOfCurve ? now.ratio : measured / predicted;
    switch (span.dataset.shows) {
      case "predicted":
        return isOfCurve ? ends(now.predicted, formula) : amount(predicted, formula);
      case "ratio":
        return times(ratio);
      case "interval": {
        const range = interval(formula, now.inputs);
        return range ? between(range[0][index], range[1][index], predicted, formula) : "–";
      }
      default:
        return span.dataset.sealed;
    }
  }
})();

// The page's figures, which are pictures: what the changed inputs and formulas predict is drawn over them.
// Where a figure's axes and predictions lie comes from reckon/show/figures/places.py.
(() => {
  "use strict";

  const { byQuantity } = window.reckon.formulas;
  const { element, svg } = window.reckon.elements;
  const { onChange, isEdited, changedOf, compute } = window.reckon.edits;

  const SIDES = ["left", "top", "width", "height"];

  /** A value's share of its axis, from the left end or from the bottom one. */
  function share(value, { logarithmic, limits }) {
    const map = logarithmic ? Math.log : (number) => number;
    const [low, high] = limits.map(map);
    return (map(value) - low) / (high - low);
  }

  const percent = (part) => (100 * part).toFixed(2);
  const clamped = (part) => Math.min(1, Math.max(0, part));

  /** In the colour of its curve, where the figure has several. */
  function line(points, colour) {
    const corners = points.map((point) => point.map(percent).join()).join(" ");
    return svg("polyline", { points: corners, ...(colour && { class: "is-one-of-several", stroke: colour }) });
  }

  /** The changed prediction as a curve, a line across the axes, or a mark in its row. */
  function drawn({ along, at, index, colour }, predicted, places) {
    if (index === null) {
      const points = predicted.map((value, k) => [at[k], 1 - share(value, places)]);
      return line(points.filter((point) => point.every(Number.isFinite)), colour);
    }
    const position = clamped(share(predicted[index], places));
    if (!Number.isFinite(position)) return null;
    if (at.length) {
      const style = `left: ${percent(position)}%; top: ${percent(at[0])}%`;
      return element("span", { class: "what-if-mark", style });
    }
    const ends = along === "x" ? [[position, 0], [position, 1]] : [[0, 1 - position], [1, 1 - position]];
    return line(ends, colour);
  }

  /** The box over the axes of a figure, in which its changed predictions are drawn. */
  function overlayOf(places) {
    const box = element("span", { class: "what-if-over", "aria-hidden": "true" });
    for (const width of ["wide", "narrow"]) {
      SIDES.forEach((side, k) => box.style.setProperty(`--${width}-${side}`, `${percent(places[width][k])}%`));
    }
    return box;
  }

  let figures = null; // each with its places, and the box over it

  function findFigures() {
    return [...document.querySelectorAll("picture[data-places]")].map((picture) => {
      const places = JSON.parse(picture.dataset.places);
      const frame = element("span", { class: "what-if-figure" });
      picture.replaceWith(frame);
      frame.append(picture);
      return { frame, places, box: overlayOf(places) };
    });
  }

  function show({ frame, places, box }) {
    const edited = places.predictions
      .map((place) => [place, byQuantity.get(place.quantity)])
      .filter(([, formula]) => formula && isEdited(formula));
    const nodes = edited
      .map(([place, formula]) => drawn(place, compute(formula).predicted, places))
      .filter(Boolean);
    if (!nodes.length) {
      box.remove();
      return;
    }
    const isLine = (node) => node.localName === "polyline";
    const lines = svg("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none" }, ...nodes.filter(isLine));
    const marks = nodes.filter((node) => !isLine(node));
    const formulas = [...new Set(edited.map(([, formula]) => formula))];
    box.replaceChildren(lines, ...marks, element("small", {}, `with your ${changedOf(formulas)}`));
    if (!box.isConnected) frame.append(box);
  }

  onChange(() => {
    figures ??= findFigures();
    figures.forEach(show);
  });
})();

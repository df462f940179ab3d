// The picture of a curve in a What if? panel: as sealed, with the changed inputs, and as measured.
window.reckon.curve = (() => {
  "use strict";

  const { amount, ends, measuredEnds } = window.reckon.numbers;
  const { element, svg } = window.reckon.elements;
  const { changedOf } = window.reckon.edits;

  const WIDTH = 360;
  const HEIGHT = 190;
  const EDGE = { left: 50, right: 12, top: 8, bottom: 22 };

  /** Maps values onto pixels from `start` to `end`, logarithmically over more than a decade. */
  function scale(values, start, end) {
    const known = values.filter(Number.isFinite);
    let [low, high] = [Math.min(...known), Math.max(...known)];
    const isLogarithmic = low > 0 && high / low > 10;
    if (!isLogarithmic && low > 0 && start > end) low = 0; // heights begin at 0
    if (low === high) high = low + (Math.abs(low) || 1);
    const map = isLogarithmic ? Math.log : (value) => value;
    const at = (value) => start + ((end - start) * (map(value) - map(low))) / (map(high) - map(low));
    const middle = isLogarithmic ? Math.sqrt(low * high) : (low + high) / 2;
    return { at, ticks: [low, middle, high] };
  }

  const pixel = (value) => value.toFixed(1);

  /** A curve through values at the positions of the axis, without those that are unknown. */
  function curveLine(name, values, positions, { x, y }) {
    const points = values
      .map((value, k) => [x.at(positions[k]), y.at(value)])
      .filter((point) => point.every(Number.isFinite))
      .map((point) => point.map(pixel).join());
    return svg("polyline", { class: name, points: points.join(" ") });
  }

  /** The area between the ends of an interval, as far as it lies in the picture. */
  function curveInterval([lows, highs], positions, { x, y }) {
    const inside = (value) => Math.min(Math.max(value || 0, EDGE.top), HEIGHT - EDGE.bottom);
    const side = (values) => values.map((value, k) => `${pixel(x.at(positions[k]))},${pixel(inside(y.at(value)))}`);
    return svg("polygon", { class: "interval", points: [...side(lows), ...side(highs).reverse()].join(" ") });
  }

  function curveLabels(axis, formula, { x, y }) {
    const alignments = ["start", "middle", "end"];
    const below = x.ticks.map((value, k) =>
      svg("text", { x: x.at(value), y: HEIGHT - 6, "text-anchor": alignments[k] }, amount(value, axis)),
    );
    const beside = y.ticks.map((value) =>
      svg("text", { x: EDGE.left - 4, y: y.at(value) + 3, "text-anchor": "end" }, amount(value, formula, 2)),
    );
    return [...below, ...beside];
  }

  /** Measured points, the sealed and the present curve, and the present one's interval if it is known. */
  function curve(formula, now, range) {
    const axis = window.reckon.data.inputs[formula.inputs[formula.axis]];
    const { measured, sealed } = formula;
    const shown = [...now.predicted, ...sealed.value, ...(measured?.value ?? [])];
    const scales = {
      x: scale(axis.value, EDGE.left, WIDTH - EDGE.right),
      y: scale(shown, HEIGHT - EDGE.bottom, EDGE.top),
    };
    const dots = (measured?.indices ?? [])
      .flatMap((index, k) => {
        const values = measured.groups?.[k]?.medians ?? [measured.value[k]];
        return values.map((value) => ({ cx: scales.x.at(axis.value[index]), cy: scales.y.at(value) }));
      })
      .filter(({ cy }) => Number.isFinite(cy))
      .map((at) => svg("circle", { class: "measured", r: 2.5, ...at }));
    const down = HEIGHT - EDGE.bottom;
    const name = `${formula.label}: predicted ${ends(now.predicted, formula)}`;
    const picture = svg(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: "img",
        "aria-label": measured ? `${name}, measured ${measuredEnds(formula)}` : name,
      },
      ...(range ? [curveInterval(range, axis.value, scales)] : []),
      svg("path", { class: "frame", d: `M${EDGE.left} ${EDGE.top}V${down}H${WIDTH - EDGE.right}` }),
      curveLine("sealed", sealed.value, axis.value, scales),
      curveLine("predicted", now.predicted, axis.value, scales),
      ...dots,
      ...curveLabels(axis, formula, scales),
    );
    const legend = element(
      "p",
      {},
      element("span", { class: "predicted" }, `— with your ${changedOf([formula])} `),
      element("span", { class: "sealed" }, "┄ sealed "),
      measured ? element("span", { class: "measured" }, "● measured") : null,
    );
    return element("div", { class: "what-if-curve" }, picture, legend);
  }

  return { curve };
})();

// The What if? panels of a page: inputs of its predictions are changed there, and what they predict
// follows, in the panels and in the page's own numbers. formulas.js computes and prints.
(() => {
  "use strict";

  const { load, formulas, inputsOf, valuesOf, along, interval, ratioOf, median } = window.reckonFormulas;
  const { sensitivity, needed, number, plain, amount, between, ends, times, howFar } =
    window.reckonFormulas;
  let data; // of the page: its inputs and formulas

  // --- the state of the page ------------------------------------------------------------------

  const edits = new Map(); // the changed inputs: their value in base units by their shared number
  const panels = [];

  const given = (shared) => data.inputs.find((input) => input.shared === shared);
  const currentValue = (shared) => edits.get(shared) ?? given(shared).value;

  /** The shared numbers of a formula's inputs that can be changed. */
  const sharedOf = (formula) =>
    Object.values(formula.inputs)
      .map((number) => data.inputs[number])
      .filter((input) => input.slider)
      .map((input) => input.shared);

  const isEdited = (formula) => sharedOf(formula).some((shared) => edits.has(shared));

  const computed = new Map(); // what each formula predicts with the changed inputs

  function compute(formula) {
    if (!computed.has(formula)) computed.set(formula, computeAgain(formula));
    return computed.get(formula);
  }

  function computeAgain(formula) {
    const inputs = inputsOf(formula, edits);
    const values = valuesOf(inputs);
    const predicted = along(formula, "predicted", values);
    return {
      inputs,
      predicted,
      hardware: along(formula, "hardware", values),
      software: along(formula, "software", values),
      ratio: ratioOf(formula, predicted),
    };
  }

  const sealedRatio = (formula) => ratioOf(formula, formula.sealed.value);

  function change(shared, value) {
    if (value === given(shared).value) edits.delete(shared);
    else edits.set(shared, value);
    refresh([shared]);
  }

  function reset() {
    const changed = [...edits.keys()];
    edits.clear();
    refresh(changed);
  }

  /** Brings all that depends on these inputs up to date: panels and the numbers in the page. */
  function refresh(changed) {
    computed.clear();
    for (const panel of panels) panel.refresh(changed);
    for (const span of document.querySelectorAll("span[data-quantity][data-shows]")) {
      const formula = formulas.get(span.dataset.quantity);
      if (formula && sharedOf(formula).some((shared) => changed.includes(shared))) follow(span, formula);
    }
    document.querySelectorAll("[data-track]").forEach(followOnTrack);
  }

  /** Moves the prediction on the logarithmic line of an answer box, whose scale its marks show. */
  function followOnTrack(track) {
    const formula = formulas.get(track.dataset.track);
    if (!formula?.measured || formula.axis) return;
    const at = (mark) => parseFloat(track.style.getPropertyValue(`--${mark}`));
    track.dataset.sealed ??= at("predicted");
    const start = Number(track.dataset.sealed);
    const [sealed, measured] = [formula.sealed.value[0], formula.measured.value[0]];
    const scale = (at("measured") - start) / Math.log(measured / sealed);
    const place = start + scale * Math.log(compute(formula).predicted[0] / sealed);
    const isKnown = isEdited(formula) && Number.isFinite(place);
    const shown = isKnown ? Math.min(100, Math.max(0, place)) : start;
    track.style.setProperty("--predicted", `${shown.toFixed(1)}%`);
  }

  /** Shows the changed prediction in a number of the page; unchanged, what was sealed. */
  function follow(span, formula) {
    span.dataset.sealed ??= span.textContent;
    span.classList.toggle("what-if-changed", isEdited(formula));
    span.textContent = isEdited(formula) ? shown(span, formula) : span.dataset.sealed;
  }

  function shown(span, formula) {
    const now = compute(formula);
    const point = Number(span.dataset.point ?? 0);
    const place = formula.measured?.places[point] ?? 0;
    const predicted = now.predicted[place];
    const isOfCurve = formula.axis && span.dataset.point === undefined;
    const ratio = isOfCurve ? now.ratio : (formula.measured?.value[point] ?? NaN) / predicted;
    switch (span.dataset.shows) {
      case "predicted":
        return isOfCurve ? ends(now.predicted, formula) : amount(predicted, formula);
      case "ratio":
        return times(ratio);
      case "verdict":
        return howFar(ratio);
      case "interval": {
        const range = interval(formula, now.inputs);
        return range ? between(range[0][place], range[1][place], predicted, formula) : "–";
      }
      default:
        return span.dataset.sealed;
    }
  }

  // --- building elements ----------------------------------------------------------------------

  let counter = 0;
  const newId = () => `what-if-${++counter}`;

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== undefined) made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  const withUnit = (value, input) => `${plain(value / input.unit.factor)} ${input.unit.spoken}`.trim();

  /** A value as it stands in a field: a whole number in full, another in four digits. */
  function inField(value, input) {
    const shown = value / input.unit.factor;
    const whole = Math.round(shown);
    return Math.abs(shown - whole) <= 1e-9 * Math.abs(shown) ? whole : Number(shown.toPrecision(4));
  }

  // --- one input ------------------------------------------------------------------------------

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

  // --- one quantity ---------------------------------------------------------------------------

  const TRACK_MARGIN = 2; // a track reaches this factor beyond the sealed and the measured value

  /** The predicted, sealed and measured value on a logarithmic line. */
  function track(formula, now) {
    const middle = (values, places) => median(places.map((place) => values[place]).filter(Number.isFinite));
    const places = formula.measured?.places ?? formula.sealed.value.map((_, k) => k);
    const marks = {
      sealed: middle(formula.sealed.value, places),
      measured: formula.measured ? median(formula.measured.value) : NaN,
      predicted: middle(now.predicted, places),
    };
    const fixed = [marks.sealed, marks.measured].filter((value) => value > 0);
    const all = [...fixed.flatMap((v) => [v / TRACK_MARGIN, v * TRACK_MARGIN]), marks.predicted];
    const positive = all.filter((value) => value > 0 && Number.isFinite(value));
    const [low, high] = [Math.min(...positive), Math.max(...positive)];
    const line = element("span", { class: "what-if-track", "aria-hidden": "true" });
    for (const [name, value] of Object.entries(marks)) {
      if (!(value > 0 && Number.isFinite(value))) continue;
      const share = high > low ? Math.log(value / low) / Math.log(high / low) : 0.5;
      line.append(element("span", { class: name, style: `left: ${(96 * share + 2).toFixed(1)}%` }));
    }
    return line;
  }

  /** A quantity of a panel: a line with its numbers, and below it what they are made of. */
  function resultBox(formula, isAlone) {
    const line = element("summary");
    const body = element("div", { class: "what-if-body" });
    const box = element("details", { class: "what-if-result", ontoggle: () => show() }, line, body);
    if (isAlone) box.open = true;

    const drawing = element("div");
    const list = element("ul");
    const effects = element("div");
    body.append(drawing, list, effects);
    let range = null; // of a curve: the interval that is drawn

    function show() {
      const now = compute(formula);
      const { measured } = formula;
      const predicted = element("span", { class: "predicted" }, ends(now.predicted, formula));
      const value = measured
        ? element("span", { class: "measured" }, ends(measured.value, formula))
        : element("span", {}, "not measured");
      const ratio = element("b", {}, times(now.ratio));
      const before = element("small", {}, `sealed ${times(sealedRatio(formula))}`);
      line.replaceChildren(
        element("span", { class: "what-if-name" }, formula.label),
        track(formula, now),
        element("span", { class: "what-if-values" }, predicted, " → ", value),
        element("span", { class: "what-if-ratio" }, ratio, before),
      );
      if (!box.open) return;
      list.replaceChildren(...sentences(formula, now));
      if (formula.axis) drawing.replaceChildren(curve(formula, now, range));
      later.add(result);
      startLater();
    }

    /** What takes longer: the interval of a curve, and what each input does. */
    function showMore() {
      const now = compute(formula);
      if (formula.axis) {
        range = interval(formula, now.inputs);
        drawing.replaceChildren(curve(formula, now, range));
      }
      effects.replaceChildren(effectsTable(formula, now) ?? "");
    }

    const result = { box, formula, show, showMore };
    return result;
  }

  const later = new Set(); // results of which more is to be shown
  let laterTimer = null;

  /** Shows more of one result after another, between which the page can be used. */
  function startLater() {
    laterTimer ??= setTimeout(() => {
      laterTimer = null;
      const [result] = later;
      later.delete(result);
      if (result.box.open && result.box.isConnected) result.showMore();
      if (later.size) startLater();
    });
  }

  /** The numbers of a quantity: predicted with interval and parts, sealed, measured, ratio. */
  function sentences(formula, now) {
    const { sealed, measured } = formula;
    const list = [];
    const item = (...content) => list.push(element("li", {}, ...content));
    if (!formula.axis) {
      const range = interval(formula, now.inputs);
      const width = range ? ` (${between(range[0][0], range[1][0], now.predicted[0], formula)})` : "";
      const predicted = amount(now.predicted[0], formula);
      item("predicted ", element("b", {}, predicted), width, partsText(formula, now));
    }
    item(`sealed ${ends(sealed.value.filter(Number.isFinite), formula)}`);
    if (!measured) {
      item(formula.reason ? `not measured: ${formula.reason}` : "not measured yet");
      return list;
    }
    const [value, low, high] = [measured.value[0], measured.low?.[0], measured.high?.[0]];
    const width = Number.isFinite(low) ? ` (${between(low, high, value, formula)})` : "";
    item(`measured ${formula.axis ? ends(measured.value, formula) : amount(value, formula) + width}`);
    if (now.ratio > 0 && now.ratio < Infinity) {
      const median = formula.axis ? ", by the median over its points: " : ": ";
      item(element("b", {}, times(now.ratio)), median, howFar(now.ratio));
    }
    return list;
  }

  function partsText(formula, { hardware, software }) {
    if (hardware && software) {
      return `: hardware ${amount(hardware[0], formula)} + software ${amount(software[0], formula)}`;
    }
    return hardware && formula.kind === "rate" ? `: hardware alone ${amount(hardware[0], formula)}` : "";
  }

  /** How far each input's interval moves the prediction, and where it alone would meet it. */
  function effectsTable(formula, now) {
    const moves = sensitivity(formula, now.inputs);
    if (!moves.length) return null;
    const logs = moves.flatMap(({ low, high }) => [low, high]).map(Math.log);
    const most = Math.max(0.1, ...logs.filter(Number.isFinite).map(Math.abs));
    const percentAt = (log) => 50 + (50 * Math.max(-most, Math.min(most, log))) / most;
    const rows = moves.map(({ name, low, high }) => {
      const input = now.inputs[name];
      const [left, right] = [Math.min(low, high), Math.max(low, high)].map(Math.log).map(percentAt);
      const extent = element("span", { style: `left: ${left}%; width: ${Math.max(1, right - left)}%` });
      const bar = element("span", { class: "what-if-bar", "aria-hidden": "true" }, extent);
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, input.label),
        element("td", {}, bar, `${times(low)} to ${times(high)}`),
        element("td", {}, meetsText(formula, now, name)),
      );
    });
    const head = (text) => element("th", { scope: "col" }, text);
    return element(
      "table",
      { class: "what-if-effects" },
      element(
        "thead",
        {},
        element("tr", {}, head("input"), head("its interval moves the prediction"), head("alone would meet it at")),
      ),
      element("tbody", {}, ...rows),
    );
  }

  /** The value with which a guess alone would meet the measurement; a dash without one. */
  function meetsText(formula, now, name) {
    const input = now.inputs[name];
    if (!formula.measured || input.origin !== "guess") return "–";
    const value = needed(formula, now.inputs, name);
    if (value === undefined) return "–";
    const isOutside = value < input.low || value > input.high;
    return `${withUnit(value, input)}${isOutside ? ", outside its interval" : ""}`;
  }

  // --- the picture of a curve -----------------------------------------------------------------

  const WIDTH = 360;
  const HEIGHT = 190;
  const EDGE = { left: 50, right: 12, top: 8, bottom: 22 };

  function svg(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

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

  /** A curve through values at the places of the axis, without those that are unknown. */
  function curveLine(name, values, places, { x, y }) {
    const points = values
      .map((value, k) => [x.at(places[k]), y.at(value)])
      .filter((point) => point.every(Number.isFinite))
      .map((point) => point.map(pixel).join());
    return svg("polyline", { class: name, points: points.join(" ") });
  }

  /** The area between the ends of an interval, as far as it lies in the picture. */
  function curveInterval([lows, highs], places, { x, y }) {
    const inside = (value) => Math.min(Math.max(value || 0, EDGE.top), HEIGHT - EDGE.bottom);
    const side = (values) => values.map((value, k) => `${pixel(x.at(places[k]))},${pixel(inside(y.at(value)))}`);
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
    const axis = data.inputs[formula.inputs[formula.axis]];
    const { measured, sealed } = formula;
    const shown = [...now.predicted, ...sealed.value, ...(measured?.value ?? [])];
    const scales = {
      x: scale(axis.value, EDGE.left, WIDTH - EDGE.right),
      y: scale(shown, HEIGHT - EDGE.bottom, EDGE.top),
    };
    const dots = (measured?.places ?? [])
      .map((place, k) => ({ cx: scales.x.at(axis.value[place]), cy: scales.y.at(measured.value[k]) }))
      .filter(({ cy }) => Number.isFinite(cy))
      .map((at) => svg("circle", { class: "measured", r: 2.5, ...at }));
    const down = HEIGHT - EDGE.bottom;
    const name = `${formula.label}: predicted ${ends(now.predicted, formula)}`;
    const picture = svg(
      "svg",
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: "img",
        "aria-label": measured ? `${name}, measured ${ends(measured.value, formula)}` : name,
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
      element("span", { class: "predicted" }, "— with your inputs "),
      element("span", { class: "sealed" }, "┄ sealed "),
      measured ? element("span", { class: "measured" }, "● measured") : null,
    );
    return element("div", { class: "what-if-curve" }, picture, legend);
  }

  // --- what is copied -------------------------------------------------------------------------

  const exact = (value, input) => String(Number((value / input.unit.factor).toPrecision(12)));
  const lastPart = (quantity) => quantity.slice(quantity.lastIndexOf("/") + 1);
  const editedFormulas = () => [...formulas.values()].filter(isEdited);

  /** The changed inputs of a formula: [name, input, value]. */
  const changesOf = (formula) =>
    Object.entries(formula.inputs)
      .map(([name, number]) => [name, data.inputs[number]])
      .filter(([, input]) => input.slider && edits.has(input.shared))
      .map(([name, input]) => [name, input, edits.get(input.shared)]);

  /** The address of this page with the changed inputs, each by the first quantity that has it. */
  function link() {
    const written = new Set();
    const changes = new URLSearchParams();
    for (const formula of editedFormulas()) {
      for (const [name, input, value] of changesOf(formula)) {
        if (written.has(input.shared)) continue;
        written.add(input.shared);
        changes.append(`${lastPart(formula.quantity)}.${name}`, exact(value, input));
      }
    }
    return `${location.href.split("#")[0]}${LINK}${changes}`;
  }

  const LINK = "#what-if=";

  /** Takes over the changed inputs of an address. */
  function followLink() {
    if (!location.hash.startsWith(LINK)) return;
    const changed = [...edits.keys()];
    edits.clear();
    for (const [place, text] of new URLSearchParams(location.hash.slice(LINK.length))) {
      const [quantity, name] = place.split(".");
      const formula = [...formulas.values()].find((one) => lastPart(one.quantity) === quantity);
      const input = data.inputs[formula?.inputs[name]];
      const value = Number(text) * input?.unit.factor;
      if (!input?.slider || !Number.isFinite(value)) continue;
      edits.set(input.shared, value);
      changed.push(input.shared);
    }
    refresh(changed);
    const panel = panels.find((one) => one.shared.some((shared) => edits.has(shared)));
    if (!panel) return;
    panel.open();
    panel.box.scrollIntoView({ block: "center" });
  }

  /** The changed predictions as a file. */
  function predictionsToml() {
    const lines = [`# Changed on the page ${data.experiment} of the run ${data.run}.`];
    for (const formula of editedFormulas()) {
      lines.push("", `["${formula.quantity}"]`);
      for (const [name, input, value] of changesOf(formula)) {
        const amountOf = (one) => `${exact(one, input)} ${input.author_unit}`;
        lines.push(`${name} = "${amountOf(value)}"  # instead of ${amountOf(input.value)}`);
      }
    }
    return `${lines.join("\n")}\n`;
  }

  const quoted = (text) => JSON.stringify(text);

  /** An input as a notebook writes it. */
  function inputCode(input, value) {
    const text = (one) => exact(one, input);
    const unit = quoted(input.author_unit);
    const source = quoted(input.author_source);
    if (input.origin === "axis") {
      return `rk.axis([${input.value.map(text).join(", ")}], ${unit}, ${source})`;
    }
    const bounds = `low=${text(Math.min(input.low ?? value, value))}, high=${text(Math.max(input.high ?? value, value))}`;
    const isAsGiven = value === input.value;
    if (input.origin === "given" && (isAsGiven || input.low === undefined)) {
      return `rk.given(${text(value)}, ${unit}, ${source}${input.low === undefined ? "" : `, ${bounds}`})`;
    }
    const guess = `rk.guess(${text(value)}, ${unit}, ${source}, ${bounds})`;
    if (!isAsGiven || (input.origin !== "measured" && input.origin !== "machine")) return guess;
    const place = input.at_end ? ", at_end=True" : "";
    return `rk.${input.origin}(${quoted(input.reference)}, otherwise=${guess}${place})`;
  }

  /** A cell that defines and shows each changed prediction of these formulas. */
  function notebookCell(some) {
    const cells = some.filter(isEdited).map((formula) => {
      const name = `${lastPart(formula.quantity).replace(/\W/g, "_")}_what_if`;
      const kind = formula.kind === "sum" ? "" : `, kind=${quoted(formula.kind)}`;
      const names = Object.keys(formula.inputs);
      const parts = Object.entries(formula.python);
      const inputs = names.map((input) => {
        const one = data.inputs[formula.inputs[input]];
        return `    ${input}=${inputCode(one, edits.get(one.shared) ?? one.value)},`;
      });
      return [
        `@rk.predict(${quoted(formula.quantity)}, unit=${quoted(formula.author_unit)}${kind})`,
        `def ${name}(${names.join(", ")}):`,
        ...parts.map(([part, text]) => `    ${part} = ${text}`),
        `    return ${parts.map(([part]) => part).join(", ")}`,
        "",
        `${name}_here = ${name}(`,
        ...inputs,
        ")",
        `rk.show.prediction(${name}_here, ${quoted(formula.label)})`,
      ].join("\n");
    });
    return `${cells.join("\n\n")}\n`;
  }

  // --- a panel --------------------------------------------------------------------------------

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
    const isNear = (ratio) => ratio > 1 / data.rules.near && ratio < data.rules.near;
    const measured = quantities.filter((formula) => formula.measured);
    const near = measured.filter((formula) => isNear(compute(formula).ratio)).length;
    const sealed = measured.filter((formula) => isNear(sealedRatio(formula))).length;
    return (
      `With your inputs ${changed.length} of ${quantities.length} predictions change; ${near} of ` +
      `${measured.length} lie within ${data.rules.near} times of the measurement (sealed ${sealed}).`
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
    const own = names.map((name) => formulas.get(name)).filter(Boolean);
    const shared = [...new Set(own.flatMap(sharedOf))];
    if (!shared.length) return;
    const one = `Change the prediction: ${anchor.dataset.what || own[0].label}`;
    const title = own.length === 1 ? one : `Change these ${own.length} predictions`;
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
      rows = shared.map((one) => inputRow(one, labelOf(one, own)));
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

    function refresh(changed) {
      if (!box.open) {
        rows = []; // made again when it is opened
        content.replaceChildren();
        return;
      }
      if (!shared.some((one) => changed.includes(one))) return;
      rows.filter((row) => changed.includes(row.shared)).forEach((row) => row.show());
      results
        .filter(({ formula }) => sharedOf(formula).some((one) => changed.includes(one)))
        .forEach((result) => result.show());
      say(report(own));
    }

    panels.push({ box, shared, open, refresh });
    anchor.append(box);
  }

  // --- the page -------------------------------------------------------------------------------

  function start() {
    const source = document.querySelector("script.reckon-formulas");
    if (!source) return;
    data = load(JSON.parse(source.textContent));
    document.querySelectorAll(".reckon-what-if").forEach(makePanel);
    followLink();
    window.addEventListener("hashchange", followLink);
  }

  document.addEventListener("DOMContentLoaded", start);
})();

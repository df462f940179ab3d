// One quantity of a What if? panel: predicted with the changed inputs, sealed and measured.
window.reckon.results = (() => {
  "use strict";

  const { along, interval, laterValuesOf, median, sensitivity, needed } = window.reckon.formulas;
  const { amount, between, ends, measuredAndInterval, measuredEnds, number, times, howFar, withUnit } = window.reckon.numbers;
  const { compute, edits, sealedRatio, texts, textsOf, changeText } = window.reckon.edits;
  const { element } = window.reckon.elements;
  const { curve } = window.reckon.curve;
  const { FormulaError } = window.reckon.formulaText;

  const { filled, joined } = window.reckon.words;

  const TRACK_MARGIN = 2; // a track reaches this factor beyond the sealed and the measured value

  /** The predicted, sealed and measured value on a logarithmic line. */
  function track(formula, now) {
    const middle = (values, indices) => median(indices.map((index) => values[index]).filter(Number.isFinite));
    const indices = formula.measured?.indices ?? formula.sealed.value.map((_, k) => k);
    const groups = formula.axis ? undefined : formula.measured?.groups?.[0].medians;
    const measured = groups ?? (formula.measured ? [median(formula.measured.value)] : []);
    const sealed = middle(formula.sealed.value, indices);
    const predicted = middle(now.predicted, indices);
    const marks = [["sealed", sealed], ...measured.map((value) => ["measured", value]), ["predicted", predicted]];
    const fixed = [sealed, ...measured].filter((value) => value > 0);
    const all = [...fixed.flatMap((v) => [v / TRACK_MARGIN, v * TRACK_MARGIN]), predicted];
    const positive = all.filter((value) => value > 0 && Number.isFinite(value));
    const [low, high] = [Math.min(...positive), Math.max(...positive)];
    const line = element("span", { class: "what-if-track", "aria-hidden": "true" });
    for (const [name, value] of marks) {
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
    const editor = formulaEditor(formula);
    body.append(drawing, list, effects, editor.box);
    let range = null; // of a curve: the interval that is drawn

    function show(isReset = false) {
      const now = compute(formula);
      const { measured } = formula;
      const predicted = element("span", { class: "predicted" }, ends(now.predicted, formula));
      const value = measured
        ? element("span", { class: "measured" }, measuredEnds(formula))
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
      editor.show(isReset);
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

  /** The arithmetic of a quantity, a field for each part; a mistake is said below. */
  function formulaEditor(formula) {
    const fault = element("output", { class: "what-if-fault", "aria-live": "polite" });
    const fields = Object.entries(textsOf(formula)).map(([part, text]) => {
      const field = element("input", {
        type: "text",
        value: text,
        spellcheck: "false",
        autocapitalize: "off",
        autocomplete: "off",
        oninput: () => {
          try {
            changeText(formula, part, field.value);
            fault.textContent = "";
          } catch (error) {
            if (!(error instanceof FormulaError)) throw error;
            fault.textContent = `${error.message} The numbers are as before it.`;
          }
          field.setAttribute("aria-invalid", fault.textContent !== "");
        },
      });
      return { part, field };
    });
    const lines = fields.map(({ part, field }) => element("label", {}, `${part} = `, field));
    const names = element("small", {}, `Inputs: ${Object.keys(formula.inputs).join(", ")}`);
    const box = element(
      "details",
      { class: "what-if-formula" },
      element("summary", {}, "Change the formula"),
      ...lines,
      names,
      fault,
    );
    function show(isReset) {
      const isRefused = ({ field }) => field.getAttribute("aria-invalid") === "true";
      if (!isReset && fields.some(isRefused)) return; // it stays as it was typed
      for (const { part, field } of fields) {
        if (document.activeElement === field) continue;
        field.value = textsOf(formula)[part];
        field.setAttribute("aria-invalid", "false");
      }
      if (texts.has(formula)) box.open = true;
      if (!fields.some(({ field }) => document.activeElement === field)) fault.textContent = "";
    }
    return { box, show };
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
      const isAmount = Object.keys(formula.dimension).length > 0;
      if (isAmount && range && range[0][0] < 0) item(window.reckon.data.rules.impossible.interval);
    }
    const since = sinceSealed(formula, now);
    if (since) item(since);
    item(`sealed ${ends(sealed.value.filter(Number.isFinite), formula)}`);
    if (!measured) {
      item(formula.reason ? `not measured: ${formula.reason}` : "not measured yet");
      return list;
    }
    const [text, width] = measuredAndInterval(formula);
    const one = width ? `${text} (${width})` : text;
    item(`measured ${formula.axis ? measuredEnds(formula) : one}`);
    const settings = formula.settings.map((name) => window.reckon.data.inputs[formula.inputs[name]]);
    const amounts = settings.filter(({ shared }) => edits.has(shared)).map((input) => `${input.label} = ${withUnit(input.value, input)}`);
    if (amounts.length) item(filled(window.reckon.data.rules.measured_at, { amounts: joined(amounts) }));
    if (now.ratio > 0 && now.ratio < Infinity) {
      const median = formula.axis ? ", by the median over its points: " : ": ";
      item(element("b", {}, times(now.ratio)), median, howFar(now.ratio));
    }
    return list;
  }

  /** Which measured inputs have moved since the prediction was sealed, as reckon/show/formulas.py has it. */
  function sinceSealed(formula, now) {
    const { sealed_before: start, least_moved: least } = window.reckon.data.rules;
    const later = Object.values(now.inputs).filter((input) => input.later !== undefined);
    const share = (input) => Math.abs(input.later / input.value - 1);
    const moved = later.filter((input) => share(input) >= least);
    if (!moved.length) return "";
    const names = joined(moved.map((input) => `“${input.label}” by ${number(100 * share(input), 2)} %`));
    const value = ends(along(formula, "predicted", laterValuesOf(now.inputs)), formula);
    return `${start} Inputs that were measured again differ: ${names}. With the later values the prediction would be ${value}.`;
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
      const [least, largest] = [Math.min(low, high), Math.max(low, high)];
      const [left, right] = [least, largest].map(Math.log).map(percentAt);
      const extent = element("span", { style: `left: ${left}%; width: ${Math.max(1, right - left)}%` });
      const bar = element("span", { class: "what-if-bar", "aria-hidden": "true" }, extent);
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, input.label),
        element("td", {}, bar, `${times(least)} to ${times(largest)}`),
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

  /** The value with which an input alone would meet the measurement; a dash without one. */
  function meetsText(formula, now, name) {
    const input = now.inputs[name];
    if (!formula.measured) return "–";
    const value = needed(formula, now.inputs, name);
    if (value === undefined) return "–";
    const isOutside = value < input.low || value > input.high;
    return `${withUnit(value, input)}${isOutside ? " (outside its interval)" : ""}`;
  }

  return { resultBox };
})();

// What the reader of the site has predicted: kept in the browser, apart for each run.
window.reckon.guesses = (() => {
  "use strict";

  const { run, near, miss } = window.reckonBook;
  const { number } = window.reckon.numbers;
  const { stored, store, isOfPage } = window.reckon.storage;

  const STORE = `reckon-guesses ${run}`;
  const SHOWN = `reckon-shown ${run}`; // quantities whose measured value was shown before it was forgotten
  const SWITCH = "reckon-predict-first";
  const NAME = "reckon-reader";
  const BROWSER = `reckon-browser ${run}`; // by which a teacher knows the files of one reader, until they are forgotten

  // By quantity: { measured, predicted, low, high } in base units and `text`, the same as amounts, without
  // `measured` of two groups; or { isSkipped } where the measured value was shown without a prediction;
  // `isFirst`: a second prediction is due, before anything is shown; with both, it was never made.
  const guesses = new Map(Object.entries(readGuesses()));

  function readGuesses() {
    try {
      return JSON.parse(stored(STORE)) ?? {};
    } catch {
      return {};
    }
  }

  const shown = () => (stored(SHOWN) ?? "").split(" ");

  function put(quantity, guess) {
    guesses.set(quantity, shown().includes(quantity) ? { ...guess, wasShown: true } : guess);
    return store(STORE, JSON.stringify(Object.fromEntries(guesses)));
  }

  function forget() {
    const seen = [...guesses.keys()].filter((quantity) => !guesses.get(quantity).isFirst);
    store(SHOWN, [...new Set([...shown(), ...seen])].join(" "));
    guesses.clear();
    store(STORE, "{}");
    store(BROWSER, "");
  }

  const isOpen = (quantity) => guesses.has(quantity) && !guesses.get(quantity).isFirst;
  const missing = (needs) => needs.filter((quantity) => !isOpen(quantity));

  /** Shows a quantity without another prediction; a first one stays, as a first one. */
  function skip(quantity) {
    return put(quantity, { ...guesses.get(quantity), isFirst: false, isSkipped: true });
  }

  function browser() {
    if (!stored(BROWSER)) store(BROWSER, Math.random().toString(36).slice(2));
    return stored(BROWSER);
  }

  const comparable = () => [...guesses.values()].filter(({ measured, isFirst }) => measured && !isFirst);

  /** Whether the interval holds the measured value; undefined without one. */
  const holds = ({ low, high, measured }) =>
    low === undefined ? undefined : low <= measured && measured <= high;

  /** One sentence on all predictions of the reader; "" without any. */
  function score() {
    const all = comparable();
    if (!all.length) return "";
    const factors = all.map(({ measured, predicted }) => Math.max(measured / predicted, predicted / measured));
    const within = (limit) => factors.filter((factor) => factor < limit).length;
    const typical = Math.exp(factors.map(Math.log).reduce((sum, log) => sum + log, 0) / factors.length);
    const intervals = all.map(holds).filter((held) => held !== undefined);
    const held = intervals.filter(Boolean).length;
    return (
      `${isOfPage ? "Here" : "On all pages"} you predicted ${all.length}: off by a factor of ${number(typical)} (geometric mean); ${within(near)} within ` +
      `${near} times, ${within(miss)} within ${miss} times` +
      (intervals.length ? `; ${held} of ${intervals.length} intervals held.` : ".")
    );
  }

  /** The amounts of a vote, named as those before a discussion. */
  function firstVote(text) {
    const named = ([name, amount]) => [name === "at" ? name : `first_${name}`, amount];
    return Object.fromEntries(Object.entries(text).map(named));
  }

  /** The reader's predictions as a predictions.toml, which `reckon class` and `reckon predict` read. */
  function toml(reader) {
    const again = [...guesses.values()].filter(({ wasShown, text }) => wasShown && text).length;
    const but = again ? `, but for ${again} shown in an earlier round` : "";
    const lines = [`# Predicted by a reader of the site before the measured values were shown${but}.`];
    lines.push("", "[reader]", `browser = "${browser()}"`, `written = "${new Date().toISOString()}"`);
    if (reader) lines.push(`name = ${JSON.stringify(reader)}`);
    for (const [quantity, { text, wasShown, isFirst, isSkipped }] of guesses) {
      if (!text) continue;
      lines.push("", `["${quantity}"]${wasShown ? "  # shown in an earlier round" : ""}`);
      const vote = isFirst || isSkipped ? firstVote(text) : text;
      for (const [name, amount] of Object.entries(vote)) lines.push(`${name} = ${JSON.stringify(amount)}`);
    }
    return `${lines.join("\n")}\n`;
  }

  return { guesses, put, skip, isOpen, missing, forget, holds, score, firstVote, toml, SWITCH, NAME };
})();

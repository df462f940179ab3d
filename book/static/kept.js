// The predictions that a reader has kept in What if? panels: in the browser, for all pages of a run.
window.reckon.kept = (() => {
  "use strict";

  const { byQuantity } = window.reckon.formulas;
  const { element, button } = window.reckon.elements;
  const { stored, store, isOfPage } = window.reckon.storage;
  const { isOfText, linesOf, fragment, linked, download, give, lastPart, lineFault } = window.reckon.copies;
  const { didYouMean } = window.reckon.words;

  const STORE = `reckon-kept ${window.reckonBook.run}`;
  const LINK = "#kept=";
  const SHOWN = "#what-if=";
  const MOST_BYTES = 1e6;
  // What a line of another page is checked by, which the pages do without until there is one.
  const INPUTS = document.currentScript.src.replace(/[^/]*$/, "inputs.js");
  const UNCHECKED = "the inputs of other pages cannot be read; add it on the page of each of its predictions.";
  const UNREADABLE = "What was kept before cannot be read; what you keep next replaces it.";

  // A line of a predictions.toml: { quantity, name, amount }, and its `change` where that is called otherwise.
  const isLine = (line) => ["quantity", "name", "amount"].every((key) => typeof line?.[key] === "string");

  /** All lines that are kept, and a `fault` if they cannot be read. */
  function read() {
    try {
      const lines = JSON.parse(stored(STORE) ?? "[]");
      if (lines.every(isLine)) return { lines };
    } catch {
      // It is said below.
    }
    return { lines: [], fault: UNREADABLE };
  }

  const listeners = []; // called when something else is kept
  let before = null; // the lines that the last change replaced

  /** Keeps these lines alone; the sentence, or that they are not stored. */
  function replace(lines, sentence) {
    before = read().lines;
    undo.title = `Takes back: ${sentence}`;
    return say(store(STORE, JSON.stringify(lines)) || sentence);
  }

  /** Keeps these lines in the place of others of the same quantities. */
  function add(lines, sentence) {
    const isNew = ({ quantity }) => lines.some((line) => line.quantity === quantity);
    return replace([...read().lines.filter((line) => !isNew(line)), ...lines], sentence);
  }

  const quantitiesOf = (lines) => [...new Set(lines.map(({ quantity }) => quantity))];
  const labelOf = (quantity) =>
    byQuantity.get(quantity)?.label ?? window.reckonBook.titles[quantity] ?? lastPart(quantity);
  const pageOf = (quantity) => quantity.slice(0, quantity.lastIndexOf("/"));
  const changeIn = ({ name, amount, change }) => change ?? `${name.replace(/_/g, " ")} = ${amount}`;

  /** The changes that the lines are of: { page, change, quantities }. One of an input is one for all
   * predictions of the page that share the input. */
  function changesIn(lines) {
    const changes = new Map();
    for (const line of lines) {
      const [page, change] = [pageOf(line.quantity), changeIn(line)];
      const key = [isOfText(line) ? line.quantity : page, change].join(" ");
      if (!changes.has(key)) changes.set(key, { page, change, quantities: [] });
      changes.get(key).quantities.push(line.quantity);
    }
    return [...changes.values()];
  }

  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
  const counted = (lines) =>
    `${count(changesIn(lines).length, "change")} (${count(quantitiesOf(lines).length, "prediction")})`;

  /** Keeps the changed predictions of the page; what is said of it. */
  function keep(formulas) {
    const lines = formulas.flatMap(linesOf);
    const where = isOfPage
      ? "“Kept” at the top of this page lists it; Firefox keeps those of each file apart, so take them along as a link or a file."
      : "“Kept” at the top of each page lists all.";
    return add(lines, `Kept ${counted(lines)}: ${where}`);
  }

  /** What is kept of these quantities: the texts of its changes, and the address that shows them; of each
   * `faulty` line its change, what is wrong with it, and what removes it. */
  function keptOf(quantities) {
    const all = read().lines;
    const own = all.filter(({ quantity }) => quantities.includes(quantity));
    const checked = own.map((line) => ({ line, fault: lineFault(line) }));
    const lines = checked.filter(({ fault }) => !fault).map(({ line }) => line);
    const faulty = checked.filter(({ fault }) => fault).map(({ line, fault }) => {
      const change = changeIn(line);
      const remove = () => replace(all.filter((each) => each !== line), `${change} is removed.`);
      return { change, fault, remove };
    });
    return { changes: changesIn(lines).map(({ change }) => change), address: fragment(SHOWN, lines), faulty };
  }

  // --- the file ------------------------------------------------------------------------------------

  /** The lines as a predictions.toml. */
  function toml(lines) {
    const tableOf = (quantity) => ["", `["${quantity}"]  # ${labelOf(quantity)}`, textOf(lines, quantity)];
    const tables = quantitiesOf(lines).flatMap(tableOf);
    const changes = changesIn(lines).map(({ page, change, quantities }) => `# ${change}: ${namesOf(quantities)} (${page})`);
    return ["# Changed in What if? panels, beside the measured values:", ...changes, ...tables, ""].join("\n");
  }

  const textOf = (lines, quantity) => lines.filter((line) => line.quantity === quantity).map(entryOf).join("\n");

  /** A line; behind it the change that it follows from, where that has another name. */
  function entryOf(line) {
    const { name, amount } = line;
    const isOwn = changeIn(line) === changeIn({ name, amount });
    return `${name} = ${JSON.stringify(amount)}${isOwn ? "" : `  # by ${changeIn(line)}`}`;
  }

  const HEAD = /^\[\s*(?:"([^"\\]+)"|'([^']+)'|([\w-]+))\s*\]\s*(?:#.*)?$/;
  const ENTRY = /^([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*')\s*(?:#(?: by (.+ = .+)|.*))?$/;
  const BARE = /^[\w-]+\s*=\s*([-+]?\d[\d.eE]*)$/;

  /** The lines of a predictions.toml. Throws an Error with a sentence on what is wrong with it. */
  function parsed(text) {
    const lines = [];
    const tables = [];
    let quantity;
    for (const [k, line] of text.split(/\r?\n/).map((raw) => raw.trim()).entries()) {
      const [, ...heads] = HEAD.exec(line) ?? [];
      const [, name, quoted, change] = ENTRY.exec(line) ?? [];
      const [, bare] = BARE.exec(line) ?? [];
      if (!line || line.startsWith("#")) continue;
      if (heads.length) tables.push((quantity = heads.find(Boolean)));
      else if (bare && quantity) throw new Error(`line ${k + 1}: ${bare} is no text; write "${bare}".`);
      else if (!quoted || !quantity) throw new Error(`line ${k + 1} is neither ["quantity"] nor name = "amount".`);
      else if (quantity !== "reader") lines.push({ quantity, name, amount: unquoted(quoted), change });
    }
    const empty = tables.find((table) => table !== "reader" && !lines.some((line) => line.quantity === table));
    if (empty) throw new Error(`${empty} has nothing under it; leave it out, or take the whole file again.`);
    return lines;
  }

  const unquoted = (text) => (text.startsWith("'") ? text.slice(1, -1) : JSON.parse(text));

  /** Throws an Error with a sentence on what is wrong with one of the lines. */
  async function check(lines) {
    if (!lines.length) throw new Error("it has no prediction.");
    if (!lines.every(({ quantity }) => byQuantity.has(quantity))) await readInputs();
    const line = lines.find(faultOf);
    if (line) throw Object.assign(new Error(faultOf(line)), { line });
    const places = lines.map(({ quantity, name }) => `${quantity} ${name}`);
    const twice = lines.find((_, k) => places.indexOf(places[k]) < k);
    if (twice) throw new Error(`${twice.quantity}: ${twice.name} is given twice; leave one out.`);
  }

  /** Reads window.reckonBook.inputs, once. */
  const readInputs = () =>
    new Promise((resolve, reject) => {
      const onerror = () => reject(new Error(UNCHECKED));
      if (window.reckonBook.inputs) resolve();
      else document.head.append(element("script", { src: INPUTS, onload: resolve, onerror }));
    });

  /** What is wrong with a line; "" without any. */
  function faultOf(line) {
    const { quantity, name } = line;
    if (!/^[^/\s]+(\/[^/\s]+)+$/.test(quantity)) return `“${quantity}” is no quantity such as cpu/syscall/getpid.`;
    const { inputs } = window.reckonBook;
    if (!byQuantity.has(quantity) && !inputs[quantity]) {
      return `${quantity} is no quantity of this book; ${didYouMean(quantity, Object.keys(inputs), "leave it out.")}`;
    }
    if (name === "predicted") return "it is of “Predict first”, which `reckon class` reads; it changes no input.";
    const fault = lineFault(line);
    return fault && `${quantity}: ${fault}`;
  }

  /** Keeps the lines of a file or an address. */
  async function addFrom(source, lines) {
    await check(lines);
    const kept = read().lines;
    const isKept = ({ quantity }) => textOf(lines, quantity) === textOf(kept, quantity);
    if (lines.every(isKept)) say(`All of ${source} is kept already.`);
    else add(lines, `${counted(lines)} of ${source} added.`);
  }

  async function take(file) {
    try {
      if (file.size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES / 1e6} MB.`);
      await addFrom(file.name, parsed(decoded(await file.arrayBuffer())));
    } catch (error) {
      say(`${file.name}: ${error instanceof SyntaxError ? "a text in quotes has a mistake." : error.message}`);
    }
  }

  function decoded(bytes) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      throw new Error("it is not UTF-8 text; save it as UTF-8.");
    }
  }

  // --- the list ------------------------------------------------------------------------------------

  const status = element("output", { "aria-live": "polite" });
  const text = element("textarea", { rows: 4, readonly: "", "aria-label": "Link to copy" });
  const list = element("ul");
  const file = element("input", {
    type: "file",
    accept: ".toml",
    hidden: "",
    onchange: () => file.files[0] && take(file.files[0]).then(() => (file.value = "")),
  });
  const undo = button("Undo", () => replace(before, "Undone."));
  const ofAll = [
    button("Download predictions.toml", () => download(toml(read().lines))),
    button("Copy link", () => give(`${location.href.split("#")[0]}${fragment(LINK, read().lines)}`, text, (said) => (status.textContent = said))),
    button("Remove all", () => replace([], "All are removed.")),
  ];
  const buttons = element(
    "p",
    {},
    undo,
    ...ofAll,
    button("Add a file …", () => file.click()),
    button("Close", () => dialog.close()),
  );
  const title = element("h2", { id: "kept-title" }, "Kept predictions");
  const dialog = element(
    "dialog",
    { class: "kept", "aria-labelledby": "kept-title", onclose: () => dialog.remove() },
    ...[title, status, list, buttons, text, file],
  );
  const opener = button("", () => open(), { class: "btn btn-sm kept-opener" });

  function say(sentence) {
    status.textContent = sentence;
    show();
    return sentence;
  }

  function show() {
    const { lines, fault } = read();
    const changes = changesIn(lines);
    list.replaceChildren(...changes.map((change) => entry(change, lines)));
    text.hidden = true;
    undo.hidden = before === null;
    ofAll.forEach((each) => (each.hidden = !lines.length));
    opener.textContent = lines.length ? `Kept ${changes.length}` : "Kept";
    opener.setAttribute("aria-label", `Kept predictions: ${changes.length}`);
    const none = "None is kept yet; change an input in a What if? panel and keep it, or add a file.";
    status.textContent ||= fault ?? (lines.length ? "" : none);
    if (dialog.open && !dialog.contains(document.activeElement)) dialog.querySelector("button:not([hidden])").focus();
    listeners.forEach((listener) => listener());
  }

  /** A few of the quantities by their names. */
  function namesOf(quantities) {
    const names = quantities.map(labelOf);
    return names.length > 4 ? `${names.slice(0, 3).join("; ")} and ${names.length - 3} more` : names.join("; ");
  }

  /** A change with the predictions that follow from it, which its link shows on their page. */
  function entry({ page, change, quantities }, lines) {
    const root = document.documentElement.dataset.content_root ?? "";
    const address = byQuantity.has(quantities[0]) ? "" : `${root}notebooks/${page}.html`;
    const shown = fragment(SHOWN, lines.filter(({ quantity }) => quantities.includes(quantity)));
    const isOf = (line) => changeIn(line) === change && quantities.includes(line.quantity);
    const remove = () => replace(lines.filter((line) => !isOf(line)), `${change} is removed.`);
    return element(
      "li",
      {},
      element("a", { href: `${address}${shown}`, onclick: () => dialog.close() }, change),
      `: ${namesOf(quantities)} `,
      element("small", {}, `(${page}) `),
      button("Remove", remove, { "aria-label": `Remove ${change}` }),
    );
  }

  function open() {
    status.textContent = "";
    if (dialog.open) return;
    document.body.append(dialog);
    show();
    dialog.showModal();
  }

  /** Keeps what the address carries, and shows it. */
  async function followLink() {
    const lines = linked(LINK);
    if (!lines) return;
    history.replaceState(null, "", location.href.split("#")[0]);
    open();
    try {
      await addFrom("the address", lines);
    } catch ({ line, message }) {
      say(`The address${line ? ` with ${line.name} = ${line.amount}` : ""}: ${message}`);
    }
  }

  function start() {
    (document.querySelector(".article-header-buttons") ?? document.querySelector("main")).append(opener);
    show();
    setTimeout(followLink); // when the page's formulas are there, which check what the address has
    window.addEventListener("hashchange", followLink);
    window.addEventListener("storage", show); // another page of the book has kept one
  }

  document.addEventListener("DOMContentLoaded", start);

  return { keep, keptOf, onChange: (listener) => listeners.push(listener), open };
})();

// The predictions that a reader has kept in What if? panels: in the browser, for all pages of a run.
window.reckon.kept = (() => {
  "use strict";

  const { byQuantity } = window.reckon.formulas;
  const { element } = window.reckon.elements;
  const { stored, store } = window.reckon.storage;
  const { linesOf, fragment, linked, download, give, lastPart, lineFault } = window.reckon.copies;

  const STORE = `reckon-kept ${window.reckonBook.run}`;
  const LINK = "#kept=";
  const MOST_BYTES = 1e6;
  const UNREADABLE = "What was kept before cannot be read; what you keep next replaces it.";

  // A line of a predictions.toml: { quantity, name, amount }; of the page that kept it with `label`.
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

  let before = null; // the lines that the last change replaced

  /** Keeps these lines alone; the sentence, or that they are not stored. */
  function replace(lines, sentence) {
    before = read().lines;
    return say(store(STORE, JSON.stringify(lines)) || sentence);
  }

  /** Keeps these lines in the place of others of the same quantities. */
  function add(lines, sentence) {
    const isNew = ({ quantity }) => lines.some((line) => line.quantity === quantity);
    return replace([...read().lines.filter((line) => !isNew(line)), ...lines], sentence);
  }

  const quantitiesOf = (lines) => [...new Set(lines.map(({ quantity }) => quantity))];
  const counted = (lines) => {
    const { length } = quantitiesOf(lines);
    return length === 1 ? "1 prediction" : `${length} predictions`;
  };

  /** Keeps the changed predictions of the page; what is said of it. */
  function keep(formulas) {
    const lines = formulas.flatMap((formula) =>
      linesOf(formula).map((line) => ({ ...line, label: formula.label })),
    );
    return add(lines, `Kept ${counted(lines)}: “Kept” at the top of each page lists all.`);
  }

  const has = (quantities) => read().lines.some(({ quantity }) => quantities.includes(quantity));

  // --- the file ------------------------------------------------------------------------------------

  /** The lines as a predictions.toml. */
  function toml(lines) {
    const tables = quantitiesOf(lines).map((quantity) => {
      const own = lines.filter((line) => line.quantity === quantity);
      return ["", `["${quantity}"]`, ...own.map(({ name, amount }) => `${name} = ${JSON.stringify(amount)}`)];
    });
    return ["# Changed in What if? panels, beside the measured values.", ...tables.flat(), ""].join("\n");
  }

  const HEAD = /^\[\s*(?:"([^"\\]+)"|'([^']+)'|([\w-]+))\s*\]\s*(?:#.*)?$/;
  const ENTRY = /^([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|'[^']*')\s*(?:#.*)?$/;

  /** The lines of a predictions.toml. Throws an Error with a sentence on what is wrong with it. */
  function parsed(text) {
    const lines = [];
    let quantity;
    for (const [k, line] of text.split(/\r?\n/).map((raw) => raw.trim()).entries()) {
      const [, ...heads] = HEAD.exec(line) ?? [];
      const [, name, quoted] = ENTRY.exec(line) ?? [];
      if (!line || line.startsWith("#")) continue;
      if (heads.length) quantity = heads.find(Boolean);
      else if (!quoted || !quantity) throw new Error(`line ${k + 1} is neither ["quantity"] nor name = "amount".`);
      else if (quantity !== "reader") lines.push({ quantity, name, amount: unquoted(quoted) });
    }
    if (!lines.length) throw new Error("it has no prediction.");
    const fault = lines.map(faultOf).find(Boolean);
    if (fault) throw new Error(fault);
    return lines;
  }

  const unquoted = (text) => (text.startsWith("'") ? text.slice(1, -1) : JSON.parse(text));

  /** What is wrong with a line, as far as this page knows; "" without any. */
  function faultOf(line) {
    const { quantity, name } = line;
    if (!/^[^/\s]+(\/[^/\s]+)+$/.test(quantity)) return `“${quantity}” is no quantity such as cpu/syscall/getpid.`;
    if (name === "predicted") return "it is of “Predict first”, which `reckon class` reads; it changes no input.";
    return lineFault(line);
  }

  /** A sentence where this page cannot check all lines. */
  const uncheckedIn = (lines) =>
    lines.every(({ quantity }) => byQuantity.has(quantity)) ? "" : " Those of other pages were not checked here.";

  async function take(file) {
    try {
      if (file.size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES / 1e6} MB.`);
      const lines = parsed(decoded(await file.arrayBuffer()));
      add(lines, `${counted(lines)} of ${file.name} added.${uncheckedIn(lines)}`);
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

  const button = (title, onclick, more = {}) => element("button", { type: "button", onclick, ...more }, title);
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
    const count = quantitiesOf(lines).length;
    list.replaceChildren(...quantitiesOf(lines).map((quantity) => entry(quantity, lines)));
    text.hidden = true;
    undo.hidden = before === null;
    ofAll.forEach((each) => (each.hidden = !count));
    opener.textContent = count ? `Kept ${count}` : "Kept";
    opener.setAttribute("aria-label", `Kept predictions: ${count}`);
    const none = "None is kept yet; change an input in a What if? panel and keep it, or add a file.";
    status.textContent ||= fault ?? (count ? "" : none);
    if (dialog.open && !dialog.contains(document.activeElement)) dialog.querySelector("button:not([hidden])").focus();
  }

  /** A prediction with its changes, which its link shows on its page. */
  function entry(quantity, lines) {
    const own = lines.filter((line) => line.quantity === quantity);
    const label = byQuantity.get(quantity)?.label ?? own[0].label ?? lastPart(quantity);
    const changes = own.map(({ name, amount }) => `${name.replace(/_/g, " ")} = ${amount}`).join("; ");
    const page = quantity.slice(0, quantity.lastIndexOf("/"));
    const root = document.documentElement.dataset.content_root ?? "";
    const address = byQuantity.has(quantity) ? "" : `${root}notebooks/${page}.html`;
    const link = element("a", { href: `${address}${fragment("#what-if=", own)}`, onclick: () => dialog.close() }, label);
    const remove = () => replace(lines.filter((line) => line.quantity !== quantity), `${label} is removed.`);
    return element(
      "li",
      {},
      link,
      element("small", {}, ` (${page})`),
      `: ${changes} `,
      button("Remove", remove, { "aria-label": `Remove ${label}` }),
    );
  }

  function open() {
    status.textContent = "";
    document.body.append(dialog);
    show();
    dialog.showModal();
  }

  /** Keeps what the address carries, and shows it. */
  function followLink() {
    const lines = linked(LINK);
    if (!lines) return;
    history.replaceState(null, "", location.href.split("#")[0]);
    open();
    const fault = lines.length ? lines.map(faultOf).find(Boolean) : "it has no prediction.";
    if (fault) say(`The address: ${fault}`);
    else add(lines, `${counted(lines)} of the address added.${uncheckedIn(lines)}`);
  }

  function start() {
    (document.querySelector(".article-header-buttons") ?? document.querySelector("main")).append(opener);
    show();
    followLink();
    window.addEventListener("hashchange", followLink);
    window.addEventListener("storage", show); // another page of the book has kept one
  }

  document.addEventListener("DOMContentLoaded", start);

  return { keep, has, open };
})();

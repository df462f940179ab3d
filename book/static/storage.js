// What the browser stores of its reader. What it does not store is there until the page is left.
window.reckon.storage = (() => {
  "use strict";

  const NOT_STORED =
    "This browser is full or stores nothing for this page: it is here until you leave the page, so download it.";
  const unstored = new Map();
  // Firefox stores for each file apart; whether that is so cannot be asked.
  const isOfPage = location.protocol === "file:" && navigator.userAgent.includes("Firefox");

  /** The text under a name; null without any. */
  function stored(name) {
    try {
      return unstored.get(name) ?? localStorage.getItem(name);
    } catch {
      return null;
    }
  }

  /** Stores the text; a sentence where the browser does not, else "". */
  function store(name, text) {
    try {
      localStorage.setItem(name, text);
      unstored.delete(name);
      return "";
    } catch {
      unstored.set(name, text);
      return NOT_STORED;
    }
  }

  return { stored, store, isOfPage };
})();

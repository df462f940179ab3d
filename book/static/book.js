// What the scripts know of the book on every page; stage.py writes it for the book that is built. `run`
// is different for each run; `titles` are those of all quantities.
window.reckonBook = { run: "", blind: false, near: 1.25, miss: 2, titles: {} };

// What the scripts know of the book on every page; stage.py writes it for the book that is built. `run`
// is different for each run; `titles` are those of all quantities; `predict`, `votes` and `own` as in an address.
window.reckonBook = { run: "", blind: false, predict: "", votes: "", own: "", near: 1.25, miss: 2, titles: {} };

// What a result of the search is worth; Sphinx reads this object (html_search_scorer). The chapters, which
// are the pages of the parts (notebooks/PART/NAME), stand before the pages about the book or the whole
// run. Among them the words' weights decide (search-weights.js, which search_order.py writes).
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  score([page, title, anchor, description, score]) {
    const isChapter = page.split("/").length === 3;
    const isWholePage = !anchor && !description;
    const weights = (window.searchWeights || {})[page] || {};
    const query = new URLSearchParams(window.location.search).get("q") || "";
    const stemmer = new Stemmer();
    const words = query.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
    const weight = words.reduce((sum, word) => sum + (weights[stemmer.stemWord(word)] || 0), 0);
    return (isChapter ? 1000 : 0) + (isWholePage ? 20 : 0) + 10 * weight + score;
  },
};

// Excerpts are read from the pages, which a browser refuses where they are opened as files.
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

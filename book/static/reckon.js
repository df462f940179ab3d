// Reachable by keyboard and named for a screen reader: wide tables that scroll, and the
// navigation's folds, which the theme leaves without a name.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll(".pst-scrollable-table-container, div.math")) {
    box.tabIndex = 0;
  }
  for (const fold of document.querySelectorAll("nav summary:not([aria-label])")) {
    fold.setAttribute("aria-label", "Show the pages of this part");
  }
});

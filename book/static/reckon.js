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

// A section whose first cell is tagged "fold" is folded below its heading; a link into it, a search
// result and a printer open it.
document.addEventListener("DOMContentLoaded", () => {
  const folds = [];
  for (const mark of document.querySelectorAll(".folded")) {
    const section = mark.closest("section");
    const details = document.createElement("details");
    const summary = document.createElement("summary");
    details.className = "fold";
    mark.remove();
    const [heading, ...rest] = section.children;
    summary.append(heading);
    details.append(summary, ...rest);
    section.append(details);
    folds.push(details);
  }
  const openTarget = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let fold = target?.querySelector("details.fold") ?? target?.closest("details.fold"); fold; ) {
      fold.open = true;
      fold = fold.parentElement.closest("details.fold");
    }
    target?.scrollIntoView();
  };
  const openAll = () => folds.forEach((fold) => (fold.open = true));
  if (new URLSearchParams(location.search).has("highlight")) openAll();
  window.addEventListener("beforeprint", openAll);
  window.addEventListener("hashchange", openTarget);
  if (location.hash) openTarget();
});

// Reachable by keyboard and named for a screen reader: wide tables and formulas that scroll, and the
// navigation's folds, which the theme leaves without a name.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll(".pst-scrollable-table-container, div.math")) {
    box.tabIndex = 0;
  }
  // The role that docutils writes is deprecated (ARIA 1.3 of digital publishing): they are a list.
  for (const entry of document.querySelectorAll("[role=doc-biblioentry]")) entry.role = "listitem";
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
    const target = document.getElementById(fragment());
    for (let fold = target?.querySelector("details.fold") ?? target?.closest("details.fold"); fold; ) {
      fold.open = true;
      fold = fold.parentElement.closest("details.fold");
    }
    target?.scrollIntoView();
  };
  const fragment = () => {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return ""; // no id: a faulty escape, as in "#%"
    }
  };
  const openAll = () => folds.forEach((fold) => (fold.open = true));
  if (new URLSearchParams(location.search).has("highlight")) openAll();
  window.addEventListener("beforeprint", openAll);
  window.addEventListener("hashchange", openTarget);
  if (location.hash) openTarget();
});

// A table of class "sortable": a click on the head of the first column sorts by its text, of a column
// that has data-sort by that; what is typed above the table leaves the rows that contain it.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll("table.sortable")) makeSortable(table);

  function makeSortable(table) {
    const body = table.tBodies[0];
    const sorted = document.createElement("output");
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    const keys = rows.map((row) => [...row.cells].map(sortKey));

    heads.forEach((head, column) => {
      const numeric = keys.some((cells) => typeof cells[column] === "number");
      if (column > 0 && !numeric) return;
      const title = head.textContent.trim();
      const button = document.createElement("button");
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        const order = keys.map((cells, place) => [cells[column], place]);
        order.sort(([a], [b]) => compare(a, b) * (descending ? -1 : 1));
        body.append(...order.map(([, place]) => rows[place]));
        const first = numeric ? ["the smallest", "the largest"] : ["A", "Z"];
        sorted.textContent = ` Sorted by ${title}, ${first[Number(descending)]} first.`;
      });
    });

    const field = document.createElement("input");
    field.type = "search";
    const label = document.createElement("label");
    label.className = "search-table";
    label.append("Search this table ", field);
    const count = document.createElement("output");
    const texts = rows.map((row) => row.textContent.toLowerCase());
    field.addEventListener("input", () => {
      const wanted = field.value.toLowerCase().split(/\s+/);
      rows.forEach((row, place) => {
        row.hidden = !wanted.every((word) => texts[place].includes(word));
      });
      count.textContent = ` ${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
    });
    (table.closest(".pst-scrollable-table-container") ?? table).before(label, count, sorted);
  }

  function sortKey(cell) {
    const marked = cell.querySelector("[data-sort]");
    return marked ? Number(marked.dataset.sort) : cell.textContent.trim().toLowerCase();
  }

  function compare(a, b) {
    if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1; // what is not known goes last
    if (typeof a === "number") return a - b;
    return a.localeCompare(b);
  }
});

// Links to the same page of the other published runs, above the list of pages. tools/publish-runs adds
// their folders to book.js; without it, or with one run, there is nothing to choose from.
document.addEventListener("DOMContentLoaded", () => {
  const { folder, runs = [] } = window.reckonBook || {};
  const sidebar = document.querySelector(".sidebar-primary-items__start");
  if (runs.length < 2 || !sidebar) return;

  const root = document.documentElement.dataset.content_root;
  const menu = document.createElement("details");
  const summary = document.createElement("summary");
  const list = document.createElement("ul");
  menu.className = "sidebar-primary-item runs";
  summary.textContent = `Run: ${folder}`;
  summary.title = "The same page of another run";
  for (const run of runs.filter((name) => name !== folder)) {
    const link = document.createElement("a");
    const entry = document.createElement("li");
    link.href = `${root}../${encodeURIComponent(run)}/${DOCUMENTATION_OPTIONS.pagename}.html`;
    link.textContent = run;
    entry.append(link);
    list.append(entry);
  }
  menu.append(summary, list);
  sidebar.firstElementChild.after(menu);
});

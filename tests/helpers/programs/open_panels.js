// Opens the what-if panels, and in them the quantities.
() => {
  document.querySelectorAll("details.what-if").forEach((panel) => (panel.open = true));
  return new Promise((done) => setTimeout(() => {
    document.querySelectorAll("details.what-if details").forEach((quantity) => (quantity.open = true));
    setTimeout(done, 500);
  }, 100));
}

// The milliseconds that each of twenty changes of the clock takes until the page is laid out.
() => {
  const field = [...document.querySelectorAll(".what-if-input")]
    .find((row) => row.querySelector("label").textContent === "clock")
    .querySelector("input[inputmode=decimal]");
  return [...Array(20).keys()].map((k) => {
    field.value = 3 + k / 100;
    const start = performance.now();
    field.dispatchEvent(new Event("input"));
    document.body.offsetHeight; // laid out
    return performance.now() - start;
  });
}

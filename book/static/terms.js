// A term of the glossary says what it means while the pointer or the keyboard's focus is on it, until
// Escape; a tap follows its link.
document.addEventListener("DOMContentLoaded", () => {
  const tip = document.createElement("div");
  tip.id = "term-definition";
  tip.role = "tooltip";
  tip.hidden = true;
  document.body.append(tip);
  let shown = null;

  for (const term of document.querySelectorAll(".bd-article a:has(> .std-term)")) {
    const definition = reckonBook.terms[term.hash.slice(1)];
    if (!definition) continue;
    const show = () => showBeside(term, definition);
    term.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && show());
    // In the next frame it is scrolled to.
    const showFocused = () => document.activeElement === term && show();
    term.addEventListener("focus", () => requestAnimationFrame(showFocused));
    term.addEventListener("blur", hide);
    term.addEventListener("pointerleave", (event) => event.relatedTarget !== tip && hide());
  }
  tip.addEventListener("pointerleave", hide);
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());

  function showBeside(term, definition) {
    hide();
    shown = term;
    tip.textContent = definition;
    tip.hidden = false;
    term.setAttribute("aria-describedby", tip.id);
    // Of a term that is broken across lines the first line; what does not fit below is above.
    const place = term.getClientRects()[0];
    const left = Math.min(place.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
    const fits = place.bottom + tip.offsetHeight < innerHeight;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${scrollY + (fits ? place.bottom : place.top - tip.offsetHeight)}px`;
  }

  function hide() {
    shown?.removeAttribute("aria-describedby");
    tip.hidden = true;
    shown = null;
  }
});

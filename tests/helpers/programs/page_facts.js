// Facts of a page of the site as its reader sees it. Loaded before the page's own scripts.
window.pageFacts = (() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const after = (wait_ms) => new Promise((done) => setTimeout(done, wait_ms));
  const end = (selector) =>
    document.querySelector(`main ${selector}`)?.getBoundingClientRect().bottom + scrollY;
  const pictures = () => all("main figure img");

  // The words of heads and the numbers that are broken or end outside: of operation, predicted,
  // measured and ratio of the results, and of all columns of compact tables.
  function notReadable() {
    for (const fold of all("details")) fold.open = true;
    const faults = [];
    for (const [kind, count] of Object.entries({ results: 4, compact: Infinity })) {
      for (const table of all(`table.${kind}`)) {
        const right = table.closest(".pst-scrollable-table-container").getBoundingClientRect().right;
        for (const row of table.rows) {
          for (const cell of [...row.cells].slice(0, count)) {
            const end = Math.min(right, cell.getBoundingClientRect().right) + 1;
            const words = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
            while (words.nextNode()) {
              const wanted = cell.tagName === "TH" ? /\p{L}+/gu : /[\d.,]*\d/g;
              for (const word of words.currentNode.data.matchAll(wanted)) {
                const range = document.createRange();
                range.setStart(words.currentNode, word.index);
                range.setEnd(words.currentNode, word.index + word[0].length);
                const lines = [...range.getClientRects()].filter((line) => line.width > 0);
                const isBroken = new Set(lines.map((line) => line.top)).size > 1;
                if (isBroken || lines.some((line) => line.right > end))
                  faults.push(`${table.id}: ${word[0]}`);
              }
            }
          }
        }
      }
    }
    return [...new Set(faults)];
  }

  return {
    // On a desktop's screen, as it is opened.
    async wide() {
      await window.MathJax?.startup.promise;
      return {
        formulas: all("mjx-container").length,
        formulas_read_aloud: all("mjx-assistive-mml math").length,
        broken_formulas: all("mjx-merror").length,
        // MyST-NB calls the line that unfolds code the title of an admonition, whose icon warns.
        warnings_of_folded_code: all("details.hide > summary > p").filter(
          (line) => getComputedStyle(line, "::after").content !== "none",
        ).length,
        pictures_without_words: pictures()
          .filter((image) => !image.complete || !image.naturalWidth || image.alt.length <= 20)
          .map((image) => image.src),
        answer: document.querySelector("main .answer:has(table)")?.innerText ?? "",
        end_of_answer: Math.max(end(".answer"), end("figure")),
      };
    },

    // With all What if? panels and their quantities open.
    async openPanels() {
      for (const panel of all("details.what-if")) panel.open = true;
      await after(50); // a panel is made in the event after the opening
      for (const quantity of all("details.what-if details")) quantity.open = true;
      await after(50);
    },

    // Ends what fades to the other colours, by order: a page that Chromium draws no frame of, as it
    // does now and then without a screen, waits for the end for ever. What inherits a colour that has
    // faded begins to fade then.
    faded() {
      for (let fading; (fading = document.getAnimations()).length; )
        for (const animation of fading) animation.finish();
    },

    // Keeps two of the elements that look alike in places that look alike: axe takes seconds for the
    // contrast of thousands.
    keepTwoOfAKind() {
      const kinds = new Map();
      const repeated = [];
      function isNew(element, place) {
        const look = getComputedStyle(element);
        const facts = [place, element.localName, element.getAttribute("class"), look.color];
        facts.push(look.backgroundColor, look.fontSize, look.fontWeight, look.opacity);
        if (!kinds.has(facts.join())) kinds.set(facts.join(), { number: kinds.size, seen: 0 });
        const kind = kinds.get(facts.join());
        kind.seen += 1;
        const isFirst = kind.seen <= 2;
        const inside = [...element.children].map((child) => isNew(child, kind.number));
        if (!isFirst && !inside.includes(true)) repeated.push(element);
        return isFirst || inside.includes(true);
      }
      isNew(document.body, "");
      for (const element of repeated.reverse()) element.remove();
    },

    // On a phone's screen, once its pictures have replaced those for wide screens.
    async narrow() {
      const isWide = (image) => !image.currentSrc.includes("/narrow/");
      const isBeside = (image) => image.getBoundingClientRect().right > innerWidth + 1;
      const addresses = (isFault) => pictures().filter(isFault).map((image) => image.currentSrc);
      const isUnsettled = (image) => !image.complete || isWide(image) || isBeside(image);
      for (let turn = 0; turn < 100 && pictures().some(isUnsettled); turn += 1) await after(50);
      return {
        pictures_for_wide_screens: addresses(isWide),
        pictures_beside: addresses(isBeside),
        not_readable: notReadable(),
      };
    },
  };
})();

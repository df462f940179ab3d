// Lists and the nearest known name, as reckon/messages.py has them; tests/book/test_formula_text.py
// compares the two.
window.reckon.words = (() => {
  "use strict";

  /** A list as a sentence has it: "a", "a and b", "a, b and c". */
  function joined(words) {
    const front = words.slice(0, -1);
    const last = words[words.length - 1] ?? "";
    return front.length ? `${front.join(", ")} and ${last}` : last;
  }

  /** The longest part that two texts share: where it begins in each, and its length. */
  function longestShared(a, b) {
    let longest = { inA: 0, inB: 0, length: 0 };
    for (let inA = 0; inA < a.length; inA++) {
      for (let inB = 0; inB < b.length; inB++) {
        let length = 0;
        while (inA + length < a.length && a[inA + length] === b[inB + length]) length++;
        if (length > longest.length) longest = { inA, inB, length };
      }
    }
    return longest;
  }

  /** How many letters two texts share, in order. */
  function shared(a, b) {
    const { inA, inB, length } = longestShared(a, b);
    if (!length) return 0;
    const before = shared(a.slice(0, inA), b.slice(0, inB));
    return before + length + shared(a.slice(inA + length), b.slice(inB + length));
  }

  /** The known name that is most like an unknown one, in any case; undefined if none is. */
  function nearest(name, known) {
    const likeness = (other) =>
      (2 * shared(other.toLowerCase(), name.toLowerCase())) / (other.length + name.length);
    const alike = known.filter((other) => likeness(other) >= window.reckon.data.rules.near_name);
    const order = (a, b) => likeness(b) - likeness(a) || (a < b ? 1 : -1);
    return alike.sort(order)[0];
  }

  /** A hint for an unknown name: the nearest known one, or `otherwise`. */
  function didYouMean(name, known, otherwise) {
    const meant = nearest(name, known);
    return meant === undefined ? otherwise : `did you mean ${meant}?`;
  }

  /** A sentence with its {gaps} filled. */
  const filled = (sentence, texts) => sentence.replace(/\{(\w+)\}/g, (_, name) => texts[name]);

  return { joined, filled, nearest, didYouMean };
})();

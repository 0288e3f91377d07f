/**
 * A repeatable stream of random choices for each seed and number. So what is drawn for one number does not depend on
 * what was drawn for the numbers before it.
 */
export function chanceOf(seed, number) {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end) => Math.floor(next() * end);
  return {
    below,
    /** A whole number from `least` to `most`, both included. */
    between: (least, most) => least + below(most - least + 1),
    pick: (list) => list[below(list.length)],
    happens: (share) => next() < share,
    shuffled: (list) => shuffle([...list], below),
  };
}

function shuffle(list, below) {
  for (let end = list.length - 1; end > 0; end--) {
    const other = below(end + 1);
    [list[end], list[other]] = [list[other], list[end]];
  }
  return list;
}

/** The indices of a longest increasing subsequence, in their order. The numbers are distinct. */
export function longestIncreasing(numbers: readonly number[]): number[] {
  // ends[n] is the index of the smallest number that ends an increasing subsequence of n + 1 numbers.
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  numbers.forEach((number, index) => {
    const longer = countBelow(number, ends, numbers);
    previous[index] = ends[longer - 1];
    ends[longer] = index;
  });
  const indices: number[] = [];
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) indices.push(index);
  return indices.reverse();
}

/**
 * How many of the numbers at these indices are below `limit`. The numbers at the indices must be in ascending order.
 */
function countBelow(limit: number, indices: readonly number[], numbers: readonly number[]): number {
  let low = 0;
  let high = indices.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[indices[middle] as number] as number) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

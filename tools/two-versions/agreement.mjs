/** Compares what the apis of two releases tell of the same thing. */
import { isDeepStrictEqual } from 'node:util';

/**
 * The places at which the later release tells something else than the earlier one. It may tell more, at any depth, because
 * a release only adds members.
 *
 * @param {any} earlier
 * @param {any} later
 * @returns {string[]}
 */
export function differences(earlier, later, place = '') {
  if (!isObject(earlier) || !isObject(later)) return isDeepStrictEqual(earlier, later) ? [] : [place];
  if (Array.isArray(earlier) && Array.isArray(later) && earlier.length !== later.length) return [place];
  return Object.keys(earlier).flatMap((key) =>
    Object.hasOwn(later, key) ? differences(earlier[key], later[key], join(place, key)) : [join(place, key)],
  );
}

const isObject = (value) => typeof value === 'object' && value !== null;
const join = (place, key) => (place === '' ? key : `${place}.${key}`);

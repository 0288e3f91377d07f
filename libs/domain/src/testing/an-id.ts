import { randomBytes } from 'node:crypto';
import { firstIdAt } from '../id';

let made = 0;

/** A unique id of now or of the given time. Ids are in the order of their creation, even within one millisecond. */
export function anId(time = new Date()): string {
  made = (made + 1) % 0x10000;
  return `${firstIdAt(time).slice(0, 24)}${made.toString(16).padStart(4, '0')}${randomBytes(4).toString('hex')}`;
}

import { randomBytes } from 'node:crypto';
import { firstIdAt } from '../id';

let made = 0;

/** An id nobody else has, made now or at the given time; in order of creation, also within one millisecond. */
export function anId(time = new Date()): string {
  made = (made + 1) % 0x10000;
  return `${firstIdAt(time).slice(0, 24)}${made.toString(16).padStart(4, '0')}${randomBytes(4).toString('hex')}`;
}

import { randomBytes } from 'node:crypto';
import { firstIdAt } from '../id';

/** An id nobody else has, made now or at the given time. */
export const anId = (time = new Date()): string => `${firstIdAt(time).slice(0, 24)}${randomBytes(6).toString('hex')}`;

import { EventEmitter } from 'node:events';
import { Logger } from '@nestjs/common';
import { logQueueErrors } from './queue-errors';

function listenedSource(more: object = {}) {
  const logged: string[] = [];
  const logger = new Logger();
  logger.error = (message: string) => void logged.push(message);
  logger.warn = (message: string) => void logged.push(`warning: ${message}`);
  const source = Object.assign(new EventEmitter(), more);
  const clock = { now: 0 };
  logQueueErrors(source, logger, () => clock.now);
  return { source, clock, logged, logger };
}

const refused = (): Error => Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });

const REFUSED = 'Redis cannot be reached (connect refused): look at SVC_REDIS_URL.';

describe('logQueueErrors', () => {
  it('says the same kind of trouble after five seconds, and then less and less often while it lasts', () => {
    const { source, clock, logged } = listenedSource();
    const fail = (untilMs: number): number => {
      for (; clock.now < untilMs; clock.now += 1_000) source.emit('error', refused());
      return logged.length;
    };

    expect([5_000, 6_000, 15_000, 16_000].map(fail)).toEqual([1, 2, 2, 3]);
    expect(fail(3_600_000)).toBeLessThan(15);
    expect(new Set(logged)).toEqual(new Set([REFUSED]));
  });

  it('says at once what comes again after a minute without it', () => {
    const { source, clock, logged } = listenedSource();
    for (; clock.now < 600_000; clock.now += 1_000) source.emit('error', refused());
    const before = logged.length;

    clock.now += 60_000;
    source.emit('error', refused());

    expect(logged).toHaveLength(before + 1);
  });

  it('says another kind at once', () => {
    const { source, logged } = listenedSource();

    source.emit('error', refused());
    source.emit('error', new TypeError('not a job'));

    expect(logged).toEqual([REFUSED, 'TypeError: not a job']);
  });

  it('says it once for all connections of a process', () => {
    const { source, clock, logged, logger } = listenedSource();
    const another = new EventEmitter();
    logQueueErrors(another, logger, () => clock.now);

    source.emit('error', refused());
    another.emit('error', refused());

    expect(logged).toEqual([REFUSED]);
  });

  it('says in plain words that Redis is away, and only warns of a connection that is made anew', () => {
    const { source, clock, logged } = listenedSource();

    source.emit('error', Object.assign(new Error('connect ECONNREFUSED ::1:6379'), { code: 'ECONNREFUSED' }));
    source.emit('error', new Error("Stream isn't writeable and enableOfflineQueue options is false"));
    clock.now = 1_000;
    source.emit('error', new Error('Socket timeout. Expecting data, but did not receive any in 15000ms.'));

    expect(logged).toEqual([
      'Redis cannot be reached (connect ECONNREFUSED ::1:6379): look at SVC_REDIS_URL.',
      'Redis is not connected (SVC_REDIS_URL).',
      'warning: A connection to Redis was silent and is made anew.',
    ]);
  });

  it('names the setting of the database where the queue is in it', () => {
    const { source, logged } = listenedSource({ opts: { connection: { queueStore: {} } } });

    source.emit('error', refused());

    expect(logged).toEqual(['The queue does not reach the database (SVC_DATABASE_URL): connect refused']);
  });
});

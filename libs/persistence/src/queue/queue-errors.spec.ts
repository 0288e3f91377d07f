import { EventEmitter } from 'node:events';
import { Logger } from '@nestjs/common';
import { logQueueErrors } from './queue-errors';

function listenedSource() {
  const logged: string[] = [];
  const logger = new Logger();
  logger.error = (message: string) => void logged.push(message);
  logger.warn = (message: string) => void logged.push(`warning: ${message}`);
  const source = new EventEmitter();
  const clock = { now: 0 };
  logQueueErrors(source, logger, () => clock.now);
  return { source, clock, logged, logger };
}

const refused = (): Error => Object.assign(new Error('connect refused'), { code: 'ECONNREFUSED' });

describe('logQueueErrors', () => {
  it('says the same kind of trouble once per five seconds', () => {
    const { source, clock, logged } = listenedSource();

    for (clock.now = 0; clock.now < 10_000; clock.now += 100) source.emit('error', refused());

    expect(logged).toEqual(['ECONNREFUSED: connect refused', 'ECONNREFUSED: connect refused']);
  });

  it('says another kind at once', () => {
    const { source, logged } = listenedSource();

    source.emit('error', refused());
    source.emit('error', new TypeError('not a job'));

    expect(logged).toEqual(['ECONNREFUSED: connect refused', 'TypeError: not a job']);
  });

  it('says it once for all connections of a process', () => {
    const { source, clock, logged, logger } = listenedSource();
    const another = new EventEmitter();
    logQueueErrors(another, logger, () => clock.now);

    source.emit('error', refused());
    another.emit('error', refused());

    expect(logged).toEqual(['ECONNREFUSED: connect refused']);
  });

  it('says in plain words that Redis is away, and only warns of a connection that is made anew', () => {
    const { source, clock, logged } = listenedSource();

    source.emit('error', Object.assign(new Error('connect ECONNREFUSED ::1:6379'), { code: 'ECONNREFUSED' }));
    source.emit('error', new Error("Stream isn't writeable and enableOfflineQueue options is false"));
    clock.now = 1_000;
    source.emit('error', new Error('Socket timeout. Expecting data, but did not receive any in 15000ms.'));

    expect(logged).toEqual([
      'connect ECONNREFUSED ::1:6379',
      'Redis is not connected (SVC_REDIS_URL).',
      'warning: A connection to Redis was silent and is made anew.',
    ]);
  });
});

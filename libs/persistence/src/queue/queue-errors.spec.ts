import { EventEmitter } from 'node:events';
import { Logger } from '@nestjs/common';
import { logQueueErrors } from './queue-errors';

function listenedSource() {
  const logged: string[] = [];
  const logger = new Logger();
  logger.error = (message: string) => void logged.push(message);
  const source = new EventEmitter();
  const clock = { now: 0 };
  logQueueErrors(source, logger, () => clock.now);
  return { source, clock, logged };
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
});

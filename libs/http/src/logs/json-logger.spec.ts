import { Logger } from '@nestjs/common';
import { JsonLogger } from './json-logger';
import { noteTrace, withinRequest } from './log-context';

const RUN = '01937b5e-0000-7000-8000-000000000001';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('JsonLogger', () => {
  let lines: Record<string, unknown>[];
  let logger: JsonLogger;

  beforeEach(() => {
    lines = [];
    logger = new JsonLogger('api', 'info', { write: (line) => lines.push(JSON.parse(line) as (typeof lines)[0]) });
  });

  it('writes the ids of a line as fields beside its sentence', () => {
    Logger.overrideLogger(logger);
    const error = new Error('the store is away');

    new Logger('Runs').error({ msg: `Run ${RUN} failed`, runId: RUN, projectId: 'p' }, error);

    expect(lines).toEqual([
      expect.objectContaining({ msg: `Run ${RUN} failed`, runId: RUN, projectId: 'p', context: 'Runs' }),
    ]);
    expect(lines[0]?.['stack']).toContain('the store is away');
  });

  it('names the request in each of its lines until its answer is sent', async () => {
    await new Promise<void>((resolve) => {
      withinRequest('request-1', (end) => {
        void Promise.resolve()
          .then(() => logger.warn('within'))
          .then(() => end())
          .then(() => logger.warn('after'))
          .then(resolve);
      });
    });
    logger.warn('outside');

    expect(lines.map(({ msg, requestId }) => [msg, requestId])).toEqual([
      ['within', 'request-1'],
      ['after', undefined],
      ['outside', undefined],
    ]);
  });

  it('names the trace in lines about a run whose trace is known', () => {
    noteTrace(RUN, TRACE);

    logger.warn({ msg: 'A run ended badly.', runId: RUN });
    logger.warn({ msg: 'A run ended badly.', runId: 'another' });

    expect(lines.map(({ traceId }) => traceId)).toEqual([TRACE, undefined]);
  });

  it('remembers the traces of the last runs only', () => {
    for (let n = 0; n <= 1_000; n++) noteTrace(`run-${n}`, TRACE);

    logger.warn({ msg: 'first', runId: 'run-0' });
    logger.warn({ msg: 'last', runId: 'run-1000' });

    expect(lines.map(({ traceId }) => traceId)).toEqual([undefined, TRACE]);
  });

  it('masks what looks like a credential in fields, sentences and stacks', () => {
    logger.error({ msg: 'Bearer abcdef', url: 'postgres://user:secret@db/x' }, new Error('password=hidden'));

    expect(JSON.stringify(lines)).not.toMatch(/abcdef|secret@|hidden/);
  });
});

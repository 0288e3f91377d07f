import { closestName } from './closest-name';
import { ignoredSettings } from './ignored-settings';

describe('ignoredSettings', () => {
  it('warns of a variable that nothing reads, with the name that was probably meant', () => {
    expect(ignoredSettings(['api'], { SVC_PROT: '1', SVC_QUUX_LEVEL: 'x', SVC_LOG_LEVEL: 'info' })).toEqual([
      'SVC_PROT is not a setting that this version reads; it is ignored. Did you mean SVC_PORT?',
      'SVC_QUUX_LEVEL is not a setting that this version reads; it is ignored.',
    ]);
  });

  it('warns of a setting that only other programs read', () => {
    const environment = { SVC_WORKER_CONCURRENCY: '5', SVC_FLOW_TIMEOUT_SECONDS: '60' };
    expect(ignoredSettings(['webhook-gateway'], environment)).toEqual([
      'SVC_WORKER_CONCURRENCY is ignored here: only the worker reads it.',
      'SVC_FLOW_TIMEOUT_SECONDS is ignored here: only the api and the worker read it.',
    ]);
    expect(ignoredSettings(['api', 'worker', 'npm start'], environment)).toEqual([]);
  });

  it('says nothing of empty variables and of those of other software', () => {
    expect(ignoredSettings(['api'], { SVC_PROT: '', PATH: '/bin', MY_SVC_PROT: 'x' })).toEqual([]);
  });
});

describe('closestName', () => {
  const known = ['SVC_PORT', 'SVC_LOG_LEVEL', 'SVC_WORKER_CONCURRENCY'];

  it.each([
    ['SVC_PROT', 'SVC_PORT'],
    ['SVC_LOGLEVEL', 'SVC_LOG_LEVEL'],
    ['SVC_WORKER_CONCURENCY', 'SVC_WORKER_CONCURRENCY'],
    ['SVC_WORKERS_CONCURENCI', 'SVC_WORKER_CONCURRENCY'],
    ['SVC_PAR', undefined],
    ['SVC_LABEL', undefined],
    ['SVC_CONCURRENCY', undefined],
  ])('of %s is %s', (name, meant) => {
    expect(closestName(name, known)).toBe(meant);
  });
});

import { closestName, meantNames } from './meant-names';
import { ignoredSettings } from './ignored-settings';

describe('ignoredSettings', () => {
  it('warns of a variable that nothing reads, with the name that was probably meant', () => {
    expect(ignoredSettings(['api'], { SVC_PROT: '1', SVC_QUUX_LEVEL: 'x', SVC_LOG_LEVEL: 'info' })).toEqual([
      'SVC_PROT is not a setting that this version reads; it is ignored. Did you mean SVC_PORT?',
      'SVC_QUUX_LEVEL is not a setting that this version reads; it is ignored.',
    ]);
  });

  it('names the setting that a variable lacks only the ending of, or each of a few', () => {
    const environment = { SVC_FLOW_TIMEOUT: '60', SVC_REDIS: 'redis://cache', SVC_ADMIN: 'me' };
    expect(ignoredSettings(['api'], environment)).toEqual([
      'SVC_FLOW_TIMEOUT is not a setting that this version reads; it is ignored. Did you mean SVC_FLOW_TIMEOUT_SECONDS?',
      'SVC_REDIS is not a setting that this version reads; it is ignored. Did you mean SVC_REDIS_URL?',
      'SVC_ADMIN is not a setting that this version reads; it is ignored. Did you mean SVC_ADMIN_EMAIL or SVC_ADMIN_PASSWORD?',
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

describe('meantNames', () => {
  const known = ['SVC_PORT', 'SVC_S3_BUCKET', 'SVC_S3_REGION', 'SVC_S3_ENDPOINT', 'SVC_S3_ACCESS_KEY_ID', 'SVC_S4_A'];

  it.each([
    ['SVC_S3_ACCESS', ['SVC_S3_ACCESS_KEY_ID']],
    ['SVC_S3', ['SVC_S3_BUCKET', 'SVC_S3_REGION', 'SVC_S3_ENDPOINT']],
    ['SVC_S4', ['SVC_S4_A']],
    ['SVC_S', []],
    ['SVC_PO', []],
    ['SVC_PROT', ['SVC_PORT']],
  ])('of %s are %j', (name, meant) => {
    expect(meantNames(name, known)).toEqual(meant);
  });

  it('of a beginning that many settings have are none', () => {
    expect(meantNames('SVC_S3', [...known, 'SVC_S3_PATH'])).toEqual([]);
  });
});

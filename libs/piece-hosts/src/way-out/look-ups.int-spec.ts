import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TrialHost } from '../testing/trial-host';
import type { LookUpRecords } from './look-ups';

const NAME = '_mongodb._tcp.cluster.example';
const ANSWERS = {
  SRV: [{ name: 'one.cluster.example', port: 27017, priority: 0, weight: 0 }],
  TXT: [['authSource=admin']],
};

let folder: string;
const hosts: TrialHost[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'look-ups-'));
});
afterEach(async () => {
  for (const { host } of hosts.splice(0)) await host.stop();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Answers for one name, and keeps what was asked. */
function aResolver(): { lookUp: LookUpRecords; asked: string[] } {
  const asked: string[] = [];
  const lookUp: LookUpRecords = (kind, name) => {
    asked.push(`${kind} ${name}`);
    if (name === NAME) return Promise.resolve(ANSWERS[kind]);
    return Promise.reject(Object.assign(new Error(`query${kind} ENODATA ${name}`), { code: 'ENODATA' }));
  };
  return { lookUp, asked };
}

async function run(source: string, lookUp?: LookUpRecords): Promise<unknown> {
  const trial = await TrialHost.start(
    folder,
    `exports.one = piece({ act: action(${source}) });`,
    lookUp ? { lookUp } : {},
  );
  hosts.push(trial);
  const answer = await trial.act();
  return 'error' in answer ? answer.error : (answer.value as { output: unknown }).output;
}

const outcomes = (asks: string): string => `async () => {
  const dns = require('dns');
  const { promisify } = require('util');
  const outcome = (work) => work.then((records) => records, ({ code, message }) => ({ code, message }));
  return Promise.all([${asks}].map(outcome));
}`;

describe('a host that looks up names', () => {
  it('gets SRV and TXT records, however it asks for them', async () => {
    const { lookUp, asked } = aResolver();
    const found = await run(
      outcomes(`
        dns.promises.resolveSrv('${NAME}'), require('dns/promises').resolveTxt('${NAME}'),
        new dns.promises.Resolver().resolve('${NAME}', 'SRV'),
        promisify(dns.resolveTxt)('${NAME}'), promisify(dns.resolve)('${NAME}', 'SRV'),
        new Promise((done) => new dns.Resolver().resolveSrv('${NAME}', (_error, records) => done(records))),
      `),
      lookUp,
    );

    const { SRV, TXT } = ANSWERS;
    expect(found).toEqual([SRV, TXT, SRV, TXT, SRV, SRV]);
    expect(asked.sort()).toEqual([...Array<string>(4).fill(`SRV ${NAME}`), ...Array<string>(2).fill(`TXT ${NAME}`)]);
  });

  it('gets the code of the resolver where there are none', async () => {
    const name = 'cluster.example';

    expect(await run(outcomes(`dns.promises.resolveTxt('${name}')`), aResolver().lookUp)).toEqual([
      { code: 'ENODATA', message: `queryTXT ENODATA ${name}` },
    ]);
  });

  it('gets no other records, and none without a resolver', async () => {
    const { lookUp, asked } = aResolver();
    const asks = `dns.promises.resolve4('${NAME}'), promisify(dns.resolveMx)('${NAME}'), promisify(dns.resolve)('${NAME}'),
      dns.promises.reverse('1.1.1.1')`;
    const refused = { code: 'ENOTFOUND', message: 'Names are resolved outside of a piece.' };

    expect(await run(outcomes(asks), lookUp)).toEqual([refused, refused, refused, refused]);
    expect(asked).toEqual([]);
    expect(await run(outcomes(`dns.promises.resolveSrv('${NAME}')`))).toEqual([
      { message: 'Such records of names cannot be looked up from a piece.' },
    ]);
  });

  it('asks for so many names in a call', async () => {
    const source = `async () => {
      for (let i = 0; ; i++)
        await require('dns').promises.resolveSrv('${NAME}').catch((error) => { throw new Error(i + ': ' + error.message); });
    }`;

    expect(await run(source, aResolver().lookUp)).toMatchObject({
      message: '100: A piece may look up 100 names in a call.',
    });
  });

  it('leaves no look-up behind that goes on when the call has ended', async () => {
    const signals: AbortSignal[] = [];
    const lookUp: LookUpRecords = (_kind, _name, signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const source = `async ({ connections }) => {
      for (let n = 0; n < 20; n++) require('dns').promises.resolveSrv('${NAME}').catch(() => undefined);
      await connections.get('none').catch(() => undefined); // is asked for after them
    }`;

    await run(source, lookUp);

    expect(signals.map(({ aborted }) => aborted)).toEqual(Array(20).fill(true));
  });
});

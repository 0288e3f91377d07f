import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCA, createCert } from 'mkcert';
import { leadingTo, TargetServers } from '../testing/target-server';
import { TrialHost } from '../testing/trial-host';

const ADDRESS = '203.0.113.7';
let folder: string;
let certificate: { key: string; cert: string };
/** A file with the authority that has signed the certificate. */
let authorities: string;
const targets = new TargetServers();
const hosts: TrialHost[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  const ca = await createCA({ organization: 'Tests', countryCode: 'NA', state: 'T', locality: 'T', validity: 2 });
  authorities = join(folder, 'ca.pem');
  writeFileSync(authorities, ca.cert);
  certificate = await createCert({ domains: ['api.vendor.example', ADDRESS], validity: 2, ca });
});
afterEach(async () => {
  for (const { host } of hosts.splice(0)) await host.stop();
  targets.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(source: string, options: Parameters<typeof TrialHost.start>[2]): Promise<unknown> {
  const server = await targets.listening(createHttpsServer(certificate, (_request, response) => response.end('hello')));
  const program = `
    const net = require('net');
    const tls = require('tls');
    const https = require('https');
    const outcomeOf = (work) => work.then((answer) => answer, (error) => String(error.cause?.code ?? error.code));
    const get = (options) => outcomeOf(new Promise((done, fail) => https.get(options, (answer) => answer.on('data', (text) => done(String(text)))).on('error', fail)));
    const open = (options, connect = tls.connect) => outcomeOf(new Promise((done, fail) => connect(options, () => done('open')).on('error', fail)));
    exports.one = piece({ act: action(${source}) });`;
  const trial = await TrialHost.start(folder, program, { ...leadingTo(server), ...options });
  hosts.push(trial);
  const answer = await trial.act();
  return 'error' in answer ? answer.error : (answer.value as { output: unknown }).output;
}

describe('the certificate of a server', () => {
  it.each([
    ['fetch', `async () => (await fetch('https://api.vendor.example/')).text()`],
    ['https', `() => get('https://api.vendor.example/')`],
  ])('is one of the authorities that a host is given, by %s', async (_client, source) => {
    expect(await run(source, { authorities })).toBe('hello');
  });

  it('is checked, even when the package switches that off', async () => {
    const source = `async () => {
      process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
      const off = { rejectUnauthorized: false };
      return {
        fetch: await outcomeOf(fetch('https://api.vendor.example/')),
        https: await get({ host: 'api.vendor.example', ...off, agent: new https.Agent(off) }),
      };
    }`;

    expect(await run(source, {})).toEqual({
      fetch: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      https: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    });
  });

  it('must be for the host, whoever else the package agrees with', async () => {
    const source = `async () => {
      const agreed = { checkServerIdentity: () => undefined };
      const other = { host: 'other.example', port: 443 };
      const outcomes = [
        await get({ ...other, ...agreed }),
        await get({ ...other, agent: new https.Agent(agreed) }),
        await open({ ...other, ...agreed }),
        await open({ ...agreed, socket: net.connect(other), servername: other.host }),
      ];
      Object.assign(tls, agreed);
      return [...outcomes, await get(other), await outcomeOf(fetch('https://other.example/'))];
    }`;

    expect(await run(source, { authorities })).toEqual(Array(6).fill('ERR_TLS_CERT_ALTNAME_INVALID'));
  });

  it('may be for another name that the package expects, or for an address', async () => {
    const source = `async () => [
      await get({ host: 'other.example', servername: 'api.vendor.example' }),
      await get({ host: '${ADDRESS}' }),
      await open({ socket: net.connect(443, '${ADDRESS}') }),
      await open({ socket: net.connect(443, '203.0.113.8') }),
      await open({ host: 'api.vendor.example', port: 443, checkServerIdentity: undefined }),
    ]`;

    expect(await run(source, { authorities })).toEqual([
      'hello',
      'hello',
      'open',
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'open',
    ]);
  });

  it('is checked also where a module of the package imports functions by their names', async () => {
    const source = `async () => {
      const { connect, resolve, socket } = await import('./client.mjs');
      return [await open({ host: 'other.example', port: 443, rejectUnauthorized: false }, connect), await resolve(), socket()];
    }`;
    const client = `
      import { connect } from 'node:tls';
      import { createSocket } from 'node:dgram';
      import { resolve4 } from 'node:dns/promises';
      const messageOf = (error) => error.message;
      export { connect };
      export const resolve = () => resolve4('api.vendor.example').catch(messageOf);
      export const socket = () => { try { return createSocket('udp4') && 'a socket'; } catch (error) { return error.message; } };`;

    expect(await run(source, { authorities, files: { 'client.mjs': client } })).toEqual([
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'Names are resolved outside of a piece.',
      'Datagrams cannot be sent from a piece.',
    ]);
  });
});

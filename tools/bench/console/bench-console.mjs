// `npm run bench -- console`: measures the web console in Chromium, against the service as `npm start` starts it.
// Options: --only=bytes,flows,editor,fields,runs,run  --rounds=3 (a figure is the median of the rounds; bytes and runs are
// measured once)  --minutes=1 (for runs, 10 for the whole proof)  --out=dist/bench-console.json
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { CannotContinue, giveUp } from '../../progress.mjs';
import { startService } from '../service.mjs';
import { openBrowser } from './browser.mjs';
import { measureBytes } from './bytes.mjs';
import { measureEditor } from './editor.mjs';
import { measureFields } from './fields.mjs';
import { overRounds, tableOf } from './figures.mjs';
import { measureFlows } from './flows.mjs';
import { measureRun } from './run.mjs';
import { measureRuns } from './runs.mjs';

/**
 * @typedef {Awaited<ReturnType<typeof openBrowser>>} Browser
 * @typedef {(method: string, path: string, body?: unknown) => Promise<any>} Call calls the API as the first administrator
 * @typedef {{ service: any, projectId: string, call: Call, browser: Browser, minutes: number }} Bench what each part is
 *   given
 * @typedef {(bench: Bench) => Promise<import('./figures.mjs').Figure[]>} Part measures once, with flows of its own
 */

/** @type {Record<string, Part>} */
const PARTS = {
  bytes: measureBytes,
  flows: measureFlows,
  editor: measureEditor,
  fields: measureFields,
  runs: measureRuns,
  run: measureRun,
};
/** An access token is good for longer. */
const TOKEN_MS = 300_000;

/** What they find is the same each time, or comes from minutes. */
const MEASURED_ONCE = ['bytes', 'runs'];

export async function benchConsole(args) {
  const options = readOptions(args);
  const service = await startService({ queue: 'postgres' });
  try {
    const browser = await openBrowser(service);
    const { projectId } = service.credentials;
    const bench = { service, projectId, call: callerOf(service), browser, minutes: options.minutes };
    const results = [];
    for (const part of options.parts)
      results.push(...(await measured(part, bench, MEASURED_ONCE.includes(part) ? 1 : options.rounds)));
    report(results, options.out, browser.version());
    await browser.close();
  } finally {
    await service.stop();
  }
}

function readOptions(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: { type: 'string', default: Object.keys(PARTS).join(',') },
        rounds: { type: 'string', default: '3' },
        minutes: { type: 'string', default: '1' },
        out: { type: 'string', default: 'dist/bench-console.json' },
      },
    });
    const parts = values.only.split(',');
    const unknown = parts.filter((name) => !Object.hasOwn(PARTS, name));
    if (unknown.length > 0)
      throw new Error(`There is no part ${unknown.join(', ')}. There are ${Object.keys(PARTS).join(', ')}.`);
    return { parts, rounds: Number(values.rounds), minutes: Number(values.minutes), out: values.out };
  } catch (/** @type {any} */ error) {
    giveUp(new CannotContinue(error.message));
    throw error;
  }
}

/**
 * Calls as the person does who is in the browser: a flow that somebody else has just edited cannot be edited.
 * @returns {Call}
 */
function callerOf({ base, credentials: { adminEmail: email, adminPassword: password } }) {
  let session = { token: '', until: 0 };
  /** @returns {Promise<any>} */
  const send = async (method, path, body, /** @type {Record<string, string>} */ headers = {}) => {
    if (body !== undefined) headers['content-type'] = 'application/json';
    const answer = await fetch(`${base}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.status === 204 ? undefined : answer.json();
  };
  return async (method, path, body) => {
    if (session.until < Date.now()) {
      const { token } = await send('POST', '/authentication/sign-in', { email, password });
      session = { token, until: Date.now() + TOKEN_MS };
    }
    return send(method, path, body, { authorization: `Bearer ${session.token}` });
  };
}

/** Measures a part so many times. */
async function measured(part, bench, rounds) {
  const found = [];
  for (let round = 1; round <= rounds; round++) {
    console.error(`${part}: round ${round} of ${rounds} …`);
    found.push(await PARTS[part](bench));
  }
  return overRounds(part, found);
}

function report(results, out, browser) {
  const [{ model }] = cpus();
  const load = loadavg().map((average) => Number(average.toFixed(1)));
  console.log(
    `\n${cpus().length} cores of ${model}, Node ${process.version}, Chromium ${browser}; browser and service on the same ` +
      `machine, whose load was ${load.join(', ')} in the last 1, 5 and 15 minutes\n`,
  );
  console.table(tableOf(results));
  mkdirSync(dirname(out), { recursive: true });
  const machine = { at: new Date().toISOString(), node: process.version, browser, cpu: model, cores: cpus().length };
  writeFileSync(out, `${JSON.stringify({ ...machine, load, results }, null, 2)}\n`);
  console.log(`\nWritten to ${out}`);
}

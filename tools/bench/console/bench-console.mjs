// `npm run bench -- console`: measures the web console in Chromium, against the service as `npm start` starts it.
// Options: --only=flows,editor,runs  --rounds=3 (a figure is the median of the rounds)  --out=dist/bench-console.json
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { CannotContinue, giveUp } from '../../progress.mjs';
import { quantile } from '../quantile.mjs';
import { startService } from '../service.mjs';
import { openBrowser } from './browser.mjs';
import { measureEditor } from './editor.mjs';
import { measureFlows } from './flows.mjs';
import { measureRuns } from './runs.mjs';

/**
 * @typedef {{ what: string, unit: string, value: number, atMost: number }} Figure what was measured, and its budget
 * @typedef {Awaited<ReturnType<typeof openBrowser>>} Browser
 * @typedef {(method: string, path: string, body?: unknown) => Promise<any>} Call calls the API as the first administrator
 * @typedef {{ service: any, projectId: string, call: Call, browser: Browser }} Bench what each part is given
 * @typedef {(bench: Bench) => Promise<Figure[]>} Part measures once, with flows of its own
 */

/** @type {Record<string, Part>} */
const PARTS = { flows: measureFlows, editor: measureEditor, runs: measureRuns };

export async function benchConsole(args) {
  const options = readOptions(args);
  const service = await startService({ queue: 'postgres' });
  try {
    const browser = await openBrowser(service);
    const { projectId } = service.credentials;
    const bench = { service, projectId, call: callerOf(service), browser };
    const figures = [];
    for (const name of options.parts) figures.push(...(await measured(name, bench, options.rounds)));
    await browser.close();
    report(figures, options.out);
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
        out: { type: 'string', default: 'dist/bench-console.json' },
      },
    });
    const parts = values.only.split(',');
    const unknown = parts.filter((name) => !Object.hasOwn(PARTS, name));
    if (unknown.length > 0)
      throw new Error(`There is no part ${unknown.join(', ')}. There are ${Object.keys(PARTS).join(', ')}.`);
    return { parts, rounds: Number(values.rounds), out: values.out };
  } catch (/** @type {any} */ error) {
    giveUp(new CannotContinue(error.message));
    throw error;
  }
}

/** @returns {Call} */
function callerOf({ base, credentials: { apiKey } }) {
  return async (method, path, body) => {
    /** @type {Record<string, string>} */
    const headers = { authorization: `Bearer ${apiKey}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const answer = await fetch(`${base}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.status === 204 ? undefined : answer.json();
  };
}

/** Measures a part several times. A figure is the median of its rounds, which are all in the report. */
async function measured(name, bench, rounds) {
  const found = [];
  for (let round = 1; round <= rounds; round++) {
    console.error(`${name}: round ${round} of ${rounds} …`);
    found.push(await PARTS[name](bench));
  }
  return found[0].map((figure, index) => {
    const values = found.map((figures) => figures[index].value);
    return { part: name, ...figure, value: quantile(values, 0.5), rounds: values };
  });
}

function report(figures, out) {
  const [{ model }] = cpus();
  console.log(
    `\n${cpus().length} cores of ${model}, Node ${process.version}; browser and service on the same machine\n`,
  );
  console.table(
    figures.map(({ part, what, value, unit, atMost, rounds }) => ({
      part,
      what,
      [`value`]: `${value} ${unit}`,
      budget: `${atMost} ${unit}`,
      kept: value <= atMost ? 'yes' : 'NO',
      rounds: rounds.join(', '),
    })),
  );
  mkdirSync(dirname(out), { recursive: true });
  const machine = { at: new Date().toISOString(), node: process.version, cpu: model, cores: cpus().length };
  writeFileSync(out, `${JSON.stringify({ ...machine, figures }, null, 2)}\n`);
  console.log(`\nWritten to ${out}`);
}

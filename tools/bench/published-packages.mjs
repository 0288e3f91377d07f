// Measures the first calls of published packages, and the memory that they take.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchArchive, packageFormsIn } from '../pieces/published.mjs';
import { say } from '../progress.mjs';
import { rssMbOfHosts } from './processes.mjs';
import { quantile } from './quantile.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Packages that their vendors' users have most, and the largest of the catalogue. */
export const PUBLISHED = [
  '@activepieces/piece-baserow@0.10.0',
  '@activepieces/piece-mongodb@0.1.7',
  '@activepieces/piece-notion@0.7.3',
  '@activepieces/piece-openai@0.3.18',
  '@activepieces/piece-shopify@0.3.0',
  '@activepieces/piece-slack@0.17.9',
];
const ROUNDS = 5;
const CALL = { services: {}, timeoutMs: 60_000 };

/**
 * Fetches the packages, builds each with what it needs as a worker does, and has it describe itself, which is more than
 * most calls do. Measured are a first call of all, which starts a process, and one that finds a blank process.
 */
export async function measurePublished(specs, tools) {
  mkdirSync(join(root, 'tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, 'tmp/published-'));
  try {
    const forms = await packageFormsIn(folder);
    const figures = {};
    for (const spec of specs) {
      say(`${spec} …`);
      const { name, version, archive } = await fetchArchive(spec, folder);
      const wanted = { name, version, archive, lock: null, signal: new AbortController().signal };
      figures[spec] = await forms.firstOfUse(wanted, ({ unpacked }) => measureCalls(unpacked, tools));
    }
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureCalls(unpacked, { HostPool, start }) {
  /** @type {number[][]} */
  const [first, withSpare, again, memory] = [[], [], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const hosts = [];
    const noted = (needs) => {
      const host = start(needs);
      hosts.push(host);
      return host;
    };
    const pool = new HostPool({ start: noted, hosts: 4, mostIdleMemoryMb: 512 });
    try {
      first.push(await timeOfCall(pool, 'one', unpacked));
      again.push(await timeOfCall(pool, 'one', unpacked));
      await Promise.all(hosts); // the first call began to start a spare
      withSpare.push(await timeOfCall(pool, 'another', unpacked));
      memory.push(Math.max(...rssMbOfHosts(process.pid)));
    } finally {
      await pool.close();
    }
  }
  const median = (values) => quantile(values, 0.5, 1);
  return {
    'first call of all, ms': median(first),
    'first call with a spare, ms': median(withSpare),
    'second call, ms': median(again),
    'memory, MB': median(memory),
  };
}

async function timeOfCall(pool, projectId, { folder, main, hasNativeParts }) {
  const from = performance.now();
  const request = { kind: 'describe' };
  const answer = await pool.run({ projectId, package: { folder, main, hasNativeParts }, request, ...CALL });
  if ('error' in answer) throw new Error(answer.error.message);
  return performance.now() - from;
}

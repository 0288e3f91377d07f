/**
 * `npm run simulate`: simulates schedules of runs, workers and faults in virtual time. A schedule depends only on its
 * seed. Options: --schedules=100000  --seed=<number of the first schedule; the others count on from it>
 */
import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { giveUp, readOptions, wholeNumberOf, outliveTheReader, say } from './progress.mjs';

const SHOWN_EVERY = 10_000;
const MOST_SHOWN = 5;
const MOST_PROCESSES = 8;
const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'dist/simulate/main.cjs');

const options = readOptions({
  schedules: { type: 'string', default: '100000' },
  seed: { type: 'string', default: String(randomInt(2 ** 31)) },
});
const schedules = wholeNumberOf('schedules', options.schedules, 1);
const firstSeed = wholeNumberOf('seed', options.seed);

async function compile() {
  await build({
    entryPoints: [join(root, 'libs/simulation/src/main.ts')],
    outfile: program,
    tsconfig: join(root, 'tsconfig.base.json'),
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    logLevel: 'warning',
  });
}

/**
 * Simulates a part of the seeds in a process of its own. Rejects when that process fails.
 * @returns {Promise<void>}
 */
function simulate({ from, count }, onMessage) {
  return new Promise((resolve, reject) => {
    const process = fork(program, [String(from), String(count)], { execArgv: ['--enable-source-maps'] });
    process.on('message', onMessage).once('error', reject);
    process.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`A simulation ended with ${code}.`))));
  });
}

function parts(processes) {
  const each = Math.ceil(schedules / processes);
  const starts = Array.from({ length: processes }, (_, index) => index * each).filter((start) => start < schedules);
  return starts.map((start) => ({ from: firstSeed + start, count: Math.min(each, schedules - start) }));
}

function show({ seed, violation, trace }) {
  console.log(`\nSeed ${seed}: ${violation}\n${trace.join('\n')}`);
  console.log(`Repeat it with: npm run simulate -- --schedules=1 --seed=${seed}\n`);
}

async function simulateAll() {
  const done = new Map();
  const found = [];
  let shown = 0;
  const hear = (part) => (message) => {
    if (message.found && found.push(message.found) <= MOST_SHOWN) show(message.found);
    if (message.done) done.set(part, message.done);
    const total = [...done.values()].reduce((sum, count) => sum + count, 0);
    if (total < shown + SHOWN_EVERY) return;
    shown = total;
    say(`${total} schedules, ${found.length} violations.`);
  };
  await Promise.all(parts(Math.min(availableParallelism(), MOST_PROCESSES)).map((part) => simulate(part, hear(part))));
  say(`${schedules} schedules from seed ${firstSeed}: ${found.length} violations.`);
  return found.length === 0 ? 0 : 1;
}

outliveTheReader();
try {
  say(`${schedules} schedules from seed ${firstSeed}.`);
  await compile();
  process.exitCode = await simulateAll();
} catch (error) {
  giveUp(error);
}

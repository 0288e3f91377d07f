// `npm run bench -- --compare <git ref>`: measures another commit and this checkout in turn, with the same load.
import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuild } from '../start/build.mjs';
import { ensureDependencies } from '../start/install.mjs';
import { compareFigures } from './compare-figures.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const BENCH = fileURLToPath(new URL('bench.mjs', import.meta.url));

/**
 * Builds both versions, measures them in turn so that a machine that becomes slower meets both alike, and prints the
 * figures with their ratios. Both get their load from this version's tool.
 * @param {string} ref a commit, a branch or a tag
 * @param {{ rounds: number, options: string[] }} how the options are those of the measurements
 */
export async function compare(ref, { rounds, options }) {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-compare-'));
  const other = join(folder, 'checkout');
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const commit = git('rev-parse', '--verify', `${ref}^{commit}`);
  git('worktree', 'add', '--detach', other, commit);
  try {
    for (const checkout of [other, root]) {
      await ensureDependencies(checkout);
      await ensureBuild(checkout);
    }
    const reports = { before: [], after: [] };
    for (let round = 1; round <= rounds; round++)
      for (const [side, checkout] of [
        ['before', other],
        ['after', root],
      ]) {
        console.error(`Round ${round} of ${rounds}: ${side === 'before' ? ref : 'this checkout'} …`);
        reports[side].push(await measure(checkout, join(folder, `${side}-${round}.json`), options));
      }
    console.log(`\nbefore: ${ref} (${commit.slice(0, 10)}), after: this checkout; medians of ${rounds} rounds`);
    console.table(compareFigures(reports.before, reports.after));
  } finally {
    git('worktree', 'remove', '--force', other);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(checkout, out, options) {
  const child = spawn(process.execPath, [BENCH, ...options, `--root=${checkout}`, `--out=${out}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The measurement of ${checkout} ended with ${code}.`);
  return JSON.parse(readFileSync(out, 'utf8'));
}

/**
 * Puts the figures of the last long proofs, one for each queue, into docs/guarantees.md between two marks. The rest of
 * the page is prose.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { formatted } from '../../formatted.mjs';
import { FAULT_COLUMNS, amount, faultRows, ledgerRows, queueOf } from './lines.mjs';

const BEGIN = '<!-- figures of npm run chaos -- --long -->';
const END = '<!-- end of the figures -->';

export function writePage(root) {
  const proofs = ['postgres', 'redis']
    .map((queue) => join(root, `dist/chaos-long-${queue}.json`))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')));
  const file = join(root, 'docs/guarantees.md');
  const page = withFigures(readFileSync(file, 'utf8'), figures(proofs));
  writeFileSync(file, formatted('docs/guarantees.md', page));
}

/** Replaces what is between the marks. */
export function withFigures(page, text) {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`docs/guarantees.md has lost its marks ${BEGIN} and ${END}.`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${page.slice(end)}`;
}

/** What a proof that begins now proves something of. */
export function madeBy(root) {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const commit = git('rev-parse', '--short=10', 'HEAD');
  return { commit, day: new Date().toISOString().slice(0, 10), cores: cpus().length, node: process.version };
}

export function figures(proofs) {
  return [
    ...proofs.map(introductionOf),
    markdownTable(['', ...proofs.map((proof) => `Queue on ${queueOf(proof)}`)], ledgerColumns(proofs)),
    ...proofs.map(sectionOf),
  ].join('\n\n');
}

function introductionOf(proof) {
  const { plan, made } = proof;
  return `Queue on ${queueOf(proof)}: commit ${made.commit}, ${made.day}, Node ${made.node}, ${made.cores} cores under a load of ${made.load}, which also ran the senders and the networks; ${amount(plan.webhooks)} webhooks, ${plan.rate} a second, ${plan.faults} faults, seed ${plan.seed}.`;
}

function ledgerColumns(proofs) {
  const columns = proofs.map(ledgerRows);
  return columns[0].map(([what], row) => [what, ...columns.map((rows) => rows[row][1])]);
}

function sectionOf(proof) {
  const { problems, leftOut, memoryPeaks } = proof;
  return [
    `### Faults, queue on ${queueOf(proof)}`,
    problems.length === 0 ? 'Everything held.' : ['What did not hold:', ...problems].join('\n\n- '),
    markdownTable(FAULT_COLUMNS, faultRows(proof)),
    ...leftOut.map((each) => `Left out: ${each}.`),
    `Most memory of a process: ${Object.entries(memoryPeaks)
      .map(([name, mb]) => `${name} ${mb} MB`)
      .join(', ')}.`,
  ].join('\n\n');
}

const markdownTable = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

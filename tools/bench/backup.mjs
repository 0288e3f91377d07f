// `npm run bench -- backup`: fills a database with runs and files, backs it up and restores it into another one.
// Options: --runs=300000  --files=300 (of a megabyte each)  --row=16 (megabytes of the largest row)
// Measures how long each command takes and its largest memory (Linux), and compares the rows of both databases.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { usePostgres } from '../embedded-postgres.mjs';
import { CannotContinue, say } from '../progress.mjs';
import { ensureBuild } from '../start/build.mjs';
import { makeThrowAwayFolder, removeThrowAwayFolder } from '../testing/throw-away.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MB = 1024 * 1024;

export async function benchBackup(args) {
  const { runs, files, row } = readOptions(args);
  await ensureBuild(root);
  const folder = makeThrowAwayFolder();
  const postgres = await usePostgres({ folder: join(folder, 'postgres') });
  try {
    const [source, target] = [await postgres.create('source'), await postgres.create('target')];
    await runApi(source, ['migrate']);
    say(`Filling the database with ${runs} runs and ${files} files …`);
    await fill(source, runs, files);
    await addLargeRow(source, row * MB);
    const backup = join(folder, 'backup');
    const made = await runApi(source, ['backup', backup]);
    const restored = await runApi(target, ['restore', backup]);
    const [before, after] = [await summaryOf(source), await summaryOf(target)];
    report({ before, after, made, restored, backupMb: sizeOf(backup) / MB });
  } finally {
    await postgres.stop();
    removeThrowAwayFolder(folder);
  }
}

function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '300000' },
      files: { type: 'string', default: '300' },
      row: { type: 'string', default: '16' },
    },
  });
  const [runs, files, row] = [Number(values.runs), Number(values.files), Number(values.row)];
  if (!(runs >= 1 && files >= 1 && row >= 1))
    throw new CannotContinue('--runs, --files and --row must be numbers from 1.');
  return { runs, files, row };
}

/** Runs a command of the api. @returns how long it took, and the most memory that it held */
async function runApi(databaseUrl, args) {
  say(`${args[0]} …`);
  const from = performance.now();
  const api = spawn(process.execPath, [join(root, 'dist/apps/api/main.cjs'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, SVC_DATABASE_URL: databaseUrl },
  });
  let peakMb = 0;
  const watch = setInterval(() => (peakMb = Math.max(peakMb, peakOf(api.pid))), 50);
  const [code] = await once(api, 'exit');
  clearInterval(watch);
  if (code !== 0) throw new CannotContinue(`The command ${args[0]} ended with ${code}.`);
  return { seconds: (performance.now() - from) / 1_000, peakMb };
}

/** The most memory that a process has held so far, in MB; 0 where the system does not tell. */
function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0; // it has ended just now
  }
}

/** An id of version 7: the time in milliseconds, then digits that look random. */
const idOf = (number, salt) => `
  overlay(overlay(md5('${salt}' || ${number}) placing
    lpad(to_hex((extract(epoch from now()) * 1000)::bigint + ${number} / 100), 12, '0') || '7' from 1 for 13)
    placing '8' from 17 for 1)::uuid`;

const RUNS = `
  insert into flow_run (id, project_id, flow_id, flow_version_id, job_id, updated, start_time, finish_time, steps_count,
    status, environment, triggered_by, trigger_type, payload)
  select ${idOf('n', 'run')}, $1, $1, $1, gen_random_uuid(), now(), now(), now(), 3,
    'SUCCEEDED', 'PRODUCTION', 'WEBHOOK', 'WEBHOOK', convert_to(repeat(md5(n::text), 8), 'UTF8')
  from generate_series($2::int, $3::int) n`;
const SEGMENTS = `
  insert into run_segment (run_id, seq, records)
  select ${idOf('n', 'run')}, seq, convert_to((select string_agg(md5(n || ':' || seq || ':' || i), '') from generate_series(1, 12) i), 'UTF8')
  from generate_series($1::int, $2::int) n, generate_series(0, 2) seq`;
const FILE = `
  insert into file (id, project_id, type, name, content_type, bytes, storage, state, begun, created)
  values ($1, $2, 'STEP_FILE', 'file', 'application/octet-stream', $3, 'DB', 'READY', now(), now())`;
const RUNS_AT_ONCE = 50_000;

async function fill(databaseUrl, runs, files) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query('select gen_random_uuid() as id');
  const project = rows[0].id;
  for (let first = 1; first <= runs; first += RUNS_AT_ONCE) {
    const last = Math.min(runs, first + RUNS_AT_ONCE - 1);
    await client.query('begin'); // ids are made of the time of the transaction
    await client.query(RUNS, [project, first, last]);
    await client.query(SEGMENTS, [first, last]);
    await client.query('commit');
  }
  for (let file = 0; file < files; file++) {
    const made = await client.query('select gen_random_uuid() as id');
    await client.query(FILE, [made.rows[0].id, project, MB]);
    await client.query('insert into file_chunk values ($1, 0, $2)', [made.rows[0].id, randomBytes(MB)]);
  }
  await client.end();
}

/** A row may be as large as the largest output of a step. */
async function addLargeRow(databaseUrl, bytes) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const values = ['ffffffff-ffff-7fff-8fff-ffffffffffff', randomBytes(bytes)];
  await client.query('insert into run_segment values ($1, 0, $2)', values);
  await client.end();
}

const SUMMARY = `
  select (select count(*) from flow_run) as runs, (select count(*) from run_segment) as segments,
    (select count(*) from file) as files,
    (select sum(hashtextextended(run::text, 0)) from flow_run run) as "hashOfRuns",
    (select sum(hashtextextended(segment::text, 0)) from run_segment segment) as "hashOfSegments",
    (select sum(hashtextextended(chunk::text, 0)) from file_chunk chunk) as "hashOfFiles"`;

/** What both databases must have alike, and how large this one is. */
async function summaryOf(databaseUrl) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const rows = (await client.query(SUMMARY)).rows[0];
  const size = await client.query('select pg_database_size(current_database())::float8 as bytes');
  await client.end();
  return { rows, mb: size.rows[0].bytes / MB };
}

function sizeOf(path) {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function report({ before, after, made, restored, backupMb }) {
  const { runs, segments, files } = before.rows;
  console.log(`\n${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}`);
  console.log(
    `${runs} runs, ${segments} segments of their journals, ${files} files; rows are copied on one connection\n`,
  );
  console.table([
    { what: 'database', MB: Math.round(before.mb) },
    {
      what: 'backup',
      MB: Math.round(backupMb),
      seconds: round(made.seconds),
      'peak memory, MB': Math.round(made.peakMb),
    },
    {
      what: 'restore',
      MB: Math.round(after.mb),
      seconds: round(restored.seconds),
      'peak memory, MB': Math.round(restored.peakMb),
    },
  ]);
  if (JSON.stringify(before.rows) !== JSON.stringify(after.rows))
    throw new CannotContinue(`The restored rows differ: ${JSON.stringify({ before: before.rows, after: after.rows })}`);
  console.log('All rows of both databases are alike.');
}

const round = (value) => Number(value.toFixed(1));

/**
 * `npm run pieces:catalogue -- NAMES_FILE`: writes the catalogue of published packages, libs/pieces/catalogue/index.json.
 *
 * Each line of the file names a package, with or without `@version`. Each package is fetched by npm, whose registry is
 * that of this machine, and is built with what it needs, loaded and described in a host, as workers do it. Entries of packages that the
 * file does not name stay as they are. A package that cannot be loaded is left out, with the reason.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pLimit from 'p-limit';
import { formatted } from '../formatted.mjs';
import { importTypeScript } from '../import-typescript.mjs';
import { CannotContinue, giveUp, say, WrongArguments } from '../progress.mjs';
import { compileHostProgram } from './host-program.mjs';
import { fetchArchive, packageFormsIn } from './published.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const CATALOGUE = 'libs/pieces/catalogue/index.json';
const PACKAGES_AT_ONCE = 2;
const DESCRIBE_MS = 30_000;
const LIMITS = { memoryMb: 512, connections: 0, bytesOfCall: 0 };
/** A package is described without a way out. */
const noTarget = () => Promise.reject(new Error('A package reaches nothing while it is described.'));

const { ArchiveError, catalogueEntry, findWalls, holdNativeParts, HostProcess, integrityOf } = await importTypeScript(
  'libs/piece-hosts/src/index.ts',
  'libs/pieces/src/packages/catalogue-entry.ts',
);

/** Reads the names, one in a line. Empty lines and what follows `#` do not count. */
function readNames(file) {
  if (!file) throw new WrongArguments('The command needs a file with the names of packages, one in a line.');
  if (!existsSync(file)) throw new CannotContinue(`There is no file ${file}.`);
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.map((line) => line.replace(/#.*/, '').trim()).filter(Boolean);
}

/** Returns the entry of a package. Rejects with the reason for which it has none. */
async function entryOf(spec, { folder, forms, walls, program }) {
  const { name, version, archive } = await fetchArchive(spec, folder);
  const wanted = { name, version, archive, lock: null, signal: new AbortController().signal };
  const { form, description } = await forms.firstOfUse(wanted, async (form) => ({
    form,
    description: await describe(form.unpacked, { walls, program }),
  }));
  const size = form.archive.length;
  if (form.built !== null) say(`${name} ${version} is built with what it needs: ${size} bytes.`);
  const native = form.unpacked.hasNativeParts ? { hasNativeParts: true } : {};
  return catalogueEntry({ name, version, integrity: integrityOf(archive), size, ...native }, description);
}

/** What a package says of itself in a host. */
async function describe({ folder, main, hasNativeParts }, { walls, program }) {
  if (hasNativeParts && !holdNativeParts(walls)) throw new Error('its native parts need more walls than there are');
  const limits = { ...LIMITS, loadsNativeParts: hasNativeParts };
  const host = await HostProcess.start({ walls, program, limits, resolve: noTarget });
  try {
    const call = { services: {}, timeoutMs: DESCRIBE_MS };
    const loaded = await host.load(folder, main, call);
    if ('error' in loaded) throw new ArchiveError(loaded.error.message);
    const described = await host.run({ kind: 'describe' }, call);
    if ('error' in described) throw new ArchiveError(described.error.message);
    return described.value;
  } finally {
    await host.stop();
  }
}

async function makeCatalogue(names, folder) {
  const forms = await packageFormsIn(folder);
  const tools = { folder, forms, walls: await findWalls(), program: await compileHostProgram(folder) };
  const path = join(root, CATALOGUE);
  const entries = new Map(
    JSON.parse(existsSync(path) ? readFileSync(path, 'utf8') : '[]').map((one) => [one.name, one]),
  );
  const line = pLimit(PACKAGES_AT_ONCE);
  const failed = [];
  const add = async (spec) => {
    try {
      const entry = await entryOf(spec, tools);
      entries.set(entry.name, entry);
      say(`${entry.name} ${entry.version}: ${Object.keys(entry.actions).length} actions.`);
    } catch (error) {
      failed.push(spec);
      say(`${spec} is left out: ${String(/** @type {Error} */ (error).message).split('\n', 1)[0]}`);
    }
  };
  await Promise.all(names.map((spec) => line(() => add(spec))));
  const sorted = [...entries.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  writeFileSync(path, formatted(CATALOGUE, JSON.stringify(sorted)));
  say(`${CATALOGUE} has ${sorted.length} packages; ${failed.length} of ${names.length} were left out.`);
}

mkdirSync(join(root, 'tmp'), { recursive: true });
const folder = mkdtempSync(join(root, 'tmp/catalogue-'));
try {
  await makeCatalogue(readNames(process.argv[2]), folder);
} catch (error) {
  giveUp(error);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

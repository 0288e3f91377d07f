import type { BuildFailure, BuildOptions, Message } from 'esbuild';
import { createHash } from 'node:crypto';
import { AUTHOR_FILE } from '../author-position';
import { STEP_MAKER } from '../sandbox-task';
import type { BundleProblem, CodeBundle } from './code-bundle';
import type { PackageFolder } from './package-folder';
import { NOT_OF_A_PACKAGE, packageOf, stepPackages } from './step-packages';

const MOST_SCRIPT_BYTES = 8 * 1024 * 1024;
/** What the pinned QuickJS understands; newer syntax is rewritten. */
const TARGET = 'es2023';
/** How esbuild tells of a computed name: as text that it cannot expand, or in a warning. */
const COMPUTED_PATH = /^Could not resolve (?:require|import)\("/;
const COMPUTED_NAMES = ['unsupported-require-call', 'unsupported-dynamic-import'];

export type Esbuild = Pick<typeof import('esbuild'), 'build' | 'transform'>;

interface Compiled {
  js: string;
  map: string;
  warnings: Message[];
}

/** Strips the types of a step's source and bundles its packages. Runs in a process of its own (see ADR 0016). */
export async function bundleSource(
  esbuild: Esbuild,
  code: string,
  folder: PackageFolder | undefined,
): Promise<CodeBundle | BundleProblem> {
  try {
    const compiled = await compile(esbuild, code, folder);
    return problemIn(compiled, code) ?? wrap(compiled);
  } catch (failure) {
    const { errors } = failure as BuildFailure;
    if (!errors) throw failure;
    return problemOf(errors.find(isComputed) ?? errors.find(({ location }) => location) ?? errors[0]);
  }
}

async function compile(esbuild: Esbuild, code: string, folder: PackageFolder | undefined): Promise<Compiled> {
  // Only these words can ask for a package; most code has neither. A transformation is given no file system at all.
  if (!/\b(?:import|require)\b/.test(code)) {
    const { js, map, warnings } = await transformed(esbuild, code);
    return { js, map, warnings };
  }
  const result = await esbuild.build(buildOptions(code, folder));
  const output = (suffix: string) => result.outputFiles.find(({ path }) => path.endsWith(suffix))?.text ?? '';
  return { js: output('.js'), map: output('.map'), warnings: result.warnings };
}

const COMMON = {
  target: TARGET,
  format: 'cjs',
  sourcesContent: false,
  logLevel: 'silent',
  // With a configuration given, no tsconfig.json is looked for.
  tsconfigRaw: '{}',
} as const;

async function transformed(esbuild: Esbuild, source: string): Promise<Compiled> {
  const options = { ...COMMON, loader: 'ts', sourcefile: AUTHOR_FILE, sourcemap: 'external' } as const;
  const { code, map, warnings } = await esbuild.transform(source, options);
  return { js: code, map, warnings };
}

export function buildOptions(code: string, folder: PackageFolder | undefined) {
  // Without one, esbuild would look for computed names from the root of the file system.
  const resolveDir = folder?.path ?? process.cwd();
  return {
    ...COMMON,
    // A map file named by the source would be opened.
    stdin: {
      contents: code.replaceAll('sourceMappingURL=', 'sourceMappingURL:'),
      loader: 'ts',
      sourcefile: AUTHOR_FILE,
      resolveDir,
    },
    // Paths in the script are relative to it: they are the same on every machine, and name nothing of ours.
    absWorkingDir: resolveDir,
    bundle: true,
    write: false,
    outfile: 'step.js',
    platform: 'browser',
    sourcemap: 'external',
    logOverride: Object.fromEntries(COMPUTED_NAMES.map((id) => [id, 'warning' as const])),
    plugins: [stepPackages(folder)],
  } satisfies BuildOptions;
}

function problemIn({ js, warnings }: Compiled, code: string): BundleProblem | undefined {
  const inAuthors = warnings.filter(({ location }) => location?.file === AUTHOR_FILE);
  const importMeta = inAuthors.find(({ id }) => id === 'empty-import-meta');
  if (importMeta)
    return { ...problemOf(importMeta), problem: 'The code uses import.meta, which code steps do not have.' };
  const computed = inAuthors.find(({ id }) => COMPUTED_NAMES.includes(id));
  if (computed) return problemOf(computed);
  if (Buffer.byteLength(js) > MOST_SCRIPT_BYTES) return { problem: 'The code with its packages is longer than 8 MiB.' };
  if (!exportsCode(js, code)) return { problem: 'The code exports no function named "code".' };
  return undefined;
}

/** Read from the list esbuild writes for a module; for older styles of export a word tells, and the isolate makes sure. */
function exportsCode(js: string, code: string): boolean {
  const isModule = /^module\.exports = __toCommonJS\(/m.test(js);
  if (!isModule) return /\bexports\b/.test(code) && /\bcode\b/.test(code);
  return /^__export\(\w+, \{\n(?: {2}.*\n)*? {2}code: \(\) =>/m.test(js) || /^__reExport\(/m.test(js);
}

/** The script: one function that runs the top level once and gives the step. */
function wrap({ js, map }: Compiled): CodeBundle {
  const script = `${STEP_MAKER} var module = { exports: {} }, exports = module.exports;\n${js}\nreturn module.exports.code; }`;
  const parsed = JSON.parse(map) as { mappings: string };
  // One line stands before the compiled code.
  const sourceMap = JSON.stringify({ ...parsed, mappings: `;${parsed.mappings}` });
  return { script, scriptHash: createHash('sha256').update(script).digest('hex'), sourceMap };
}

const isComputed = ({ id, text }: Message): boolean =>
  text === NOT_OF_A_PACKAGE || COMPUTED_PATH.test(text) || COMPUTED_NAMES.includes(id);

function problemOf(message: Message): BundleProblem {
  const { location } = message;
  const isAuthors = location?.file === AUTHOR_FILE;
  const problem = isComputed(message) ? computedName(isAuthors, location?.file) : sentence(message.text);
  return location && isAuthors ? { problem, line: location.line, column: location.column + 1 } : { problem };
}

function computedName(isAuthors: boolean, file = ''): string {
  const asker = isAuthors ? 'The code' : `The package "${packageOf(file)}"`;
  return `${asker} computes the name of what it imports; code steps take only names that are written out.`;
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

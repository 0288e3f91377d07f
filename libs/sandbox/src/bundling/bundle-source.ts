import type { BuildFailure, BuildOptions, Message } from 'esbuild';
import { createHash } from 'node:crypto';
import { AUTHOR_FILE } from '../author-position';
import { STEP_MAKER } from '../sandbox-task';
import type { BundleProblem, CodeBundle } from './code-bundle';
import type { PackageFolder } from './package-folder';
import { NOT_OF_A_PACKAGE, packageOf, stepPackages } from './step-packages';

const MOST_SCRIPT_BYTES = 8 * 1024 * 1024;
/** The pinned QuickJS understands this version of the language. esbuild rewrites newer syntax. */
const TARGET = 'es2023';
/** esbuild reports a computed name of a package by an error with this text, or by a warning with one of these ids. */
const COMPUTED_PATH = /^Could not resolve (?:require|import)\("/;
const COMPUTED_NAMES = ['unsupported-require-call', 'unsupported-dynamic-import'];

export type Esbuild = Pick<typeof import('esbuild'), 'build' | 'transform'>;

interface Compiled {
  js: string;
  map: string;
  warnings: Message[];
}

/**
 * Strips the types of a step's source and bundles its packages. This runs in a process of its own (ADR 0016). A source
 * that cannot be bundled gives a BundleProblem; the promise rejects only when the compiler itself ended.
 */
export async function bundleSource(
  esbuild: Esbuild,
  code: string,
  folder: PackageFolder | undefined,
): Promise<CodeBundle | BundleProblem> {
  try {
    const compiled = await compile(esbuild, code, folder);
    return problemIn(compiled, code) ?? wrap(compiled);
  } catch (failure) {
    const { errors = [] } = failure as Partial<BuildFailure>;
    const first = errors.find(isComputed) ?? errors.find(({ location }) => location) ?? errors[0];
    if (!first) throw failure;
    return problemOf(first);
  }
}

async function compile(esbuild: Esbuild, code: string, folder: PackageFolder | undefined): Promise<Compiled> {
  // Code without these two words imports nothing, so esbuild only transforms it and never looks at the file system.
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
  // esbuild looks for a tsconfig.json unless it is given a configuration.
  tsconfigRaw: '{}',
} as const;

async function transformed(esbuild: Esbuild, source: string): Promise<Compiled> {
  const options = { ...COMMON, loader: 'ts', sourcefile: AUTHOR_FILE, sourcemap: 'external' } as const;
  const { code, map, warnings } = await esbuild.transform(source, options);
  return { js: code, map, warnings };
}

export function buildOptions(code: string, folder: PackageFolder | undefined) {
  // esbuild looks for computed names from the root of the file system when `resolveDir` is missing.
  const resolveDir = folder?.path ?? process.cwd();
  return {
    ...COMMON,
    // esbuild would open a source map that the source names, so the comment that names one is broken up.
    stdin: {
      contents: code.replaceAll('sourceMappingURL=', 'sourceMappingURL:'),
      loader: 'ts',
      sourcefile: AUTHOR_FILE,
      resolveDir,
    },
    // Paths in the script are relative to this folder, so they are the same on every machine and show no path of ours.
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

/**
 * Whether the source exports `code`. esbuild writes a list of exports for an ES module. For CommonJS this only looks
 * for the words; the isolate checks the export itself before the first step.
 */
function exportsCode(js: string, code: string): boolean {
  const isModule = /^module\.exports = __toCommonJS\(/m.test(js);
  if (!isModule) return /\bexports\b/.test(code) && /\bcode\b/.test(code);
  return /^__export\(\w+, \{\n(?: {2}.*\n)*? {2}code: \(\) =>/m.test(js) || /^__reExport\(/m.test(js);
}

/** Wraps the compiled code into one function that runs its top level and returns the step's function. */
function wrap({ js, map }: Compiled): CodeBundle {
  const script = `${STEP_MAKER} var module = { exports: {} }, exports = module.exports;\n${js}\nreturn module.exports.code; }`;
  const parsed = JSON.parse(map) as { mappings: string };
  // The script has one line before the compiled code, so the mappings start with an empty line.
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

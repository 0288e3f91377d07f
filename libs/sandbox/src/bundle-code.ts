import { build, transform, type BuildFailure, type Message } from 'esbuild';
import { createHash } from 'node:crypto';
import { AUTHOR_FILE } from './author-position';
import { withCompiler } from './compiler-process';
import { installPackages, readDependencies, type Dependencies } from './install-packages';
import { packageResolver } from './package-resolver';
import { STEP_MAKER } from './sandbox-task';

const MOST_SOURCE_BYTES = 1024 * 1024;
const MOST_SCRIPT_BYTES = 8 * 1024 * 1024;
/** What the pinned QuickJS understands; newer syntax is rewritten. */
const TARGET = 'es2023';

export interface CodeSource {
  /** TypeScript or JavaScript that exports a function named `code`. */
  code: string;
  /** Text of a package.json; only its dependencies count. Empty for none. */
  packageJson: string;
}

/** A source ready for `SandboxTask`: `script`, its `scriptHash`, and the map back to the author's lines. */
export interface CodeBundle {
  script: string;
  scriptHash: string;
  sourceMap: string;
}

/** Why a source cannot be run, in one sentence, and where when that is known (counted from 1). */
export interface BundleProblem {
  problem: string;
  line?: number;
  column?: number;
}

interface Compiled {
  js: string;
  map: string;
  warnings: Message[];
}

/**
 * Strips the types and bundles the packages of a code step. Without dependencies it takes about a millisecond and
 * touches no file; with them they are installed once into `packageCacheDir`.
 */
export async function bundleCode(
  source: CodeSource,
  options: { packageCacheDir?: string } = {},
): Promise<CodeBundle | BundleProblem> {
  if (Buffer.byteLength(source.code) > MOST_SOURCE_BYTES) return { problem: 'The code is longer than 1 MiB.' };
  const dependencies = readDependencies(source.packageJson);
  if (isProblem(dependencies)) return dependencies;
  const folder = await packagesFolder(dependencies, options.packageCacheDir);
  if (isProblem(folder)) return folder;
  try {
    const compiled = await withCompiler(() => compile(source.code, folder));
    return problemIn(compiled, source.code) ?? wrap(compiled);
  } catch (failure) {
    const [error] = (failure as BuildFailure).errors ?? [];
    if (!error) throw failure;
    return problemOf(error);
  }
}

export function isProblem(result: object | string | undefined): result is BundleProblem {
  return typeof result === 'object' && 'problem' in result && typeof result.problem === 'string';
}

async function packagesFolder(
  dependencies: Dependencies,
  cacheDir?: string,
): Promise<string | BundleProblem | undefined> {
  if (dependencies.size === 0) return undefined;
  if (!cacheDir) return { problem: 'Code steps cannot have dependencies here: no package cache is configured.' };
  return installPackages(dependencies, cacheDir);
}

async function compile(code: string, folder: string | undefined): Promise<Compiled> {
  const common = {
    target: TARGET,
    format: 'cjs',
    sourcesContent: false,
    logLevel: 'silent',
    tsconfigRaw: '{}',
  } as const;
  // Only these words can ask for a package; most code has neither.
  if (!/\b(?:import|require)\b/.test(code)) {
    const {
      code: js,
      map,
      warnings,
    } = await transform(code, { ...common, loader: 'ts', sourcefile: AUTHOR_FILE, sourcemap: 'external' });
    return { js, map, warnings };
  }
  const result = await build({
    ...common,
    // A map file named by the source would be opened.
    stdin: {
      contents: code.replaceAll('sourceMappingURL=', 'sourceMappingURL:'),
      loader: 'ts',
      sourcefile: AUTHOR_FILE,
      resolveDir: folder,
    },
    bundle: true,
    write: false,
    // Paths in the script are relative to it: they are the same on every machine, and name nothing of ours.
    absWorkingDir: folder,
    outfile: 'step.js',
    platform: 'browser',
    sourcemap: 'external',
    plugins: [packageResolver(folder)],
  });
  const output = (suffix: string) => result.outputFiles.find(({ path }) => path.endsWith(suffix))?.text ?? '';
  return { js: output('.js'), map: output('.map'), warnings: result.warnings };
}

function problemIn({ js, warnings }: Compiled, code: string): BundleProblem | undefined {
  const importMeta = warnings.find(({ id }) => id === 'empty-import-meta');
  if (importMeta)
    return { ...problemOf(importMeta), problem: 'The code uses import.meta, which code steps do not have.' };
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

function problemOf({ text, location }: Message): BundleProblem {
  const sentence = /[.!?]$/.test(text) ? text : `${text}.`;
  if (!location || location.file !== AUTHOR_FILE) return { problem: sentence };
  return { problem: sentence, line: location.line, column: location.column + 1 };
}

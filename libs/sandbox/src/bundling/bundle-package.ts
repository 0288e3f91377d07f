import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { BuildFailure, BuildOptions, Message, OnResolveResult, Plugin } from 'esbuild';
import type { Esbuild } from './bundle-source';
import { isProblem, type BundleProblem } from './code-bundle';
import type { PackageFolder } from './package-folder';
import { PackageResolution, type AskedBy, type Resolution } from './package-resolution';
import { load, NOT_OF_A_PACKAGE, PACKAGES, packageOf, refused } from './step-packages';

const MOST_SCRIPT_BYTES = 20 * 1024 * 1024;
/** The oldest Node.js that the service runs on. */
const TARGET = 'node20';

/** By these a module finds files that are beside it, which a bundle has not. */
const NAMES_OF_FILES = /\b__(?:dir|file)name\b/;
const SEEKS_ITS_FILES: BundleProblem = { problem: 'It looks for its own files.' };
/** The folder of the package that is bundled. */
const OWN = '';

type Manifest = Partial<Record<'dependencies' | 'optionalDependencies' | 'peerDependencies', Record<string, string>>>;

export interface PackageBundle {
  script: string;
  /**
   * The folders of packages that look for files beside their code, and of those that they need. They have to stand
   * beside the script as they are.
   */
  beside: readonly string[];
}

/**
 * Bundles the main module of a package with all that it needs into one script for Node.js. Packages that look for files
 * beside their code are left out of it. A package that has more than JavaScript and JSON, or that itself looks for its
 * own files, gives a BundleProblem. The promise rejects only when the compiler itself ended.
 */
export async function bundlePackage(
  esbuild: Esbuild,
  folder: PackageFolder,
  main: string,
): Promise<PackageBundle | BundleProblem> {
  try {
    const whole = await build(esbuild, folder, main, new Set());
    if (isProblem(whole) || !NAMES_OF_FILES.test(whole.script)) return bundleOf(whole, []);
    if (whole.seeking.has(OWN)) return SEEKS_ITS_FILES;
    const most = await build(esbuild, folder, main, whole.seeking);
    return bundleOf(most, withNeeds(folder, whole.seeking));
  } catch (failure) {
    const [first] = (failure as Partial<BuildFailure>).errors ?? [];
    if (!first) throw failure;
    return { problem: said(first) };
  }
}

interface Built {
  script: string;
  /** The folders of the packages in whose code a name of a file stands. */
  seeking: ReadonlySet<string>;
}

async function build(
  esbuild: Esbuild,
  folder: PackageFolder,
  main: string,
  leftOut: ReadonlySet<string>,
): Promise<Built | BundleProblem> {
  const seeking = new Set<string>();
  const { outputFiles, warnings } = await esbuild.build(
    optionsFor(main, filesOf(folder, leftOut, seeking), folder.path),
  );
  const importMeta = warnings.find(({ id }) => id === 'empty-import-meta');
  return importMeta ? { problem: said(importMeta) } : { script: outputFiles[0]?.text ?? '', seeking };
}

function bundleOf(built: Built | BundleProblem, beside: readonly string[]): PackageBundle | BundleProblem {
  if (isProblem(built)) return built;
  const { script } = built;
  if (Buffer.byteLength(script) > MOST_SCRIPT_BYTES) return { problem: 'The bundle is longer than 20 MiB.' };
  return NAMES_OF_FILES.test(script) ? SEEKS_ITS_FILES : { script, beside };
}

const said = ({ text, location }: Message): string => (location ? `${packageOf(location.file)}: ${text}` : text);

const optionsFor = (main: string, files: Plugin, absWorkingDir: string) =>
  ({
    absWorkingDir,
    entryPoints: [main],
    bundle: true,
    write: false,
    outfile: 'index.js',
    platform: 'node',
    target: TARGET,
    format: 'cjs',
    // Packages know classes by their names.
    keepNames: true,
    legalComments: 'none',
    sourcemap: false,
    logLevel: 'silent',
    // esbuild looks for a tsconfig.json unless it is given a configuration.
    tsconfigRaw: '{}',
    plugins: [files],
  }) satisfies BuildOptions;

/**
 * Lets a package have the files of its folder and the modules of Node.js, and nothing else. Packages that are left out
 * are found where they are when the script runs.
 */
function filesOf(folder: PackageFolder, leftOut: ReadonlySet<string>, seeking: Set<string>): Plugin {
  const resolution = new PackageResolution(folder, 'node');
  return {
    name: 'files-of-the-package',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, kind, importer }): OnResolveResult => {
        if (kind === 'entry-point') return { path: posix.normalize(path), namespace: PACKAGES };
        if (isBuiltin(path)) return { path, external: true };
        if (kind === 'require-resolve') return { errors: [{ text: SEEKS_ITS_FILES.problem }] };
        const resolve = (askedBy: AskedBy) => resolution.resolve(path, posix.dirname(importer), askedBy);
        const found = resolve(kind === 'require-call' ? 'require' : 'import');
        if (found?.kind === 'file' && leftOut.has(folderOf(found.name))) return besideTheScript(resolve('require'));
        if (found?.kind === 'file')
          return { path: found.name, namespace: PACKAGES, sideEffects: found.hasSideEffects ? undefined : false };
        // A `require` or `import()` may stand in a branch that never runs, so it fails only when it runs.
        if (kind !== 'import-statement') return { path, external: true };
        return { errors: [{ text: `It imports "${path}", which cannot be had.` }] };
      });
      build.onLoad({ filter: /.*/ }, ({ path, namespace }) => {
        if (namespace !== PACKAGES) return refused(NOT_OF_A_PACKAGE);
        const loaded = load(folder, path);
        if (NAMES_OF_FILES.test(String(loaded.contents))) seeking.add(folderOf(path));
        return loaded;
      });
    },
  };
}

/** The script is CommonJS, so it gets what `require` finds. */
const besideTheScript = (found: Resolution | undefined): OnResolveResult =>
  found?.kind === 'file' && !found.name.endsWith('.mjs')
    ? { path: `./${found.name}`, external: true }
    : { errors: [{ text: SEEKS_ITS_FILES.problem }] };

/** The folder of the package to which a file belongs. */
const folderOf = (file: string): string => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? OWN;

/** These folders of packages, and those of all that they need. */
function withNeeds(folder: PackageFolder, packages: ReadonlySet<string>): string[] {
  const all = new Set(packages);
  for (const each of all)
    for (const name of needsOf(folder, each)) for (const place of placeOf(folder, name, each)) all.add(place);
  return [...all];
}

function needsOf(folder: PackageFolder, place: string): string[] {
  const manifest = JSON.parse(folder.read(`${place}/package.json`) ?? '{}') as Manifest;
  return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.peerDependencies });
}

/** Where a package finds another one: the nearest folder of that name above it. None when it is not installed. */
function placeOf(folder: PackageFolder, name: string, from: string): string[] {
  for (let above = from; ; above = posix.dirname(above)) {
    const place = posix.join(above, 'node_modules', name);
    if (folder.isFile(`${place}/package.json`)) return [place];
    if (above === '.' || above === OWN) return [];
  }
}

import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import type { BuildFailure, BuildOptions, Message, OnResolveResult, Plugin } from 'esbuild';
import type { Esbuild } from './bundle-source';
import type { BundleProblem } from './code-bundle';
import type { PackageFolder } from './package-folder';
import { PackageResolution } from './package-resolution';
import { load, NOT_OF_A_PACKAGE, PACKAGES, packageOf, refused } from './step-packages';

const MOST_SCRIPT_BYTES = 20 * 1024 * 1024;
/** The oldest Node.js that the service runs on. */
const TARGET = 'node20';

/** By these a module finds files that are beside it, which a bundle has not. */
const NAMES_OF_FILES = /\b__(?:dir|file)name\b/;

export interface PackageBundle {
  script: string;
}

/**
 * Bundles the main module of a package with all that it needs into one script for Node.js. A package that has more than
 * JavaScript and JSON, or that looks for its own files, gives a BundleProblem. The promise rejects only when the compiler
 * itself ended.
 */
export async function bundlePackage(
  esbuild: Esbuild,
  folder: PackageFolder,
  main: string,
): Promise<PackageBundle | BundleProblem> {
  try {
    const { outputFiles, warnings } = await esbuild.build(optionsFor(folder, main));
    const script = outputFiles[0]?.text ?? '';
    if (Buffer.byteLength(script) > MOST_SCRIPT_BYTES) return { problem: 'The bundle is longer than 20 MiB.' };
    if (NAMES_OF_FILES.test(script)) return { problem: 'It looks for its own files.' };
    const importMeta = warnings.find(({ id }) => id === 'empty-import-meta');
    return importMeta ? { problem: said(importMeta) } : { script };
  } catch (failure) {
    const [first] = (failure as Partial<BuildFailure>).errors ?? [];
    if (!first) throw failure;
    return { problem: said(first) };
  }
}

const said = ({ text, location }: Message): string => (location ? `${packageOf(location.file)}: ${text}` : text);

const optionsFor = (folder: PackageFolder, main: string) =>
  ({
    absWorkingDir: folder.path,
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
    plugins: [filesOf(folder)],
  }) satisfies BuildOptions;

/** Lets a package have the files of its folder and the modules of Node.js, and nothing else. */
function filesOf(folder: PackageFolder): Plugin {
  const resolution = new PackageResolution(folder, 'node');
  return {
    name: 'files-of-the-package',
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path, kind, importer }): OnResolveResult => {
        if (kind === 'entry-point') return { path: posix.normalize(path), namespace: PACKAGES };
        if (isBuiltin(path)) return { path, external: true };
        if (kind === 'require-resolve') return { errors: [{ text: 'It looks for its own files.' }] };
        const askedBy = kind === 'require-call' ? 'require' : 'import';
        const found = resolution.resolve(path, posix.dirname(importer), askedBy);
        if (found?.kind === 'file')
          return { path: found.name, namespace: PACKAGES, sideEffects: found.hasSideEffects ? undefined : false };
        // A `require` or `import()` may stand in a branch that never runs, so it fails only when it runs.
        if (kind !== 'import-statement') return { path, external: true };
        return { errors: [{ text: `It imports "${path}", which cannot be had.` }] };
      });
      build.onLoad({ filter: /.*/ }, ({ path, namespace }) =>
        namespace === PACKAGES ? load(folder, path) : refused(NOT_OF_A_PACKAGE),
      );
    },
  };
}

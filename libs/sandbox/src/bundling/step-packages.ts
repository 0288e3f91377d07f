import type { Loader, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import type { PackageFolder } from './package-folder';
import { PackageResolution } from './package-resolution';

/** The esbuild namespace of the step's package files, by their names in the package folder. No other file is loaded. */
export const PACKAGES = 'package';
const EMPTY = 'empty';

/** An empty source map. It keeps esbuild from opening a map that a package names; only the author's code is mapped. */
const NO_MAP =
  '\n//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIiJdLCJtYXBwaW5ncyI6IkEifQ==';

/** The plugin resolves every name that is written out, so a file outside the packages comes from a computed name. */
export const NOT_OF_A_PACKAGE = 'A computed name leads out of the packages.';

const LOADERS: Readonly<Record<string, Loader>> = {
  '.js': 'js',
  '.cjs': 'js',
  '.mjs': 'js',
  '.jsx': 'jsx',
  '.ts': 'ts',
  '.cts': 'ts',
  '.mts': 'ts',
  '.tsx': 'tsx',
  '.json': 'json',
};

/**
 * Lets a step's source import the packages that were installed for it and nothing else; without a folder it can import
 * nothing. esbuild expands a computed `require` into every file that fits and does not ask the plugin to resolve them.
 * So the loader decides: it loads files of the PackageFolder and refuses every other file.
 */
export function stepPackages(folder: PackageFolder | undefined): Plugin {
  const resolution = folder && new PackageResolution(folder);
  return {
    name: 'packages-of-the-step',
    setup(build) {
      build.onResolve({ filter: /.*/ }, (args): OnResolveResult | undefined => {
        if (args.kind === 'entry-point') return undefined;
        const isAuthors = args.namespace !== PACKAGES;
        const isAllowed = !isAuthors || !isPath(args.path);
        const from = isAuthors ? '' : posix.dirname(args.importer);
        const askedBy = args.kind.startsWith('require') ? 'require' : 'import';
        const found = isAllowed ? resolution?.resolve(args.path, from, askedBy) : undefined;
        if (found?.kind === 'file')
          return { path: found.name, namespace: PACKAGES, sideEffects: found.hasSideEffects ? undefined : false };
        if (found?.kind === 'empty') return { path: args.path, namespace: EMPTY };
        // A `require` or `import()` of the author may stand in a branch that never runs, so it fails only when it runs.
        if (isAuthors && args.kind !== 'import-statement') return { path: args.path, external: true };
        return { errors: [{ text: refusal(args, isAuthors) }] };
      });
      build.onLoad({ filter: /.*/ }, ({ path, namespace }): OnLoadResult => {
        if (namespace === EMPTY) return { contents: 'module.exports = {};' };
        if (namespace !== PACKAGES || folder === undefined) return refused(NOT_OF_A_PACKAGE);
        return load(folder, path);
      });
    },
  };
}

/** A file of a package, as esbuild takes it. */
export function load(folder: PackageFolder, path: string): OnLoadResult {
  const loader = LOADERS[posix.extname(path)];
  if (!loader)
    return refused(`The package "${packageOf(path)}" has "${path}": only JavaScript and JSON can be bundled.`);
  const text = folder.read(path);
  if (text === undefined) return refused(`The package "${packageOf(path)}" has no file "${path}".`);
  const resolveDir = join(folder.path, posix.dirname(path));
  return { contents: loader === 'json' ? text : text + NO_MAP, loader, resolveDir };
}

export const refused = (text: string): OnLoadResult => ({ errors: [{ text }] });

function isPath(specifier: string): boolean {
  return /^[./\\]|^\w+:/.test(specifier);
}

function refusal({ path, importer }: OnResolveArgs, isAuthors: boolean): string {
  const asker = isAuthors ? 'The code' : `The package "${packageOf(importer)}"`;
  if (isBuiltin(path)) return `${asker} needs "${path}", a part of Node.js that code steps do not have.`;
  if (isAuthors && !isPath(path)) return `The package "${path}" is not among the dependencies of the step.`;
  return `${asker} imports "${path}", which cannot be had.`;
}

export function packageOf(file: string): string {
  const parts = file.split('node_modules/').pop()?.split('/') ?? [];
  return parts[0]?.startsWith('@') ? `${parts[0]}/${parts[1]}` : (parts[0] ?? file);
}

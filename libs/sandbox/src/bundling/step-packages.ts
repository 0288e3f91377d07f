import type { Loader, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import type { PackageFolder } from './package-folder';
import { PackageResolution } from './package-resolution';

/** The files of the step's packages, by their names in the package folder. Nothing else is ever loaded. */
const PACKAGES = 'package';
const EMPTY = 'empty';

/** A map with nothing in it. Only the author's file is mapped, and no map that a package names is ever opened. */
const NO_MAP =
  '\n//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIiJdLCJtYXBwaW5ncyI6IkEifQ==';

/** Names that are written out are resolved by us, so only a computed one comes to the loader from elsewhere. */
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
 * Lets a step's source import the packages installed for it and nothing else. Without a folder there are no packages.
 * esbuild expands a computed `require` into every file that fits, without asking where they lie, so the loader is what
 * decides: it gives the files of the PackageFolder and refuses everything else, of whatever kind.
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
        // The author may ask at run time, in a branch never taken; then the guest's own error answers.
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

function load(folder: PackageFolder, path: string): OnLoadResult {
  const loader = LOADERS[posix.extname(path)];
  if (!loader)
    return refused(`The package "${packageOf(path)}" has "${path}": only JavaScript and JSON can be bundled.`);
  const text = folder.read(path);
  if (text === undefined) return refused(`The package "${packageOf(path)}" has no file "${path}".`);
  const resolveDir = join(folder.path, posix.dirname(path));
  return { contents: loader === 'json' ? text : text + NO_MAP, loader, resolveDir };
}

const refused = (text: string): OnLoadResult => ({ errors: [{ text }] });

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

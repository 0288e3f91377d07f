import type { OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, sep } from 'node:path';

const OURS = Symbol('asked by this plugin');
/** A map with nothing in it. Only the author's file is mapped, and no map file a package names is ever opened. */
const NO_MAP =
  '\n//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIiJdLCJtYXBwaW5ncyI6IkEifQ==';

/**
 * Lets a step's source import the packages installed for it and nothing else: no file of the host, no part of Node.js,
 * no package that lies in a folder above. Without a folder there are no packages.
 */
export function packageResolver(folder: string | undefined): Plugin {
  return {
    name: 'packages-of-the-step',
    setup(build) {
      build.onResolve({ filter: /./ }, async (args): Promise<OnResolveResult | undefined> => {
        if (args.kind === 'entry-point' || args.pluginData === OURS) return undefined;
        const isAuthors = folder === undefined || !isInside(join(folder, 'node_modules'), args.importer);
        if (folder !== undefined && !(isAuthors && isPath(args.path))) {
          const { importer, namespace, resolveDir, kind, path } = args;
          const found = await build.resolve(path, { importer, namespace, resolveDir, kind, pluginData: OURS });
          if (found.errors.length === 0 && isInside(folder, found.path)) return found;
        }
        // The author may ask at run time, in a branch never taken; then the guest's own error answers.
        if (isAuthors && args.kind !== 'import-statement') return { path: args.path, external: true };
        return { errors: [{ text: refusal(args, isAuthors) }] };
      });
      build.onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => ({
        contents: (await readFile(path, 'utf8')) + NO_MAP,
        loader: /ts$/.test(path) ? 'ts' : 'js',
      }));
    },
  };
}

function isPath(specifier: string): boolean {
  return /^[./\\]|^\w+:/.test(specifier);
}

function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder + sep);
}

function refusal({ path, importer }: OnResolveArgs, isAuthors: boolean): string {
  const asker = isAuthors ? 'The code' : `The package "${packageOf(importer)}"`;
  if (isBuiltin(path)) return `${asker} needs "${path}", a part of Node.js that code steps do not have.`;
  if (isAuthors && !isPath(path)) return `The package "${path}" is not among the dependencies of the step.`;
  return `${asker} imports "${path}", which cannot be had.`;
}

function packageOf(file: string): string {
  const parts = file.split(`node_modules${sep}`).pop()?.split(sep) ?? [];
  return parts[0]?.startsWith('@') ? `${parts[0]}/${parts[1]}` : (parts[0] ?? file);
}

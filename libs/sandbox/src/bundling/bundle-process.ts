/**
 * Entry of the process that bundles sources. It is a file of its own in the built app: `bundle-process.cjs` beside
 * `main.cjs`. The process reads at most one package folder and answers one request at a time.
 */
import { endWithParent } from './build-process';
import { bundlePackage } from './bundle-package';
import { bundleSource, type Esbuild } from './bundle-source';
import { startEsbuild } from './esbuild-without-files';
import { PackageFolder } from './package-folder';

/** The source of a code step, or the main module of the package in the folder. */
export type BundleRequest = { code: string } | { main: string };

const [, , home = '', esbuildPath = '', packages] = process.argv;

endWithParent(home);
const folder = packages ? new PackageFolder(packages) : undefined;
const esbuild = startEsbuild(esbuildPath);

process.on('message', (request: BundleRequest) => {
  // A rejection means that the compiler ended. It is unhandled on purpose, so that it ends this process too.
  void esbuild.then((ready) => answer(ready, request)).then((bundle) => process.send?.(bundle));
});

function answer(ready: Esbuild, request: BundleRequest): Promise<object> {
  if ('code' in request) return bundleSource(ready, request.code, folder);
  if (!folder) throw new Error('A package is bundled in its folder.');
  return bundlePackage(ready, folder, request.main);
}

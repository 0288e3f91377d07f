/**
 * Entry of the process that bundles sources. It is a file of its own in the built app: `bundle-process.cjs` beside
 * `main.cjs`. The process reads at most one package folder and answers one request at a time.
 */
import { endWithParent } from './build-process';
import { bundleSource } from './bundle-source';
import { startEsbuild } from './esbuild-without-files';
import { PackageFolder } from './package-folder';

const [, , home = '', esbuildPath = '', packages] = process.argv;

endWithParent(home);
const folder = packages ? new PackageFolder(packages) : undefined;
const esbuild = startEsbuild(esbuildPath);

process.on('message', ({ code }: { code: string }) => {
  // A rejection means that the compiler ended. It is unhandled on purpose, so that it ends this process too.
  void esbuild.then((ready) => bundleSource(ready, code, folder)).then((answer) => process.send?.(answer));
});

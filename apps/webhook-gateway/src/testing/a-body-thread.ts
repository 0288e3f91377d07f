import { build } from 'esbuild';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BodyChecker } from '../bodies/body-checker';

const ROOT = join(__dirname, '../../../..');

/** A checker with a real thread, whose code is built as for the app. */
export async function aBodyChecker(): Promise<{ checker: BodyChecker; close: () => Promise<void> }> {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.body-check-'));
  const outfile = join(folder, 'body-check-thread.cjs');
  await build({
    entryPoints: [join(__dirname, '../bodies/body-check-thread.ts')],
    outfile,
    bundle: true,
    packages: 'external', // as in the built app; the thread finds its packages above its folder
    platform: 'node',
    format: 'cjs',
    tsconfig: join(ROOT, 'tsconfig.base.json'),
  });
  const checker = new BodyChecker({ script: outfile });
  const close = async (): Promise<void> => {
    await checker.onApplicationShutdown();
    rmSync(folder, { recursive: true });
  };
  return { checker, close };
}

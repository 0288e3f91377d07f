import { CodeBundler } from '../bundling/code-bundler';
import type { BundleProblem, CodeBundle, CodeSource } from '../bundling/code-bundle';
import { compileBundling } from './compile-thread';

let bundler: Promise<CodeBundler> | undefined;

/** Bundles a source for tests that run from the sources. */
export async function bundleCode(source: CodeSource): Promise<CodeBundle | BundleProblem> {
  bundler ??= compileBundling().then((scripts) => new CodeBundler({ scripts }));
  return (await bundler).bundle(source);
}

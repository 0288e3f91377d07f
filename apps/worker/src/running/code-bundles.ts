import { bundleCode, type BundleProblem, type CodeBundle } from '@millrace/sandbox';
import type { GuestProgram } from '@millrace/engine';
import { LRUCache } from 'lru-cache';

const MAX_BUNDLES = 2_000;

/** Code steps as scripts for the sandbox: types stripped and packages bundled once per source, then kept. */
export class CodeBundles {
  private readonly cache = new LRUCache<string, Promise<CodeBundle | BundleProblem>>({ max: MAX_BUNDLES });

  constructor(private readonly packageCacheDir: string) {}

  get(program: Extract<GuestProgram, { kind: 'code' }>): Promise<CodeBundle | BundleProblem> {
    let bundle = this.cache.get(program.hash);
    if (!bundle) {
      bundle = bundleCode(program, { packageCacheDir: this.packageCacheDir });
      bundle.catch(() => this.cache.delete(program.hash));
      this.cache.set(program.hash, bundle);
    }
    return bundle;
  }
}

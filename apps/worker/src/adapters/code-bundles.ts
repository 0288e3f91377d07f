import { bundleOnce, type CodeBundleStore } from '@millrace/domain';
import type { GuestProgram } from '@millrace/engine';
import { hasDependencies, isProblem, type BundleProblem, type CodeBundle, type CodeSource } from '@millrace/sandbox';
import { LRUCache } from 'lru-cache';

const MAX_BUNDLES = 2_000;

type CodeProgram = Extract<GuestProgram, { kind: 'code' }>;

/**
 * Code steps as scripts for the sandbox, made once per source, then kept. With packages it is the script that was
 * bundled when the flow was published; without, types are stripped here, which gives the same on every machine.
 */
export class CodeBundles {
  private readonly cache = new LRUCache<string, Promise<CodeBundle | BundleProblem>>({ max: MAX_BUNDLES });

  constructor(
    private readonly store: CodeBundleStore,
    private readonly bundle: (source: CodeSource) => Promise<CodeBundle | BundleProblem>,
  ) {}

  get(program: CodeProgram): Promise<CodeBundle | BundleProblem> {
    let bundle = this.cache.get(program.hash);
    if (!bundle) {
      bundle = this.load(program);
      this.cache.set(program.hash, bundle);
    }
    return bundle;
  }

  private async load(program: CodeProgram): Promise<CodeBundle | BundleProblem> {
    const { hash } = program;
    let lasts = false;
    try {
      const bundle = hasDependencies(program.packageJson)
        ? await bundleOnce(this.store, hash, () => this.bundle(program))
        : await this.bundle(program);
      // A package that could not be fetched may be had the next time; what is wrong at a line stays wrong.
      lasts = !isProblem(bundle) || bundle.line !== undefined;
      return bundle;
    } finally {
      if (!lasts) this.cache.delete(hash);
    }
  }
}

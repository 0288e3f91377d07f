import { bundleOnce, CodeBundleStore } from '@millrace/domain';
import type { GuestProgram } from '@millrace/engine';
import { CodeBundler, hasDependencies, isProblem, type BundleProblem, type CodeBundle } from '@millrace/sandbox';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const MAX_BUNDLES = 2_000;

type CodeProgram = Extract<GuestProgram, { kind: 'code' }>;

/**
 * Turns the source of code steps into scripts for the sandbox, once per source, and keeps them in memory. A source with
 * packages uses the bundle that was stored when the flow was published. A source without packages only has its types
 * stripped here, which gives the same result on every machine.
 */
@Injectable()
export class CodeBundles {
  private readonly cache = new LRUCache<string, Promise<CodeBundle | BundleProblem>>({ max: MAX_BUNDLES });

  constructor(
    private readonly store: CodeBundleStore,
    @Inject(CodeBundler) private readonly bundler: Pick<CodeBundler, 'bundle'>,
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
        ? await bundleOnce(this.store, hash, () => this.bundler.bundle(program))
        : await this.bundler.bundle(program);
      // A package that could not be fetched may be available the next time. A problem that names a line lasts.
      lasts = !isProblem(bundle) || bundle.line !== undefined;
      return bundle;
    } finally {
      if (!lasts) this.cache.delete(hash);
    }
  }
}

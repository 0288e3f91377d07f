import { bundleCode, isProblem, type BundleProblem, type CodeSource } from '@millrace/sandbox';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';

const MAX_REMEMBERED = 5_000;

export const PACKAGE_CACHE_DIR = Symbol('PackageCacheDir');

/** Says why a code step's source does not compile. A source whose answer cannot change is compiled once. */
@Injectable()
export class CodeCompiler {
  private readonly remembered = new LRUCache<string, string[]>({ max: MAX_REMEMBERED });

  constructor(@Inject(PACKAGE_CACHE_DIR) private readonly packageCacheDir: string) {}

  async problemsOf(source: CodeSource): Promise<string[]> {
    if (source.code.trim() === '') return [];
    const key = createHash('sha256')
      .update(JSON.stringify([source.code, source.packageJson]))
      .digest('hex');
    const known = this.remembered.get(key);
    if (known) return known;
    const bundle = await bundleCode(source, { packageCacheDir: this.packageCacheDir });
    const problems = isProblem(bundle) ? [sentence(bundle)] : [];
    // A package that could not be fetched may be had the next time; what is wrong at a line stays wrong.
    if (!isProblem(bundle) || bundle.line !== undefined) this.remembered.set(key, problems);
    return problems;
  }
}

const sentence = ({ problem, line, column }: BundleProblem): string =>
  line === undefined ? problem : `Line ${line}, column ${column ?? 1}: ${problem}`;

import { bundleOnce, ServiceUnavailableError, type CodeBundleStore } from '@millrace/domain';
import { guestProgram } from '@millrace/engine';
import {
  hasDependencies,
  InstallationsBusyError,
  isProblem,
  type BundleProblem,
  type CodeBundle,
  type CodeSource,
} from '@millrace/sandbox';
import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 5_000;
/** Then a stored bundle is asked for again, so that it counts as used: far sooner than an unused one is deleted. */
const BUNDLE_TRUSTED_MS = 6 * 60 * 60 * 1000;
/** When to try again while many packages are being installed; each takes some seconds. */
const BUSY_SECONDS = 15;

/**
 * Says why a code step's source does not compile. A source whose answer cannot change is compiled once. When a source
 * with packages compiles, its bundle is stored before the answer, for the workers to run.
 */
export class CodeCompiler {
  private readonly remembered = new LRUCache<string, { problems: string[]; until: number }>({ max: MAX_REMEMBERED });

  constructor(
    private readonly store: CodeBundleStore,
    private readonly bundle: (source: CodeSource) => Promise<CodeBundle | BundleProblem>,
  ) {}

  async problemsOf(source: CodeSource): Promise<string[]> {
    if (source.code.trim() === '') return [];
    const { hash } = guestProgram({ kind: 'code', code: source.code, packageJson: source.packageJson });
    const known = this.remembered.get(hash);
    if (known && performance.now() < known.until) return known.problems;
    const bundle = await this.bundleOf(source, hash);
    const problems = isProblem(bundle) ? [sentence(bundle)] : [];
    // A package that could not be fetched may be had the next time; what is wrong at a line stays wrong.
    if (!isProblem(bundle) || bundle.line !== undefined)
      this.remembered.set(hash, { problems, until: performance.now() + BUNDLE_TRUSTED_MS });
    return problems;
  }

  private async bundleOf(source: CodeSource, hash: string): Promise<{ script: string } | BundleProblem> {
    if (!hasDependencies(source.packageJson)) return this.bundle(source);
    try {
      return await bundleOnce(this.store, hash, () => this.bundle(source));
    } catch (error) {
      if (!(error instanceof InstallationsBusyError)) throw error;
      throw new ServiceUnavailableError(error.message, BUSY_SECONDS, { cause: error });
    }
  }
}

const sentence = ({ problem, line, column }: BundleProblem): string =>
  line === undefined ? problem : `Line ${line}, column ${column ?? 1}: ${problem}`;

import { bundleOnce, CodeBundleStore, ServiceUnavailableError } from '@millrace/domain';
import { guestProgram } from '@millrace/engine';
import {
  CodeBundler,
  hasDependencies,
  InstallationsBusyError,
  isProblem,
  type BundleProblem,
  type CodeSource,
} from '@millrace/sandbox';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 5_000;
/**
 * After this time the compiler asks for a stored bundle again, so that the bundle counts as used. Unused bundles are
 * deleted much later.
 */
const BUNDLE_TRUSTED_MS = 6 * 60 * 60 * 1000;
/**
 * For how long a package that could not be fetched is not fetched again. A change of a flow compiles its code before its
 * transaction and looks the result up within it, where nothing may wait for a registry.
 */
const FAILED_FETCH_TRUSTED_MS = 5_000;
/** How many seconds clients should wait while many packages are being installed. Each package takes some seconds. */
const BUSY_SECONDS = 15;

/**
 * Returns why the source of a code step does not compile. A source whose result cannot change is compiled once. The
 * bundle of a source with packages is stored before the answer, for the workers.
 */
@Injectable()
export class CodeCompiler {
  private readonly remembered = new LRUCache<string, { problems: string[]; until: number }>({ max: MAX_REMEMBERED });

  constructor(
    private readonly store: CodeBundleStore,
    @Inject(CodeBundler) private readonly bundler: Pick<CodeBundler, 'bundle'>,
  ) {}

  async problemsOf(source: CodeSource): Promise<string[]> {
    if (source.code.trim() === '') return [];
    const { hash } = guestProgram({ kind: 'code', code: source.code, packageJson: source.packageJson });
    const known = this.remembered.get(hash);
    if (known && performance.now() < known.until) return known.problems;
    const bundle = await this.bundleOf(source, hash);
    const problems = isProblem(bundle) ? [sentence(bundle)] : [];
    // A package that could not be fetched may be available the next time. A problem that names a line lasts.
    const lasts = !isProblem(bundle) || bundle.line !== undefined;
    const trustedMs = lasts ? BUNDLE_TRUSTED_MS : FAILED_FETCH_TRUSTED_MS;
    this.remembered.set(hash, { problems, until: performance.now() + trustedMs });
    return problems;
  }

  private async bundleOf(source: CodeSource, hash: string): Promise<{ script: string } | BundleProblem> {
    if (!hasDependencies(source.packageJson)) return this.bundler.bundle(source);
    try {
      return await bundleOnce(this.store, hash, () => this.bundler.bundle(source));
    } catch (error) {
      if (!(error instanceof InstallationsBusyError)) throw error;
      throw new ServiceUnavailableError(error.message, BUSY_SECONDS, { cause: error });
    }
  }
}

const sentence = ({ problem, line, column }: BundleProblem): string =>
  line === undefined ? problem : `Line ${line}, column ${column ?? 1}: ${problem}`;

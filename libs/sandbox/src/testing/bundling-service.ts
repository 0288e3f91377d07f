/** A process that has bundled one source and keeps its bundler, for tests that kill it. */
import { CodeBundler, type CodeBundlerOptions } from '../bundling/code-bundler';

const bundler = new CodeBundler(JSON.parse(process.argv[2] ?? '{}') as CodeBundlerOptions);
void bundler.bundle({ code: 'export const code = () => 1', packageJson: '' }).then(() => process.send?.('bundled'));
// Its bundler is no reason to stay, and whoever kills it wants it there.
setInterval(() => undefined, 60_000);

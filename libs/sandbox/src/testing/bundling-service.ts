/** A process that has bundled one source and keeps its bundler, for tests that kill it. */
import { CodeBundler, type CodeBundlerOptions } from '../bundling/code-bundler';

const bundler = new CodeBundler(JSON.parse(process.argv[2] ?? '{}') as CodeBundlerOptions);
void bundler.bundle({ code: 'export const code = () => 1', packageJson: '' }).then(() => process.send?.('bundled'));
// The bundler does not keep this process alive, and the test needs it alive until it kills it.
setInterval(() => undefined, 60_000);

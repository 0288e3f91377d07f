/** CPU per step and steps per second of a small step with 1 KB in and out: `node libs/sandbox/bench/steps.mjs`. */
import { build } from 'esbuild';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const sources = fileURLToPath(new URL('../src/', import.meta.url));
const outdir = fileURLToPath(new URL('../../../node_modules/.cache/sandbox-bench/', import.meta.url));
const CONCURRENCIES = [1, 50, 1, 50];
const SECONDS_EACH = 3;

await build({
  entryPoints: ['index', 'isolate-thread', 'bundling/bundle-process'].map((entry) => `${sources}${entry}.ts`),
  entryNames: '[name]',
  outdir,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  packages: 'external',
});
const { CodeBundler, Sandbox } = createRequire(import.meta.url)(`${outdir}index.cjs`);

const sandbox = await Sandbox.start({ threads: 2 });
const bundler = new CodeBundler();
const code = 'export const code = async (inputs) => ({ ...inputs, count: inputs.count + 1 });';
const task = {
  tenant: 'bench',
  ...(await bundler.bundle({ code, packageJson: '' })),
  input: JSON.stringify({ count: 1, text: 'x'.repeat(1000) }),
  run: { id: 'run', flowId: 'flow', projectId: 'project', stepKey: 'step' },
};

for (const concurrency of CONCURRENCIES) {
  const cpuBefore = process.cpuUsage();
  const until = performance.now() + SECONDS_EACH * 1000;
  let steps = 0;
  const caller = async () => {
    for (; performance.now() < until; steps++) {
      const outcome = await sandbox.run(task);
      if (outcome.kind !== 'value') throw new Error(outcome.failure.message);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpu = ((user + system) / steps).toFixed(1);
  console.log(`concurrency ${concurrency}: ${Math.round(steps / SECONDS_EACH)} steps/s, ${cpu} µs of CPU a step`);
}
console.log(`${Math.round(process.memoryUsage().rss / 1024 / 1024)} MB resident`, sandbox.stats());
await sandbox.close();

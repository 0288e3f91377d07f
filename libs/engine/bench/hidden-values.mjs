/** Cost of a run that reads a connection, beside one that reads none: `node libs/engine/bench/hidden-values.mjs`. */
import { build } from 'esbuild';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const outfile = here('../../../node_modules/.cache/engine-bench/hidden-values.cjs');
const RUNS = 20_000;
const ROUNDS = 3;

await build({
  stdin: {
    contents: `
      export { compileFlowVersion } from './compile/compile-version';
      export { runFlow } from './run-flow';
      export { DEFAULT_EXECUTION_LIMITS } from './ports/execution-limits';
      export { EvaluatingCodeRunner } from './testing/evaluating-code-runner';
      export { GatheringSink, HandClock } from './testing/a-walk';
      export { aFlowVersion, codeStep } from '@millrace/domain/testing';`,
    resolveDir: here('../src/'),
  },
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  alias: {
    '@millrace/domain/testing': here('../../domain/src/testing/index.ts'),
    '@millrace/domain': here('../../domain/src/index.ts'),
  },
});
const engine = createRequire(import.meta.url)(outfile);

// The flow and the body of the workload W1.
const items = Array.from({ length: 12 }, (_, id) => ({ id, name: `item ${id}`, price: id * 3.5, tags: ['a', 'b'] }));
const triggerOutput = JSON.stringify({ body: { items, n: 7, note: 'x'.repeat(200) } });
const SELECT = `export const code = (inputs) => {
  const odd = inputs.items.filter((item) => item.id % 2 === 1);
  return { items: odd.map((item) => ({ ...item, order: inputs.order })), count: odd.length, echo: inputs.echo };
};`;
const fromBody = { items: '{{trigger.body.items}}', order: '{{trigger.body.n}}' };
const KINDS = {
  'reads no connection': fromBody,
  'reads a connection': { ...fromBody, key: '{{connections.crm}}' },
  'echoes a connection': { ...fromBody, echo: '{{connections.crm}}' },
};

const { EvaluatingCodeRunner, GatheringSink, HandClock, runFlow } = engine;
const codeRunner = new EvaluatingCodeRunner();
const connections = { find: async () => new Map([['crm', 'sk_live_51HxYzABCDEFGHijklmnop']]) };
const run = { id: 'r', flowId: 'f', projectId: 'p', triggerOutput, recorded: [] };

async function microsOf(flow) {
  const before = process.cpuUsage();
  for (let n = 0; n < RUNS; n++) {
    codeRunner.calls.length = 0;
    const ofWalk = { sink: new GatheringSink(), clock: new HandClock(), limits: engine.DEFAULT_EXECUTION_LIMITS };
    await runFlow(flow, run, { codeRunner, pieceRunner: null, connections, ...ofWalk }, new AbortController().signal);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / RUNS;
}

for (const [kind, input] of Object.entries(KINDS)) {
  const flow = engine.compileFlowVersion(engine.aFlowVersion([engine.codeStep('step_1', input, SELECT)]));
  await microsOf(flow);
  let least = Infinity;
  for (let round = 0; round < ROUNDS; round++) least = Math.min(least, await microsOf(flow));
  console.log(`a run of W1 that ${kind}: ${least.toFixed(0)} µs of the engine's CPU`);
}

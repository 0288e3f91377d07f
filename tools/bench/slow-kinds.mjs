// The kinds of slow runs that must not delay the runs of another project.
import { builtIn, code, trigger } from '../flow-steps.mjs';

const stepOf = (source, options) => trigger(code('step_1', source, {}, undefined, options));
const sleep = (ms) => stepOf(`export const code = async () => { await sleep(${ms}); return 1; };`);

const RETRIES = { errorHandlingOptions: { retryOnFailure: { value: true } } };
const HOLDS_110_MB = `export const code = async () => {
  const held = new Uint8Array(110 * 1024 * 1024).fill(7);
  await sleep(20000);
  return held[5];
};`;

export const NEIGHBOUR = { title: 'quick code', trigger: stepOf('export const code = async () => 1;') };

/**
 * The option `--slow=` sets how many slow runs there are, unless a kind has its own `amount`. The runs of a kind with
 * `dueAfterSeconds` all wait before the measurement begins, and become due together.
 */
export const slowKinds = (targetUrl) => [
  { name: 'sleep5', title: 'sleep(5 s)', trigger: sleep(5_000) },
  { name: 'sleep12', title: 'sleep(12 s)', trigger: sleep(12_000) },
  { name: 'sleep40', title: 'sleep(40 s)', trigger: sleep(40_000) },
  {
    name: 'retry',
    title: 'waits for a retry',
    trigger: stepOf("export const code = async () => { throw new Error('No.'); };", RETRIES),
  },
  {
    name: 'http10',
    title: 'HTTP calls of 10 s',
    trigger: trigger(builtIn('call', 'http', 'send_request', { method: 'GET', url: `${targetUrl}/10000` })),
  },
  { name: 'loops', title: 'endless loops', trigger: stepOf('export const code = async () => { for (;;); };') },
  {
    name: 'memory',
    title: 'sleepers of 110 MB',
    trigger: stepOf(HOLDS_110_MB),
    watchesMemory: true,
  },
  { name: 'quick', title: 'quick runs', amount: 20_000, trigger: stepOf('export const code = async () => 1;') },
  { name: 'second', title: 'runs of a second', amount: 3_000, trigger: sleep(1_000) },
  {
    name: 'timers',
    title: 'timers due together',
    amount: 10_000,
    trigger: trigger(builtIn('wait', 'delay', 'delay_until', { delayUntilTimestamp: '{{trigger.body.until}}' })),
    dueAfterSeconds: 30,
  },
];

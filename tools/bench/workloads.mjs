// The workloads: flows, and the bodies of the webhooks that start them.

import { builtIn, code, httpStep, loop, trigger } from '../flow-steps.mjs';

const SELECT = `export const code = async (inputs) => {
  const odd = inputs.items.filter((item) => item.id % 2 === 1);
  return { items: odd.map((item) => ({ ...item, order: inputs.order })), count: odd.length };
};`;
const COUNT =
  'export const code = async (inputs) => ({ items: inputs.items, count: inputs.items.length, order: inputs.order });';
const SQUARE = 'export const code = async (inputs) => inputs.n * inputs.n;';

const inputFrom = (step) => ({ items: `{{${step}.items}}`, order: '{{trigger.body.n}}' });
const fromBody = { items: '{{trigger.body.items}}', order: '{{trigger.body.n}}' };

const fiveSteps = [5, 4, 3, 2].reduce(
  (/** @type {object | undefined} */ next, n) => code(`step_${n}`, COUNT, inputFrom(`step_${n - 1}`), next),
  undefined,
);

export const WORKLOADS = [
  { name: 'W1', title: 'webhook → 1 code step', warmUp: 6_000, trigger: trigger(code('step_1', SELECT, fromBody)) },
  {
    name: 'W2',
    title: 'webhook → 5 code steps',
    warmUp: 3_000,
    trigger: trigger(code('step_1', SELECT, fromBody, fiveSteps)),
  },
  {
    name: 'W3',
    title: 'webhook → loop of 100 × code',
    warmUp: 400,
    trigger: trigger(loop('{{trigger.body.numbers}}', code('square', SQUARE, { n: '{{loop.item}}' }))),
  },
];

/** Its trigger is made when the package is installed. */
export const PACKAGE_WORKLOAD = { name: 'W16', title: 'webhook → action of a package → HTTP', warmUp: 300 };

const upTo = (steps) => Array.from({ length: steps }, (_, n) => n);

/** Workloads of one long run at a time. `bodyOf` makes the body that starts a run of so many steps. */
export const STEP_WORKLOADS = [
  {
    name: 'W4',
    title: 'loop of 1,000 × HTTP request',
    steps: 1_000,
    trigger: trigger(
      loop(
        '{{trigger.body.numbers}}',
        httpStep({ method: 'POST', url: '{{trigger.body.url}}', body: { n: '{{loop.item}}' } }),
      ),
    ),
    bodyOf: (steps, url) => ({ numbers: upTo(steps), url }),
  },
  {
    name: 'W5',
    title: 'loop of 10,000 × code',
    steps: 10_000,
    trigger: trigger(loop('{{trigger.body.numbers}}', code('square', SQUARE, { n: '{{loop.item}}' }))),
    bodyOf: (steps) => ({ numbers: upTo(steps) }),
  },
];

const ANSWER = { responseType: 'json', fields: { status: 200, body: '{{step_1.count}}' } };

/** Workloads with waits. The options `--paused=` and `--backlog=` set how many runs W7, W8 and W9 have. */
export const WAITING_WORKLOADS = {
  W6: {
    name: 'W6',
    title: 'sync webhook → 1 code step → response',
    trigger: trigger(code('step_1', SELECT, fromBody, builtIn('answer', 'webhook', 'return_response', ANSWER))),
  },
  W7: {
    name: 'W7',
    title: 'runs that wait, each for its own moment',
    trigger: trigger(builtIn('wait', 'delay', 'delay_until', { delayUntilTimestamp: '{{trigger.body.until}}' })),
  },
  W8: {
    name: 'W8',
    title: 'a backlog that drains while the api is read',
    trigger: trigger(code('step_1', COUNT, { items: [], order: '{{trigger.body.n}}' })),
  },
  W9: {
    name: 'W9',
    title: 'a backlog whose Redis is emptied',
    trigger: trigger(code('step_1', COUNT, { items: [], order: '{{trigger.body.n}}' })),
  },
  W11: {
    name: 'W11',
    title: 'small webhooks beside senders of 24 MB',
    trigger: trigger(code('step_1', COUNT, { items: [], order: '{{trigger.method}}' })),
  },
};

/** Workloads of few runs at a time, with the flows of W1 and W6. */
export const LONE_WORKLOADS = [
  { ...WORKLOADS[0], name: 'W1-lone', title: 'webhook → 1 code step, few at a time' },
  { ...WAITING_WORKLOADS.W6, name: 'W4-sync', title: 'sync webhook → 1 code step → response, few at a time' },
];

/** The body of a webhook: a small order event of about 1 KB. */
export const BODY = JSON.stringify({
  event: 'order.created',
  n: 1,
  items: Array.from({ length: 12 }, (_, id) => ({ id, name: `user${id}`, email: `u${id}@example.com` })),
  numbers: Array.from({ length: 100 }, (_, n) => n),
});

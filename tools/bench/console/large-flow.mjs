import { builtIn, code, trigger } from '../../flow-steps.mjs';

const SOURCE = `export const code = async ({ lines }) => {
  const prices = lines.map(({ price, amount }) => price * amount);
  return { total: prices.reduce((sum, price) => sum + price, 0) };
};`;

/**
 * Makes a flow of so many steps, and returns its id.
 * @param {number} steps
 * @param {Pick<import('./bench-console.mjs').Bench, 'call' | 'projectId'>} bench
 * @returns {Promise<string>}
 */
export async function makeFlow(steps, { call, projectId }) {
  const displayName = `${steps} steps`;
  const { id } = await call('POST', '/flows', { projectId, displayName });
  const request = { displayName, trigger: largeFlow(steps), schemaVersion: '20', notes: [] };
  await call('POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request });
  return id;
}

/**
 * The trigger of a flow of so many steps, itself included: chains with a router of two branches and a loop in turn. Step 1
 * is code, step 2 a request, step 4 a router and step 13 a loop.
 */
export function largeFlow(steps) {
  let made = 0;
  let groups = 0;
  const next = () => `step_${(made += 1)}`;
  const isFull = () => made >= steps - 1;
  const named = (step) => ({ ...step, displayName: step.name.replace('step_', 'Step ') });
  const simple = () => {
    const name = next();
    return named(
      made % 2 === 1
        ? code(name, SOURCE, { lines: '{{ trigger.body.lines }}' }, undefined)
        : builtIn(name, 'http', 'send_request', { method: 'GET', url: `https://example.com/${name}` }, undefined),
    );
  };
  const some = (count) => {
    const found = [];
    for (let index = 0; index < count && !isFull(); index++) found.push(simple());
    return chainOf(found);
  };
  const group = () => {
    const name = next();
    groups += 1;
    return named(groups % 2 === 0 ? loopOf(name, some(3)) : routerOf(name, [some(2), some(3), null]));
  };
  const top = [];
  while (!isFull()) top.push(top.length % 4 === 3 ? group() : simple());
  return { ...trigger(chainOf(top)), displayName: 'Catch webhook' };
}

const chainOf = (steps) => steps.reduceRight((nextAction, step) => ({ ...step, nextAction }), null);

const loopOf = (name, firstLoopAction) => ({
  name,
  type: 'LOOP_ON_ITEMS',
  settings: { items: '{{ trigger.body.lines }}' },
  firstLoopAction,
});

const routerOf = (name, children) => ({
  name,
  type: 'ROUTER',
  settings: {
    executionType: 'EXECUTE_FIRST_MATCH',
    branches: children.map((_, index) =>
      index === children.length - 1
        ? { branchType: 'FALLBACK', branchName: 'Otherwise' }
        : {
            branchType: 'CONDITION',
            branchName: `Branch ${index + 1}`,
            conditions: [[{ firstValue: '{{ trigger.body.customer }}', operator: 'EXISTS' }]],
          },
    ),
  },
  children,
});

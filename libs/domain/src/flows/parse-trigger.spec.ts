import { InvalidRequestError } from '../errors/invalid-request.error';
import { stepsOf } from './flow-version';
import { parseTrigger } from './parse-trigger';

const trigger = (nextAction?: unknown): unknown => ({ type: 'EMPTY', name: 'trigger', settings: {}, nextAction });
const code = (name: string, more: object = {}): Record<string, unknown> => ({
  type: 'CODE',
  name,
  settings: { sourceCode: { code: 'x', packageJson: '{}' }, input: {} },
  ...more,
});
const router = (children: unknown[], branches: unknown[]): unknown => ({
  type: 'ROUTER',
  name: 'router',
  settings: { executionType: 'EXECUTE_FIRST_MATCH', branches },
  children,
});
const condition = { branchType: 'CONDITION', branchName: 'b', conditions: [[{ firstValue: '1', operator: 'EXISTS' }]] };

function chain(steps: number): unknown {
  let next: unknown;
  for (let index = steps; index > 0; index--) next = code(`step_${index}`, { nextAction: next });
  return trigger(next);
}

function nestedLoops(depth: number): unknown {
  let inner: unknown;
  for (let index = depth; index > 0; index--)
    inner = { type: 'LOOP_ON_ITEMS', name: `loop_${index}`, settings: { items: '{{[1]}}' }, firstLoopAction: inner };
  return trigger(inner);
}

function problemsOf(value: unknown): { path: string; message: string }[] {
  try {
    parseTrigger(value, '/trigger');
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.params['errors'] as { path: string; message: string }[];
    throw error;
  }
  return [];
}

describe('parseTrigger', () => {
  it('reads every kind of step with its bodies', () => {
    const tree = trigger(
      code('before', {
        skip: true,
        nextAction: {
          type: 'LOOP_ON_ITEMS',
          name: 'loop',
          settings: { items: '{{trigger.items}}' },
          firstLoopAction: router([code('inside'), null], [condition, { branchType: 'FALLBACK', branchName: 'else' }]),
          nextAction: {
            type: 'PIECE',
            name: 'after',
            settings: { pieceName: 'http', pieceVersion: '1.0.0', actionName: 'a' },
          },
        },
      }),
    );

    const parsed = parseTrigger(tree, '/trigger');

    expect([...stepsOf(parsed)].map(({ name, type }) => [name, type])).toEqual([
      ['trigger', 'EMPTY'],
      ['before', 'CODE'],
      ['loop', 'LOOP_ON_ITEMS'],
      ['router', 'ROUTER'],
      ['inside', 'CODE'],
      ['after', 'PIECE'],
    ]);
    expect(parsed.nextAction).toMatchObject({ skip: true, displayName: 'before' });
  });

  it('gives a trigger without names the usual one', () => {
    expect(parseTrigger({ type: 'EMPTY', settings: {} }, '/trigger')).toEqual({
      name: 'trigger',
      displayName: 'trigger',
      type: 'EMPTY',
      valid: false,
      settings: {},
    });
  });

  it('calls a trigger without a display name by its name, as any step', () =>
    expect(parseTrigger({ type: 'EMPTY', name: 'start', settings: {} }, '/trigger').displayName).toBe('start'));

  it('drops sample data and the fields of older exports', () => {
    const settings = { sourceCode: { code: 'x', packageJson: '{}' }, input: {}, sampleData: { a: 1 }, inputUiInfo: {} };
    const parsed = parseTrigger(trigger(code('a', { settings, valid: true, lastUpdatedDate: 'x' })), '/trigger');
    expect(parsed.nextAction).toEqual({
      name: 'a',
      displayName: 'a',
      type: 'CODE',
      valid: false,
      settings: { sourceCode: { code: 'x', packageJson: '{}' }, input: {} },
    });
  });

  it.each([
    ['a trigger that is a string', 'x', '/trigger'],
    ['an unknown trigger type', { type: 'CRON', settings: {} }, '/trigger/type'],
    ['an unknown step type', trigger({ type: 'NO_SUCH', name: 'a' }), '/trigger/nextAction/type'],
    ['a second step of a name', trigger(code('trigger')), '/trigger/nextAction/name'],
    ['a name with a space', trigger(code('a b')), '/trigger/nextAction/name'],
    ['a missing name', trigger({ ...code('a'), name: undefined }), '/trigger/nextAction/name'],
    ['a number as name', trigger({ ...code('a'), name: 7 }), '/trigger/nextAction/name'],
    ['an unknown field', trigger(code('a', { colour: 'red' })), '/trigger/nextAction/colour'],
    [
      'source that is no text',
      trigger(code('a', { settings: { sourceCode: { code: 1 } } })),
      '/trigger/nextAction/settings/sourceCode/code',
    ],
    ['input that is a list', trigger(code('a', { settings: { input: [] } })), '/trigger/nextAction/settings/input'],
    ['skip that is text', trigger(code('a', { skip: 'yes' })), '/trigger/nextAction/skip'],
    ['children that do not match the branches', trigger(router([null], [])), '/trigger/nextAction/children'],
    ['a child that is no step', trigger(router(['x'], [condition])), '/trigger/nextAction/children/0'],
    [
      'an operator that is no text',
      trigger(router([null], [{ ...condition, conditions: [[{ operator: 7 }]] }])),
      '/trigger/nextAction/settings/branches/0/conditions/0/0/operator',
    ],
    [
      'conditions that are no groups',
      trigger(router([null], [{ ...condition, conditions: [1] }])),
      '/trigger/nextAction/settings/branches/0/conditions/0',
    ],
  ])('refuses %s and says where', (_what, value, path) => {
    expect(problemsOf(value)[0]?.path).toBe(path);
  });

  it('names every problem at once, and no more than twenty', () => {
    expect(problemsOf(trigger(code('a b', { skip: 1, colour: 2 })))).toHaveLength(3);
    expect(
      problemsOf(trigger(code('a', Object.fromEntries([...Array(50).keys()].map((n) => [`f${n}`, n]))))),
    ).toHaveLength(20);
  });

  it('reads a thousand steps and refuses one more', () => {
    expect([...stepsOf(parseTrigger(chain(999), ''))]).toHaveLength(1_000);
    expect(problemsOf(chain(1_000))[0]?.message).toBe('A flow has at most 1000 steps.');
  });

  it('refuses a chain of twenty thousand without running out of stack', () => {
    expect(problemsOf(chain(20_000))).toHaveLength(1);
  });

  it('reads loops a hundred deep and refuses one more', () => {
    expect([...stepsOf(parseTrigger(nestedLoops(101), ''))]).toHaveLength(102);
    expect(problemsOf(nestedLoops(102))[0]?.message).toBe('Loops and routers nest at most 100 deep.');
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses a step called %s', (name) => {
    const settings = JSON.parse('{"__proto__":{"polluted":1},"input":{"constructor":{"prototype":{"polluted":1}}}}');
    expect(problemsOf({ type: 'EMPTY', name, settings })).toContainEqual({
      path: '/trigger/name',
      message: `must not be ${name}.`,
    });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('takes null for what an export has not set', () => {
    const settings = { sourceCode: { code: 'x', packageJson: null }, input: null, errorHandlingOptions: null };
    const code = { name: 'step_1', type: 'CODE', displayName: null, skip: null, settings };
    const branches = [{ branchType: 'CONDITION', branchName: null, conditions: null }];
    const router = { name: 'step_2', type: 'ROUTER', settings: { executionType: null, branches }, children: null };
    const trigger = parseTrigger({ type: 'EMPTY', settings: null, nextAction: { ...code, nextAction: router } }, '');
    expect(trigger.nextAction).toMatchObject({
      displayName: 'step_1',
      settings: { sourceCode: { packageJson: '{}' }, input: {} },
      nextAction: {
        settings: { executionType: 'EXECUTE_FIRST_MATCH', branches: [{ branchName: 'Branch 1', conditions: [] }] },
        children: [null],
      },
    });
    expect(trigger.nextAction).not.toHaveProperty('skip');
  });

  it('keeps an operator of another product, and reads one that is only called otherwise', () => {
    const operators = ['LIST_COUNT_IS_EQUAL_TO', 'LIST_NOT_CONTAINS'].map((operator) => ({ operator }));
    const parsed = parseTrigger(trigger(router([null], [{ ...condition, conditions: [operators] }])), '/trigger');
    expect(parsed.nextAction).toMatchObject({
      settings: {
        branches: [{ conditions: [[{ operator: 'LIST_COUNT_IS_EQUAL_TO' }, { operator: 'LIST_DOES_NOT_CONTAIN' }]] }],
      },
    });
  });

  it('keeps a condition without an operator, for its author to choose one', () => {
    const branches = [{ branchType: 'CONDITION', branchName: 'A', conditions: [[{ firstValue: '' }]] }];
    const router = { name: 'r', type: 'ROUTER', settings: { branches } };
    const trigger = parseTrigger({ type: 'EMPTY', settings: {}, nextAction: router }, '');
    expect(trigger.nextAction).toMatchObject({ settings: { branches: [{ conditions: [[{ operator: '' }]] }] } });
  });

  it('refuses what the settings of an empty trigger cannot hold', () => {
    expect(problemsOf({ type: 'EMPTY', settings: { foo: 1 } })).toEqual([
      { path: '/trigger/settings/foo', message: 'is not a known field.' },
    ]);
  });

  describe('reads the settings of control', () => {
    const withControl = (control: object): object => ({
      name: 'trigger',
      type: 'PIECE_TRIGGER',
      settings: { pieceName: 'webhook', pieceVersion: '0.1.0', triggerName: 'catch_webhook', ...control },
    });
    const key = '{{ trigger.body.id }}';

    it.each([
      { concurrency: { limit: 5 } },
      {
        concurrency: { limit: 5, key, overflow: 'drop' },
        rateLimit: { limit: 1, windowSeconds: 60, overflow: 'wait' },
      },
      { dedupe: { key, windowSeconds: 60 }, debounce: { seconds: 5, key } },
      { batch: { size: 10, seconds: 60 } },
    ])('%j', (control) => {
      expect(parseTrigger(withControl(control), '').settings).toMatchObject(control);
    });

    it.each([
      [{ concurrency: { limit: '5' } }, '/settings/concurrency/limit', 'must be a number.'],
      [{ concurrency: 5 }, '/settings/concurrency', 'must be an object.'],
      [
        { rateLimit: { limit: 1, windowSeconds: 1, overflow: 'no' } },
        '/settings/rateLimit/overflow',
        'must be one of wait, drop.',
      ],
      [{ dedupe: { key, windowSeconds: 1, overflow: 'drop' } }, '/settings/dedupe/overflow', 'is not a known field.'],
      [{ throttle: { limit: 1 } }, '/settings/throttle', 'is not a known field.'],
    ])('and refuses %j', (control, path, message) => {
      expect(() => parseTrigger(withControl(control), '')).toThrow(
        expect.objectContaining({ params: expect.objectContaining({ errors: [{ path, message }] }) }),
      );
    });
  });
});

import { aFlowOfAllKinds } from '../../../testing/a-flow-of-all-kinds';
import { MIGRATIONS, migrateSteps } from './migrations';

const piece = (settings: object, type = 'PIECE'): unknown => ({ type, name: 'p', settings });

describe('migrateSteps', () => {
  it('goes from older versions to newer ones', () => {
    const versions = MIGRATIONS.map(({ to }) => to);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
  });

  it('leaves a definition of our version as it is', () => {
    const { trigger } = aFlowOfAllKinds(30);
    expect(migrateSteps(trigger, 20)).toEqual(trigger);
  });

  it.each([null, undefined, 1, 'x', [], [{ type: 'BRANCH' }], {}, { settings: null, nextAction: 7, children: 'x' }])(
    'leaves %j alone, which is no step',
    (value) => expect(migrateSteps(value, 0)).toEqual(value),
  );

  it.each([
    ['BRANCH', 'x', 'ROUTER'],
    ['WEBHOOK', [], 'PIECE_TRIGGER'],
    ['SCHEDULE', 1, 'PIECE_TRIGGER'],
    ['PIECE', { input: 'x', inputUiInfo: 7 }, 'PIECE'],
    ['PIECE', { pieceName: { toString: 1 }, actionName: 'return_response', input: {} }, 'PIECE'],
  ])('leaves settings of a %s alone that it does not recognise', (type, settings, migratedType) => {
    expect(migrateSteps({ type, settings }, 0)).toMatchObject({ type: migratedType, settings });
  });

  it('makes a branch a router of two branches, whatever version is said', () => {
    const conditions = [[{ firstValue: '1', operator: 'EXISTS' }]];
    const yes = { type: 'CODE', name: 'yes' };
    const branch = { type: 'BRANCH', name: 'b', skip: true, settings: { conditions }, onSuccessAction: yes };
    expect(JSON.parse(JSON.stringify(migrateSteps(branch, 20)))).toEqual({
      type: 'ROUTER',
      name: 'b',
      skip: true,
      settings: {
        executionType: 'EXECUTE_FIRST_MATCH',
        branches: [
          { branchType: 'CONDITION', branchName: 'On Success', conditions },
          { branchType: 'FALLBACK', branchName: 'Otherwise' },
        ],
      },
      children: [yes, null],
    });
  });

  it('makes a schedule a trigger of the schedule piece, in its time zone', () => {
    const settings = { cronExpression: '0 7 * * *', timezone: 'Europe/Berlin' };
    expect(migrateSteps({ type: 'SCHEDULE', name: 't', settings }, 20)).toEqual({
      type: 'PIECE_TRIGGER',
      name: 't',
      settings: {
        pieceName: 'schedule',
        pieceVersion: '0.1.0',
        triggerName: 'cron_expression',
        input: settings,
        propertySettings: {},
      },
    });
  });

  it('makes a webhook without settings a trigger of the webhook piece', () => {
    expect(migrateSteps({ type: 'WEBHOOK', name: 't' }, 20)).toMatchObject({
      type: 'PIECE_TRIGGER',
      settings: { pieceName: 'webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
    });
  });

  it.each([
    ['{{connections.my-key}}', "{{connections['my-key']}}"],
    ['Bearer {{ connections.my-key.access_token }}!', "Bearer {{ connections['my-key'].access_token }}!"],
    ['{{connections.a-b}}{{connections.c-d-e}}', "{{connections['a-b']}}{{connections['c-d-e']}}"],
    ['{{connections.plain}}', '{{connections.plain}}'],
    ["{{connections['my-key']}}", "{{connections['my-key']}}"],
    ['{{step_1.connections.a-b}}', '{{step_1.connections.a-b}}'],
    ['connections.my-key', 'connections.my-key'],
  ])('reads %s as %s in old versions only', (old, today) => {
    expect(migrateSteps(piece({ input: { auth: old, deep: [{ auth: old }] } }), 1)).toEqual(
      piece({ input: { auth: today, deep: [{ auth: today }] } }),
    );
    expect(migrateSteps(piece({ input: { auth: old } }), 2)).toEqual(piece({ input: { auth: old } }));
  });

  it('reads names of connections wherever an expression may stand, and nowhere else', () => {
    const old = '{{ connections.my-key }}';
    const today = "{{ connections['my-key'] }}";
    const conditions = (text: string): unknown => [[{ firstValue: text, operator: 'EXISTS', secondValue: [text] }]];
    const branch = { type: 'BRANCH', name: 'b', settings: { conditions: conditions(old) } };
    const router = { type: 'ROUTER', name: 'r', settings: { branches: [{ branchName: old, conditions: 'none' }, 7] } };
    const loop = (items: unknown): unknown => ({ type: 'LOOP_ON_ITEMS', name: 'l', settings: { items } });
    const code = { type: 'CODE', name: 'c', settings: { sourceCode: { code: old } } };

    expect(migrateSteps(branch, 1)).toMatchObject({
      settings: {
        branches: [{ branchName: 'On Success', conditions: conditions(today) }, { branchName: 'Otherwise' }],
      },
    });
    expect(migrateSteps(router, 1)).toEqual(router);
    expect(migrateSteps(loop(old), 1)).toEqual(loop(today));
    expect(migrateSteps(loop([{ a: old }]), 1)).toEqual(loop([{ a: today }]));
    expect(migrateSteps(loop(old), 2)).toEqual(loop(old));
    expect(migrateSteps(code, 1)).toEqual(code);
  });

  it.each<[string, object, object]>([
    ['wrapped', { data: { a: 1 } }, { a: 1 }],
    ['as it is', { a: 1, data: 2 }, { a: 1, data: 2 }],
  ])('gives the answer of the HTTP piece, its body %s, to the webhook piece', (_how, body, answered) => {
    const actionName = 'return_response';
    const old = piece({ pieceName: '@activepieces/piece-http', actionName, input: { body, body_type: 'raw' } });
    const input = { responseType: 'raw', fields: { body: answered }, respond: 'stop' };
    const today = piece({ pieceName: '@activepieces/piece-webhook', actionName, input });
    expect(migrateSteps(old, 5)).toEqual(today);
    expect(migrateSteps(old, 6)).toEqual(old);
    expect(migrateSteps(piece({ pieceName: 'http', actionName, input: { body, body_type: 'raw' } }), 5)).toEqual(today);
  });

  it.each(['PIECE', 'PIECE_TRIGGER'])(
    'keeps of what the editor remembered of a %s the marks of expressions',
    (type) => {
      const inputUiInfo = { customizedInputs: { a: true, b: false, gone: true }, sampleData: 1 };
      expect(migrateSteps(piece({ input: { a: 1, b: 2 }, inputUiInfo }, type), 20)).toEqual(
        piece({ input: { a: 1, b: 2 }, propertySettings: { a: { type: 'DYNAMIC' } } }, type),
      );
    },
  );

  it('keeps newer property settings', () => {
    const propertySettings = { b: { type: 'MANUAL' } };
    const old = { input: { a: 1 }, inputUiInfo: { customizedInputs: { a: true } }, propertySettings };
    expect(migrateSteps(piece(old), 0)).toEqual(piece({ input: { a: 1 }, propertySettings }));
  });

  it('reads a member called __proto__ as any other', () => {
    const step = JSON.parse(
      '{"type":"BRANCH","__proto__":{"polluted":1},"settings":{"__proto__":{"polluted":1}}}',
    ) as unknown;
    migrateSteps(step, 0);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

import { FlowSchemaUnsupportedError } from '../../errors/flow-schema-unsupported.error';
import { InvalidRequestError } from '../../errors/invalid-request.error';
import { aFlowOfAllKinds } from '../../testing/a-flow-of-all-kinds';
import { exportTemplate } from '../export-template';
import { stepsOf, type FlowStep, type FlowTrigger } from '../flow-version';
import { mapSteps } from '../map-steps';
import { asBeforeNumbers } from '../../testing/an-old-export';
import { GALLERY_TEMPLATE } from './fixtures/gallery-template';
import { UNNUMBERED_TEMPLATE } from './fixtures/unnumbered-template';
import { WHOLE_VERSION } from './fixtures/whole-version';
import { parseDefinition } from './read-definition';
import { leastCpuMs } from '../../testing/least-cpu-time';

const VERSION = aFlowOfAllKinds(60);
const { displayName, trigger, schemaVersion, notes } = VERSION;
const DEFINITION = { displayName, trigger, schemaVersion, notes };
/** The trigger as a parser returns it, because `valid` is set later. */
const UNCHECKED = mapSteps(trigger, (step) => ({ ...step, valid: false }));

const template = (inner: object, outer: object = {}): unknown => ({ name: 'Outer', ...outer, template: inner });
const gallery = (flows: unknown, outer: object = {}): unknown => ({ name: 'Outer', ...outer, flows });
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;
const read = (value: unknown) => parseDefinition(sent(value), '/request');
const kindsOf = (first: FlowTrigger): string[] =>
  [...stepsOf(first)].map(({ type, name }: FlowStep) => `${type} ${name}`);

function problemsOf(value: unknown): { path: string; message: string }[] {
  try {
    read(value);
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.params['errors'] as { path: string; message: string }[];
    throw error;
  }
  return [];
}

describe('parseDefinition', () => {
  const { notes: _none, ...withoutNotes } = DEFINITION;
  const old = { displayName, trigger: asBeforeNumbers(trigger), notes };

  it.each<[string, unknown]>([
    ['a definition', DEFINITION],
    ['a whole version', VERSION],
    ['our own export', exportTemplate(VERSION, new Date())],
    [
      'a template with all that a gallery shows',
      template(DEFINITION, { ...(GALLERY_TEMPLATE as object), flows: undefined, tables: undefined }),
    ],
    [
      'a list of one flow',
      gallery([{ ...DEFINITION, valid: true, description: 'x' }], { summary: '', tags: [], tables: [] }),
    ],
    ['a definition of before numbers', old],
    ['a definition of before numbers whose version is null', { ...old, schemaVersion: null }],
    ['a definition of before numbers that says it is new', { ...old, schemaVersion: '20' }],
    ['a template of before numbers', template(old)],
    ['a list of one flow of before numbers', gallery([old])],
  ])('reads %s as the flow of all kinds that it is', (_what, value) => {
    expect(read(value)).toEqual({ displayName, trigger: UNCHECKED, schemaVersion: '20', notes });
  });

  it.each<[string, unknown]>([
    ['absent', withoutNotes],
    ['null', { ...DEFINITION, notes: null }],
  ])('reads notes that are %s as none', (_what, value) => expect(read(value).notes).toEqual([]));

  it('takes the name of the template for a definition without one, and the definition’s own before that', () => {
    expect(read(template({ ...DEFINITION, displayName: undefined })).displayName).toBe('Outer');
    expect(read(template(DEFINITION)).displayName).toBe(displayName);
  });

  it('drops sample data', () => {
    const withSamples = mapSteps(trigger, (step) => ({
      ...step,
      settings: { ...step.settings, sampleData: { secret: 1 } },
    }));
    expect(JSON.stringify(read({ ...DEFINITION, trigger: withSamples }))).not.toContain('sampleData');
  });

  it('does not change what it reads', () => {
    const value = sent(old);
    parseDefinition(value, '');
    expect(value).toEqual(sent(old));
  });

  it('reads a template of before numbers', () => {
    const definition = read(UNNUMBERED_TEMPLATE);
    expect(definition.displayName).toBe('Morning greeting');
    expect(kindsOf(definition.trigger)).toEqual([
      'PIECE_TRIGGER trigger',
      'PIECE birthdays',
      'ROUTER anybody',
      'CODE greet',
    ]);
    expect(definition.trigger.settings).toMatchObject({
      pieceName: 'schedule',
      triggerName: 'cron_expression',
      input: { cronExpression: '0 7 * * *', timezone: 'UTC' },
    });
    expect(definition.trigger.nextAction?.settings).toMatchObject({
      input: { headers: { key: "{{connections['people-api']}}" } },
      propertySettings: { headers: { type: 'DYNAMIC' } },
    });
  });

  it('reads a template of a gallery', () => {
    const definition = read(GALLERY_TEMPLATE);
    expect(kindsOf(definition.trigger)).toEqual(['PIECE_TRIGGER trigger', 'ROUTER size']);
    expect(definition.notes).toMatchObject([{ id: 'a1', content: 'Letters only.' }]);
  });

  it('reads a whole version from elsewhere', () => {
    const definition = read(WHOLE_VERSION);
    expect(definition.trigger.settings).toMatchObject({ pieceName: 'webhook', triggerName: 'catch_webhook' });
    expect(definition.trigger.nextAction?.settings).toMatchObject({
      pieceName: '@activepieces/piece-webhook',
      actionName: 'return_response',
      input: {
        responseType: 'json',
        respond: 'stop',
        fields: { status: 201, headers: {}, body: { hello: '{{trigger.body.name}}' } },
      },
    });
  });

  it.each(['21', 'x', '-1', '1.5', '', ' 1', '1e1'])('refuses schema version %j', (unknownVersion) => {
    expect(() => read({ ...DEFINITION, schemaVersion: unknownVersion })).toThrow(FlowSchemaUnsupportedError);
    expect(() => read(template({ ...DEFINITION, schemaVersion: unknownVersion }))).toThrow(FlowSchemaUnsupportedError);
  });

  it.each<[string, unknown, string, string]>([
    ['text', 'x', '/request', 'must be an object.'],
    ['a definition without a name', { ...DEFINITION, displayName: undefined }, '/request/displayName', 'is required.'],
    ['a definition without a trigger', { ...DEFINITION, trigger: undefined }, '/request/trigger', 'is required.'],
    ['a version that is a number', { ...DEFINITION, schemaVersion: 20 }, '/request/schemaVersion', 'must be a string.'],
    ['notes that are text', { ...DEFINITION, notes: 'x' }, '/request/notes', 'must be a list.'],
    [
      'a note that is text',
      template({ ...DEFINITION, notes: ['x'] }),
      '/request/template/notes/0',
      'must be an object.',
    ],
    ['an unknown field', { ...DEFINITION, colour: 1 }, '/request/colour', 'is not a known field.'],
    ['an unknown field of a template', template(DEFINITION, { colour: 1 }), '/request/colour', 'is not a known field.'],
    [
      'an unknown field in a template',
      template({ ...DEFINITION, colour: 1 }),
      '/request/template/colour',
      'is not a known field.',
    ],
    ['a template that is text', { name: 'x', template: 'x' }, '/request/template', 'must be an object.'],
    [
      'a template with a trigger beside it',
      template(DEFINITION, { trigger }),
      '/request/trigger',
      'is not a known field.',
    ],
    [
      'a blank name of a template',
      { name: ' ', template: { ...DEFINITION, displayName: undefined } },
      '/request/name',
      'must not be blank.',
    ],
    [
      'a template without any name',
      { template: { ...DEFINITION, displayName: undefined } },
      '/request/template/displayName',
      'is required.',
    ],
    ['no flow', gallery([]), '/request/flows', 'must hold exactly one flow, and holds 0.'],
    ['two flows', gallery([DEFINITION, DEFINITION]), '/request/flows', 'must hold exactly one flow, and holds 2.'],
    ['flows that are text', gallery('x'), '/request/flows', 'must be a list.'],
    ['a flow that is text', gallery(['x']), '/request/flows/0', 'must be an object.'],
    ['tables', gallery([DEFINITION], { tables: [{}] }), '/request/tables', 'must be empty: there are no tables here.'],
    [
      'an unknown field of a flow',
      gallery([{ ...DEFINITION, colour: 1 }]),
      '/request/flows/0/colour',
      'is not a known field.',
    ],
  ])('refuses %s, says where and nothing else', (_what, value, path, message) => {
    expect(problemsOf(value)).toEqual([{ path, message }]);
  });

  it('names what is wrong around the steps and in them with the pointers of the request', () => {
    const step = { type: 'NO_SUCH', name: 'a', nextAction: { type: 'CODE', name: 'trigger' } };
    const paths = problemsOf(template({ ...DEFINITION, trigger: { type: 'EMPTY', nextAction: step } }, { colour: 1 }));
    expect(paths.map(({ path }) => path)).toEqual([
      '/request/template/trigger/nextAction/type',
      '/request/template/trigger/nextAction/nextAction/name',
      '/request/colour',
    ]);
  });
});

describe('a problem in a migrated step', () => {
  const bad = { type: 'CODE', name: 'bad', settings: { input: [] } };
  const condition = (operator: unknown): object => ({ conditions: [[{ firstValue: '1', operator }]] });
  const branch = (more: object): object => ({ type: 'BRANCH', name: 'b', settings: condition('EXISTS'), ...more });
  const after = (step: unknown): unknown => ({ displayName: 'x', trigger: { type: 'WEBHOOK', nextAction: step } });

  it.each<[string, unknown, string]>([
    ['the body for yes', branch({ onSuccessAction: bad }), '/onSuccessAction/settings/input'],
    ['the body for no', branch({ onFailureAction: bad }), '/onFailureAction/settings/input'],
    ['what follows a branch', branch({ nextAction: bad }), '/nextAction/settings/input'],
    ['a condition', branch({ settings: condition(7) }), '/settings/conditions/0/0/operator'],
    ['conditions of the wrong kind', branch({ settings: { conditions: 'x' } }), '/settings/conditions'],
    ['a setting', branch({ settings: { colour: 1 } }), '/settings/colour'],
    ['settings that are text', { type: 'PIECE', name: 'p', settings: 'x' }, '/settings'],
    [
      'a branch in a branch in a loop',
      {
        type: 'LOOP_ON_ITEMS',
        name: 'l',
        firstLoopAction: branch({ onFailureAction: { ...branch({ onSuccessAction: bad }), name: 'c' } }),
      },
      '/firstLoopAction/onFailureAction/onSuccessAction/settings/input',
    ],
    [
      'a router below a branch',
      branch({
        onSuccessAction: {
          type: 'ROUTER',
          name: 'r',
          settings: { branches: [{ branchType: 'FALLBACK' }], inputUiInfo: {} },
          children: [bad],
        },
      }),
      '/onSuccessAction/children/0/settings/input',
    ],
    [
      'a member whose name is escaped',
      branch({ onSuccessAction: { type: 'CODE', name: 'c', settings: { 'a/b~c': 1 } } }),
      '/onSuccessAction/settings/a~1b~0c',
    ],
    ['a branch whose settings are text', branch({ settings: 'x', onSuccessAction: bad }), '/settings'],
  ])('is told where it was sent: %s', (_what, step, path) => {
    expect(problemsOf(after(step)).map((problem) => problem.path)).toEqual([`/request/trigger/nextAction${path}`]);
  });

  it('is told where it was sent: in the settings of a trigger', () => {
    const value = {
      displayName: 'x',
      trigger: { type: 'SCHEDULE', settings: { cronExpression: '* * * * *', every: 1 } },
    };
    expect(problemsOf(value)).toEqual([{ path: '/request/trigger/settings/every', message: 'is not a known field.' }]);
  });
});

describe('a large import', () => {
  it('takes 999 actions of all kinds in a moment', async () => {
    const value = sent({ ...DEFINITION, trigger: asBeforeNumbers(aFlowOfAllKinds(999).trigger), schemaVersion: '0' });
    const read = () => expect([...stepsOf(parseDefinition(value, '').trigger)]).toHaveLength(1_000);

    expect(await leastCpuMs(read)).toBeLessThan(2_000);
  });

  it('takes five hundred branches in a chain', () => {
    let next: unknown;
    for (let index = 500; index > 0; index--) next = { type: 'BRANCH', name: `b_${index}`, nextAction: next };
    const { trigger: imported } = parseDefinition(
      { displayName: 'x', trigger: { type: 'EMPTY', nextAction: next } },
      '',
    );
    expect([...stepsOf(imported)]).toHaveLength(501);
  });

  it('takes branches a hundred deep, and refuses one more where it was sent', () => {
    const nested = (depth: number): unknown => {
      let inner: unknown = { type: 'CODE', name: 'innermost' };
      for (let index = depth; index > 0; index--)
        inner = { type: 'BRANCH', name: `b_${index}`, onFailureAction: inner };
      return { displayName: 'x', trigger: { type: 'EMPTY', nextAction: inner } };
    };
    expect([...stepsOf(parseDefinition(nested(100), '').trigger)]).toHaveLength(102);
    expect(problemsOf(nested(101))).toEqual([
      {
        path: `/request/trigger/nextAction${'/onFailureAction'.repeat(101)}`,
        message: 'Loops and routers nest at most 100 deep.',
      },
    ]);
  });

  it('refuses a chain of twenty thousand branches without running out of stack', () => {
    let next: unknown = null;
    for (let index = 0; index < 20_000; index++) next = { type: 'BRANCH', name: `b_${index}`, onSuccessAction: next };
    expect(() => parseDefinition({ displayName: 'x', trigger: { type: 'EMPTY', nextAction: next } }, '')).toThrow(
      InvalidRequestError,
    );
  });
});

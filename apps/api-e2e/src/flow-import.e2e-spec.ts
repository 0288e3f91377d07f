import { stepsOf, type FlowTrigger, type PopulatedFlow } from '@millrace/domain';
import { aFlowOfAllKinds, asBeforeNumbers, codeStep, loop, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface ErrorAnswer {
  code: string;
  params: { errors?: { path: string; message: string }[]; schemaVersion?: string };
}
type FlowAnswer = PopulatedFlow & ErrorAnswer;

const STEPS = 60;
const { trigger, notes } = aFlowOfAllKinds(STEPS);
const definition = { displayName: 'Imported', trigger, schemaVersion: '20', notes };
const beforeNumbers = asBeforeNumbers(trigger);

/** One body for each kind of export, all of the same flow. */
const dialects: [dialect: string, request: object][] = [
  ['a definition', definition],
  [
    'our own template export',
    { name: 'T', description: '', template: definition, created: '2026-01-01T00:00:00.000Z' },
  ],
  [
    'a template with a list of flows',
    { name: 'T', summary: '', description: '', tags: [], pieces: ['x'], type: 'SHARED', flows: [definition] },
  ],
  [
    'a whole flow version of another installation',
    { ...definition, id: 'a', flowId: 'b', created: 'c', updated: 'd', updatedBy: 'e', valid: true, state: 'DRAFT' },
  ],
  ['an export from before definitions were numbered', { displayName: 'Imported', trigger: beforeNumbers, notes }],
  ['one of schema version 1', { displayName: 'Imported', trigger: beforeNumbers, schemaVersion: '1', notes }],
];

describe('importing a flow', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Imports');
  });

  const importInto = (id: string, request: object) =>
    client.request<FlowAnswer>('POST', `/flows/${id}`, { type: 'IMPORT_FLOW', request });
  const aFlow = async () => (await client.createFlow(project, 'Before')).id;
  const shapeOf = (first: FlowTrigger): object[] =>
    Array.from(stepsOf(first), ({ name, displayName, type }) => ({ name, displayName, type }));

  it.each(dialects)('takes %s', async (_dialect, request) => {
    const answer = await importInto(await aFlow(), request);

    expect(answer.status).toBe(200);
    expect(answer.body.version).toMatchObject({ displayName: 'Imported', schemaVersion: '20', state: 'DRAFT', notes });
    expect(shapeOf(answer.body.version.trigger)).toEqual(shapeOf(trigger));
    expect(shapeOf(trigger)).toHaveLength(STEPS + 1);
  });

  it('of every dialect gives the same flow', async () => {
    const triggers = await Promise.all(
      dialects.map(async ([, request]) => (await importInto(await aFlow(), request)).body.version.trigger),
    );

    const kinds = new Set(Array.from(stepsOf(trigger), ({ type }) => type));
    expect(kinds).toEqual(new Set(['PIECE_TRIGGER', 'CODE', 'PIECE', 'LOOP_ON_ITEMS', 'ROUTER']));
    for (const other of triggers.slice(0, 4)) expect(other).toEqual(triggers[0]);
    expect(triggers[5]).toEqual(triggers[4]);
  });

  it('reads the triggers of old exports', async () => {
    const old = (type: string, settings: object) => ({
      displayName: 'Old',
      trigger: { name: 'trigger', displayName: 'T', type, settings, valid: true },
      schemaVersion: '1',
    });

    const webhook = await importInto(await aFlow(), old('WEBHOOK', { inputUiInfo: {} }));
    const schedule = await importInto(await aFlow(), old('SCHEDULE', { cronExpression: '0 * * * *' }));

    expect(webhook.body.version.trigger).toMatchObject({
      type: 'PIECE_TRIGGER',
      valid: true,
      settings: { pieceName: 'webhook', triggerName: 'catch_webhook' },
    });
    expect(schedule.body.version.trigger).toMatchObject({
      type: 'PIECE_TRIGGER',
      settings: { pieceName: 'schedule', triggerName: 'cron_expression', input: { cronExpression: '0 * * * *' } },
    });
  });

  it('takes public piece names for ours, whatever version they name', async () => {
    const hook = webhookTrigger();
    const settings = { ...hook.settings, pieceName: '@activepieces/piece-webhook', pieceVersion: '~0.9.1' };

    const { body } = await importInto(await aFlow(), { ...definition, trigger: { ...hook, settings } });

    expect(body.version.trigger).toMatchObject({
      valid: true,
      settings: { pieceName: 'webhook', pieceVersion: '0.1.0' },
    });
  });

  it('keeps steps of pieces that are not here, and says what is missing', async () => {
    const id = await aFlow();
    const step = {
      ...codeStep('far'),
      type: 'PIECE',
      settings: { pieceName: '@acme/piece-x', pieceVersion: '1.2.3', actionName: 'do_it' },
    };

    const { body } = await importInto(id, { ...definition, trigger: { ...webhookTrigger(), nextAction: step } });

    expect(body.version).toMatchObject({ valid: false, trigger: { nextAction: { name: 'far', valid: false } } });
    const check = await client.must<{ problems: { message: string }[] }>('POST', `/flows/${id}/check`);
    expect(check.problems).toContainEqual({
      stepName: 'far',
      severity: 'error',
      message: expect.stringMatching(/@acme\/piece-x.*1\.2\.3/),
    });
  });

  it('takes 500 steps in a row and 100 levels of nesting', async () => {
    const row = Array.from({ length: 500 }, (_, n) => codeStep(`step_${n}`));
    const long = await importInto(await aFlow(), { ...definition, trigger: webhookTrigger(row) });
    expect(shapeOf(long.body.version.trigger)).toHaveLength(501);
    expect(long.body.version.valid).toBe(true);

    let nested = codeStep('innermost') as Parameters<typeof webhookTrigger>[0] extends (infer A)[] | undefined
      ? A
      : never;
    for (let level = 100; level >= 1; level--) nested = loop(`loop_${level}`, '{{[1]}}', [nested]);
    const deep = await importInto(await aFlow(), { ...definition, trigger: webhookTrigger([nested]) });
    expect(shapeOf(deep.body.version.trigger)).toHaveLength(102);
    expect(deep.body.version.valid).toBe(true);
  });

  const lastOfRow = (last: object) => {
    const row = Array.from({ length: 55 }, (_, n) => codeStep(`step_${n}`));
    return { ...definition, trigger: webhookTrigger([...row, last as ReturnType<typeof codeStep>]) };
  };
  const atTheEnd = `/request/trigger${'/nextAction'.repeat(56)}`;
  const router = { ...codeStep('r'), type: 'ROUTER', settings: { branches: [], executionType: 'EXECUTE_ALL_MATCH' } };
  it.each([
    ['an unknown step type', lastOfRow({ ...codeStep('x'), type: 'MAGIC' }), `${atTheEnd}/type`],
    ['a name that is taken', lastOfRow(codeStep('step_7')), `${atTheEnd}/name`],
    ['a name that is none', lastOfRow(codeStep('7 steps')), `${atTheEnd}/name`],
    ['children without branches', lastOfRow({ ...router, children: [null] }), `${atTheEnd}/children`],
    ['an unknown field', lastOfRow({ ...codeStep('x'), colour: 'red' }), `${atTheEnd}/colour`],
    [
      'a template without a trigger',
      { name: 'T', template: { displayName: 'x', schemaVersion: '20' } },
      '/request/template/trigger',
    ],
    ['two flows', { name: 'T', flows: [definition, definition] }, '/request/flows'],
    ['no flow', { name: 'T', flows: [] }, '/request/flows'],
    ['notes that are no list', { ...definition, notes: {} }, '/request/notes'],
  ])('refuses %s, says where, and leaves the flow byte for byte as it was', async (_what, request, path) => {
    const id = await aFlow();
    await importInto(id, definition);
    const before = await (await fetchFlow(id)).text();

    const answer = await importInto(id, request);

    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    expect(answer.body.params.errors).toContainEqual(expect.objectContaining({ path }));
    expect(await (await fetchFlow(id)).text()).toBe(before);
  });

  const fetchFlow = (id: string) =>
    fetch(`${service.baseUrl}/api/v1/flows/${id}`, { headers: { authorization: `Bearer ${service.adminApiKey}` } });

  it.each(['21', '1.5', 'x', ''])('refuses schema version %j', async (schemaVersion) => {
    const answer = await importInto(await aFlow(), { ...definition, schemaVersion });
    expect(answer).toMatchObject({ status: 400, body: { code: 'FLOW_SCHEMA_UNSUPPORTED', params: { schemaVersion } } });
  });
});

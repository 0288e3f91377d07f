import { FLOW_OPERATION_TYPES, stepsOf, type FlowAction, type PopulatedFlow } from '@millrace/domain';
import { branch, codeStep, fallback, loop, router, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

interface ErrorAnswer {
  code: string;
  params: { message: string; entityType?: string; errors?: { path: string; message: string }[] };
}
type FlowAnswer = PopulatedFlow & ErrorAnswer;
type Case = [what: string, type: string, request: object, seen: (flow: FlowAnswer) => unknown, expected: unknown];

const yes = [[{ firstValue: '{{trigger.body.n}}', operator: 'EXISTS' as const }]];

/** trigger → first → loop(inner) → router(Yes: left · Otherwise: right) → last */
const definition = () =>
  webhookTrigger([
    codeStep('first'),
    loop('each', '{{trigger.body.items}}', [codeStep('inner')]),
    router('choice', [branch('Yes', yes, [codeStep('left')]), fallback([codeStep('right')])]),
    codeStep('last'),
  ]);

const namesOf = ({ version }: FlowAnswer): string[] => Array.from(stepsOf(version.trigger), ({ name }) => name);
const stepOf = ({ version }: FlowAnswer, name: string) =>
  [...stepsOf(version.trigger)].find((step) => step.name === name) as FlowAction & {
    children: FlowAction[];
    settings: { branches: { branchName: string }[]; sampleData?: Record<string, string> };
  };
const branchesOf = (flow: FlowAnswer) => stepOf(flow, 'choice').settings.branches.map(({ branchName }) => branchName);
const childrenOf = (flow: FlowAnswer) => stepOf(flow, 'choice').children.map((child) => child?.name ?? null);
const added = codeStep('added');

describe('flow operations', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  const covered = new Set<string>();
  let project: string;

  const operate = (flowId: string, type: string, request: object) => {
    covered.add(type);
    return client.request<FlowAnswer>('POST', `/flows/${flowId}`, { type, request });
  };

  const aDraft = async (): Promise<string> => {
    const { id } = await client.createFlow(project, 'Operations');
    await client.importFlow(id, 'Operations', definition());
    return id;
  };

  const aPublishedFlow = async (): Promise<string> =>
    (await client.publishFlow(project, 'Operations', definition())).id;

  beforeAll(async () => {
    project = await client.createProject('Operations');
  });

  const edits: Case[] = [
    ['rename the flow', 'CHANGE_NAME', { displayName: 'Other' }, ({ version }) => version.displayName, 'Other'],
    [
      'replace the trigger and keep the steps',
      'UPDATE_TRIGGER',
      { ...webhookTrigger(), displayName: 'Hook' },
      (flow) => [flow.version.trigger.displayName, namesOf(flow).length],
      ['Hook', 8],
    ],
    [
      'add a step after another',
      'ADD_ACTION',
      { parentStep: 'first', stepLocationRelativeToParent: 'AFTER', action: added },
      (flow) => namesOf(flow).slice(0, 4),
      ['trigger', 'first', 'added', 'each'],
    ],
    [
      'add a step at the head of a loop',
      'ADD_ACTION',
      { parentStep: 'each', stepLocationRelativeToParent: 'INSIDE_LOOP', action: added },
      (flow) => namesOf(flow).slice(2, 5),
      ['each', 'added', 'inner'],
    ],
    [
      'add a step at the head of a branch',
      'ADD_ACTION',
      { parentStep: 'choice', stepLocationRelativeToParent: 'INSIDE_BRANCH', branchIndex: 1, action: added },
      childrenOf,
      ['left', 'added'],
    ],
    [
      'change a step where it stands',
      'UPDATE_ACTION',
      codeStep('first', { n: 1 }, undefined, { displayName: 'Changed' }),
      (flow) => [stepOf(flow, 'first').displayName, namesOf(flow).length],
      ['Changed', 8],
    ],
    [
      'delete steps with their bodies',
      'DELETE_ACTION',
      { names: ['first', 'each'] },
      namesOf,
      ['trigger', 'choice', 'left', 'right', 'last'],
    ],
    [
      'move a step into a branch',
      'MOVE_ACTION',
      { name: 'first', newParentStep: 'choice', stepLocationRelativeToNewParent: 'INSIDE_BRANCH', branchIndex: 0 },
      childrenOf,
      ['first', 'right'],
    ],
    [
      'move a step behind another',
      'MOVE_ACTION',
      { name: 'first', newParentStep: 'last' },
      (flow) => namesOf(flow).slice(-2),
      ['last', 'first'],
    ],
    ['duplicate a step with its body', 'DUPLICATE_ACTION', { stepName: 'each' }, (flow) => namesOf(flow).length, 10],
    [
      'skip steps',
      'SET_SKIP_ACTION',
      { names: ['first', 'inner'], skip: true },
      (flow) =>
        [...stepsOf(flow.version.trigger)].filter((step) => 'skip' in step && step.skip).map(({ name }) => name),
      ['first', 'inner'],
    ],
    [
      'add a branch',
      'ADD_BRANCH',
      { stepName: 'choice', branchIndex: 1, branchName: 'Maybe', conditions: yes },
      (flow) => [branchesOf(flow), childrenOf(flow)],
      [
        ['Yes', 'Maybe', 'Otherwise'],
        ['left', null, 'right'],
      ],
    ],
    [
      'delete a branch with its steps',
      'DELETE_BRANCH',
      { stepName: 'choice', branchIndex: 0 },
      (flow) => [branchesOf(flow), childrenOf(flow)],
      [['Otherwise'], ['right']],
    ],
    [
      'duplicate a branch',
      'DUPLICATE_BRANCH',
      { stepName: 'choice', branchIndex: 0, branchName: 'Again' },
      branchesOf,
      ['Yes', 'Again', 'Otherwise'],
    ],
    [
      'mark the step that sample data was saved for',
      'SAVE_SAMPLE_DATA',
      { stepName: 'first', payload: { n: 1 }, type: 'OUTPUT' },
      (flow) => Object.keys(stepOf(flow, 'first').settings.sampleData ?? {}),
      ['outputSavedAt'],
    ],
    [
      'add a note',
      'ADD_NOTE',
      { content: 'Look here', position: { x: 1, y: 2 } },
      ({ version }) => version.notes,
      [expect.objectContaining({ id: expect.any(String), content: 'Look here', position: { x: 1, y: 2 } })],
    ],
  ];

  it.each(edits)('%s (%s)', async (_what, type, request, seen, expected) => {
    const id = await aDraft();

    const answer = await operate(id, type, request);

    expect(answer.status).toBe(200);
    expect(seen(answer.body)).toEqual(expected);
    const { body: read } = await client.request('GET', `/flows/${id}`);
    expect(read).toEqual(answer.body);
  });

  it.each(edits)('make a new draft of a published flow to %s (%s)', async (_what, type, request) => {
    const id = await aPublishedFlow();
    const { body: before } = await client.request<FlowAnswer>('GET', `/flows/${id}`);

    const { body: after } = await operate(id, type, request);

    expect(after).toMatchObject({ status: 'ENABLED', publishedVersionId: before.version.id });
    expect(after.version).toMatchObject({ state: 'DRAFT' });
    expect(after.version.id).not.toBe(before.version.id);
    const { body: locked } = await client.request('GET', `/flows/${id}?versionId=${before.version.id}`);
    expect(locked).toMatchObject({ version: before.version });
  });

  const refusals: [what: string, type: string, request: object][] = [
    ['after an unknown step', 'ADD_ACTION', { parentStep: 'nope', action: added }],
    ['under a name that is taken', 'ADD_ACTION', { parentStep: 'first', action: codeStep('last') }],
    [
      'inside a loop that is none',
      'ADD_ACTION',
      { parentStep: 'first', stepLocationRelativeToParent: 'INSIDE_LOOP', action: added },
    ],
    [
      'inside a branch without saying which',
      'ADD_ACTION',
      { parentStep: 'choice', stepLocationRelativeToParent: 'INSIDE_BRANCH', action: added },
    ],
    [
      'inside a branch that is not there',
      'ADD_ACTION',
      { parentStep: 'choice', stepLocationRelativeToParent: 'INSIDE_BRANCH', branchIndex: 9, action: added },
    ],
    ['of an unknown step', 'UPDATE_ACTION', codeStep('nope')],
    ['of an unknown step', 'DELETE_ACTION', { names: ['first', 'nope'] }],
    ['of the trigger', 'DELETE_ACTION', { names: ['trigger'] }],
    ['of an unknown step', 'MOVE_ACTION', { name: 'nope', newParentStep: 'first' }],
    [
      'of a loop into its own body',
      'MOVE_ACTION',
      { name: 'each', newParentStep: 'inner', stepLocationRelativeToNewParent: 'AFTER' },
    ],
    ['of an unknown step', 'DUPLICATE_ACTION', { stepName: 'nope' }],
    ['of an unknown step', 'SET_SKIP_ACTION', { names: ['nope'], skip: true }],
    ['of a step without branches', 'ADD_BRANCH', { stepName: 'first', branchIndex: 0 }],
    ['of a branch that is not there', 'DELETE_BRANCH', { stepName: 'choice', branchIndex: 5 }],
    ['of the fallback', 'DELETE_BRANCH', { stepName: 'choice', branchIndex: 1 }],
    ['of the fallback', 'DUPLICATE_BRANCH', { stepName: 'choice', branchIndex: 1 }],
    ['past the fallback', 'MOVE_BRANCH', { stepName: 'choice', sourceBranchIndex: 0, targetBranchIndex: 1 }],
    ['for an unknown step', 'SAVE_SAMPLE_DATA', { stepName: 'nope', payload: 1, type: 'INPUT' }],
    ['of an unknown note', 'UPDATE_NOTE', { id: 'nope', content: 'x' }],
    ['of an unknown note', 'DELETE_NOTE', { id: 'nope' }],
  ];

  describe('that do not fit are refused', () => {
    let flowId: string;
    let before: FlowAnswer;

    beforeAll(async () => {
      flowId = await aDraft();
      before = (await client.request<FlowAnswer>('GET', `/flows/${flowId}`)).body;
    });

    it.each(refusals)('%s: %s', async (_what, type, request) => {
      const answer = await operate(flowId, type, request);

      expect(answer).toMatchObject({ status: 400, body: { code: 'FLOW_OPERATION_INVALID' } });
      expect((await client.request('GET', `/flows/${flowId}`)).body).toEqual(before);
    });
  });

  it('move a branch with its steps', async () => {
    const id = await aDraft();
    await operate(id, 'ADD_BRANCH', { stepName: 'choice', branchIndex: 1, branchName: 'Maybe', conditions: yes });

    const { body } = await operate(id, 'MOVE_BRANCH', {
      stepName: 'choice',
      sourceBranchIndex: 0,
      targetBranchIndex: 1,
    });

    expect(branchesOf(body)).toEqual(['Maybe', 'Yes', 'Otherwise']);
    expect(childrenOf(body)).toEqual([null, 'left', 'right']);
  });

  it('change and delete a note', async () => {
    const id = await aDraft();
    await operate(id, 'ADD_NOTE', { id: 'n1', content: 'a' });

    const changed = await operate(id, 'UPDATE_NOTE', { id: 'n1', content: 'b' });
    expect(changed.body.version.notes).toEqual([expect.objectContaining({ id: 'n1', content: 'b' })]);

    const deleted = await operate(id, 'DELETE_NOTE', { id: 'n1' });
    expect(deleted.body.version.notes).toEqual([]);
  });

  it('lock a draft without publishing it, and go back to an earlier version', async () => {
    const id = await aDraft();
    const { body: locked } = await operate(id, 'LOCK_FLOW', {});
    expect(locked).toMatchObject({ status: 'DISABLED', publishedVersionId: null, version: { state: 'LOCKED' } });
    expect((await operate(id, 'LOCK_FLOW', {})).body.code).toBe('FLOW_OPERATION_INVALID');
    const { body: emptied } = await operate(id, 'DELETE_ACTION', { names: ['first', 'each', 'choice', 'last'] });
    expect(namesOf(emptied)).toEqual(['trigger']);

    const { body: back } = await operate(id, 'USE_AS_DRAFT', { versionId: locked.version.id });

    expect(back.version).toMatchObject({ id: emptied.version.id, state: 'DRAFT', trigger: locked.version.trigger });
    const unknown = await operate(id, 'USE_AS_DRAFT', { versionId: id });
    expect(unknown).toMatchObject({ status: 404, body: { params: { entityType: 'flow_version' } } });
  });

  it('change what stands around the versions and leave them alone', async () => {
    const id = await aPublishedFlow();
    const { body: before } = await client.request<FlowAnswer>('GET', `/flows/${id}`);
    const folder = await client.must<{ id: string }>('POST', '/folders', { displayName: 'Home', projectId: project });

    for (const [type, request] of [
      ['CHANGE_FOLDER', { folderId: folder.id }],
      ['UPDATE_METADATA', { metadata: { team: 'a' } }],
      ['UPDATE_MINUTES_SAVED', { timeSavedPerRun: 2.5 }],
      ['UPDATE_OWNER', { ownerId: before.ownerId }],
    ] as const)
      expect(await operate(id, type, request)).toMatchObject({ status: 200, body: { version: before.version } });

    const { body: after } = await client.request<FlowAnswer>('GET', `/flows/${id}`);
    expect(after).toMatchObject({ folderId: folder.id, metadata: { team: 'a' }, timeSavedPerRun: 2.5 });
    expect((await operate(id, 'CHANGE_FOLDER', { folderId: null })).body.folderId).toBeNull();
    const unknown = await operate(id, 'CHANGE_FOLDER', { folderId: id });
    expect(unknown).toMatchObject({ status: 404, body: { params: { entityType: 'folder' } } });
    expect((await operate(id, 'UPDATE_OWNER', { ownerId: id })).body.code).toBe('FLOW_OPERATION_INVALID');
  });

  it.each([
    ['CHANGE_NAME', { displayName: ' ' }, '/request/displayName'],
    ['CHANGE_FOLDER', {}, '/request/folderId'],
    ['UPDATE_METADATA', { metadata: [] }, '/request/metadata'],
    ['UPDATE_METADATA', { metadata: { a: 'x'.repeat(20_000) } }, '/request/metadata'],
    ['UPDATE_MINUTES_SAVED', { timeSavedPerRun: -1 }, '/request/timeSavedPerRun'],
    ['ADD_ACTION', { parentStep: 'first' }, '/request/action'],
    ['ADD_ACTION', { parentStep: 'first', action: { ...added, type: 'MAGIC' } }, '/request/action/type'],
    ['UPDATE_ACTION', { ...added, name: 'not a name' }, '/request/name'],
    ['DELETE_ACTION', { names: [] }, '/request/names'],
    ['DELETE_ACTION', { names: 'first' }, '/request/names'],
    ['SET_SKIP_ACTION', { names: ['first'], skip: 'yes' }, '/request/skip'],
    ['MOVE_BRANCH', { stepName: 'choice', sourceBranchIndex: 'a', targetBranchIndex: 0 }, '/request/sourceBranchIndex'],
    ['SAVE_SAMPLE_DATA', { stepName: 'first', payload: 1, type: 'OTHER' }, '/request/type'],
    ['ADD_NOTE', { content: 7 }, '/request/content'],
    ['LOCK_FLOW', { force: true }, '/request/force'],
    ['DUPLICATE_ACTION', { stepName: 'first', times: 2 }, '/request/times'],
  ])('%s says what of %j is malformed, and where', async (type, request, path) => {
    const { id } = await client.createFlow(project, 'Malformed');

    const answer = await operate(id, type, request);

    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION' } });
    expect(answer.body.params.errors).toContainEqual(expect.objectContaining({ path }));
  });

  it('are all tried here or in the suites of importing and publishing', () => {
    const elsewhere = ['IMPORT_FLOW', 'LOCK_AND_PUBLISH', 'CHANGE_STATUS'];
    expect([...covered, ...elsewhere].sort()).toEqual([...FLOW_OPERATION_TYPES].sort());
    expect(FLOW_OPERATION_TYPES).toHaveLength(25);
  });
});

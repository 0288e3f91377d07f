import type { FlowVersion, PopulatedFlow } from '@millrace/domain';
import { builtInStep, codeStep, loop, pieceStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest } from '@millrace/e2e-support';

type VersionInList = Pick<FlowVersion, 'id' | 'displayName' | 'state'>;

describe('flow versions', () => {
  const service = serviceUnderTest();
  const client = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;

  beforeAll(async () => {
    project = await client.createProject('Versions');
  });

  const read = (id: string, query = '') => client.must<PopulatedFlow>('GET', `/flows/${id}${query}`);
  const publish = (id: string) => client.must('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });

  it('are listed newest first, page by page', async () => {
    const { id } = await client.publishFlow(project, 'One', webhookTrigger());
    await client.importFlow(id, 'Two', webhookTrigger());
    await publish(id);
    await client.importFlow(id, 'Three', webhookTrigger());

    const path = `/flows/${id}/versions?limit=2`;
    const first = await client.must<{ data: VersionInList[]; next: string }>('GET', path);
    const second = await client.must<{ data: VersionInList[] }>('GET', `${path}&cursor=${first.next}`);

    expect([...first.data, ...second.data].map(({ displayName, state }) => [displayName, state])).toEqual([
      ['Three', 'DRAFT'],
      ['Two', 'LOCKED'],
      ['One', 'LOCKED'],
    ]);
    expect(await client.request('GET', `/flows/${project}/versions`)).toMatchObject({
      status: 404,
      body: { params: { entityType: 'flow' } },
    });
  });

  it('say who published them and why, what starts them, and what they are made of', async () => {
    const { id } = await client.createFlow(project, 'Told');
    const steps = [builtInStep('wait', 'delay', 'delay_for', { unit: 'seconds', delayFor: 1 }), codeStep('after')];
    await client.importFlow(id, 'Told', webhookTrigger(steps));
    const note = 'Larger orders need an approval.';
    const { version } = await client.must<{ version: FlowVersion }>('POST', `/flows/${id}`, {
      type: 'LOCK_AND_PUBLISH',
      request: { note },
    });
    await client.importFlow(id, 'Told', webhookTrigger());

    const { data } = await client.must<{ data: object[] }>('GET', `/flows/${id}/versions`);

    const name = expect.stringMatching(/./) as string;
    const draft = { state: 'DRAFT', updatedByName: name, pieceNames: ['webhook'], stepsCount: 0 };
    const never = { publishedAt: null, publishedBy: null, publishedByName: null, publishNote: null };
    const made = { updatedByName: name, triggerType: 'WEBHOOK', pieceNames: ['webhook', 'delay'], stepsCount: 2 };
    const published = { publishedBy: version.updatedBy, publishedByName: name, publishNote: note };
    expect(data).toEqual([
      expect.objectContaining({ ...draft, ...never }),
      expect.objectContaining({ ...made, ...published, publishedAt: expect.any(String) }),
    ]);
  });

  it('are published without a note that is too long', async () => {
    const { id } = await client.createFlow(project, 'Long');
    await client.importFlow(id, 'Long', webhookTrigger());
    const request = { note: 'x'.repeat(1_001) };
    expect(await client.request('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION', params: { errors: [{ path: '/request/note' }] } },
    });
  });

  it('say what became of the steps between two of them', async () => {
    const before = [codeStep('stays'), codeStep('goes'), codeStep('changes'), codeStep('moves')];
    const { id, version } = await client.publishFlow(project, 'Before', webhookTrigger(before));
    const after = [codeStep('stays'), codeStep('changes', { n: 1 }), loop('comes', '{{[]}}', [codeStep('moves')])];
    const edited = await client.importFlow(id, 'After', webhookTrigger(after));

    const diff = await client.must('GET', `/flows/${id}/versions/${version.id}/diff/${edited.version.id}`);

    expect(diff).toEqual({
      displayName: { from: 'Before', to: 'After' },
      notes: { added: [], removed: [], changed: [] },
      steps: {
        added: [expect.objectContaining({ name: 'comes', type: 'LOOP_ON_ITEMS' })],
        removed: [expect.objectContaining({ name: 'goes', type: 'CODE' })],
        moved: [
          {
            name: 'moves',
            from: { parentStep: 'changes', position: 'AFTER' },
            to: { parentStep: 'comes', position: 'INSIDE_LOOP' },
          },
        ],
        changed: [expect.objectContaining({ name: 'changes', paths: ['/settings/input/n'] })],
      },
    });
    const unknown = await client.request('GET', `/flows/${id}/versions/${version.id}/diff/${id}`);
    expect(unknown).toMatchObject({ status: 404, body: { params: { entityType: 'flow_version' } } });
  });

  it('are checked before they are published: what is refused, and what is doubtful', async () => {
    const { id } = await client.createFlow(project, 'Checked');
    await client.importFlow(
      id,
      'Checked',
      webhookTrigger([
        codeStep('early', { later: '{{late.output}}', none: '{{nobody.x}}' }),
        codeStep('late', {}, 'export const code = async () => {'),
        builtInStep('answer', 'webhook', 'return_response', {
          statusCode: 201,
          fields: { body: '{{connections.gone}}', statusCode: 201 },
        }),
        { ...pieceStep('unknown'), settings: { ...pieceStep('unknown').settings, pieceName: 'no_such_piece' } },
      ]),
    );

    const check = await client.request<{ valid: boolean; problems: object[] }>('POST', `/flows/${id}/check`);

    expect(check).toMatchObject({ status: 200, body: { valid: false } });
    expect(check.body.problems).toEqual([
      { stepName: 'late', severity: 'error', message: expect.stringMatching(/^Line 1/) },
      { stepName: 'unknown', severity: 'error', message: expect.stringContaining('no_such_piece') },
      { stepName: 'early', severity: 'warning', message: expect.stringContaining('late') },
      { stepName: 'early', severity: 'warning', message: expect.stringContaining('nobody') },
      { stepName: 'answer', severity: 'warning', message: expect.stringMatching(/the input statusCode\.$/) },
      { stepName: 'answer', severity: 'warning', message: expect.stringContaining('fields.statusCode') },
      { stepName: 'answer', severity: 'warning', message: 'There is no connection "gone".' },
    ]);
    const refused = await client.request('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
    expect(refused).toMatchObject({ status: 409, body: { code: 'FLOW_VERSION_INVALID' } });
  });

  it('show a flow with exactly the version asked for', async () => {
    const { id, version } = await client.publishFlow(project, 'First', webhookTrigger());
    await client.importFlow(id, 'Second', webhookTrigger());

    expect((await read(id)).version.displayName).toBe('Second');
    expect((await read(id, `?versionId=${version.id}`)).version).toMatchObject({
      id: version.id,
      displayName: 'First',
    });
    const { version: other } = await client.createFlow(project, 'Other');
    const foreign = await client.request('GET', `/flows/${id}?versionId=${other.id}`);
    expect(foreign).toMatchObject({ status: 404, body: { params: { entityType: 'flow_version' } } });
  });
});

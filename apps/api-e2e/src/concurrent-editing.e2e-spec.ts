import { stepsOf, type PopulatedFlow } from '@millrace/domain';
import { codeStep, webhookTrigger } from '@millrace/domain/testing';
import { ServiceClient, serviceUnderTest, type Answer } from '@millrace/e2e-support';

type FlowAnswer = PopulatedFlow & { code: string };

const CLIENTS = 20;
const EDITS_EACH = 5;

describe('many clients editing one flow at once', () => {
  const service = serviceUnderTest();
  const owner = new ServiceClient(service.baseUrl, service.adminApiKey);
  let project: string;
  let flowId: string;

  beforeAll(async () => {
    project = await owner.createProject('Concurrent editing');
  });

  beforeEach(async () => {
    flowId = (await owner.createFlow(project, 'Crowded')).id;
    await owner.importFlow(flowId, 'Crowded', webhookTrigger([codeStep('first')]));
  });

  const addStep = (client: ServiceClient, name: string, headers = {}): Promise<Answer<FlowAnswer>> =>
    client.request(
      'POST',
      `/flows/${flowId}`,
      { type: 'ADD_ACTION', request: { parentStep: 'first', action: codeStep(name) } },
      headers,
    );
  const readNames = async (): Promise<string[]> => {
    const { version } = await owner.must<FlowAnswer>('GET', `/flows/${flowId}`);
    return Array.from(stepsOf(version.trigger), ({ name }) => name);
  };
  const namesAccepted = (answers: [string, Answer<unknown>][]): string[] =>
    answers.flatMap(([name, { status }]) => (status === 200 ? [name] : []));

  it('loses none of their edits when they are one principal', async () => {
    const editing = Array.from({ length: CLIENTS }, async (_, client) => {
      for (let edit = 0; edit < EDITS_EACH; edit++)
        expect((await addStep(owner, `by_${client}_${edit}`)).status).toBe(200);
    });
    await Promise.all(editing);

    expect((await readNames()).length).toBe(2 + CLIENTS * EDITS_EACH);
  });

  it('takes what it accepts, and tells the others that the flow is in use', async () => {
    const keys = await Promise.all(
      Array.from({ length: CLIENTS }, () =>
        owner.must<{ value: string }>('POST', '/api-keys', { displayName: 'Editor', projectId: project }),
      ),
    );
    const principals = [owner, ...keys.map(({ value }) => owner.withToken(value))];

    const answers = await Promise.all(
      principals.map(async (client, index): Promise<[string, Answer<FlowAnswer>]> => {
        const name = `by_${index}`;
        return [name, await addStep(client, name)];
      }),
    );

    const refused = answers.filter(([, { status }]) => status !== 200);
    expect(refused.map(([, { status, body }]) => [status, body.code])).toEqual(
      Array.from({ length: CLIENTS }, () => [409, 'FLOW_IN_USE']),
    );
    expect((await readNames()).sort()).toEqual(['trigger', 'first', ...namesAccepted(answers)].sort());
  });

  it('lets exactly one of those through that all name the same state in If-Match', async () => {
    const etag = (await owner.request('GET', `/flows/${flowId}`)).headers.get('etag') ?? '';

    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, index): Promise<[string, Answer<FlowAnswer>]> => {
        const name = `by_${index}`;
        return [name, await addStep(owner, name, { 'if-match': etag })];
      }),
    );

    const accepted = namesAccepted(answers);
    expect(accepted).toHaveLength(1);
    expect(answers.filter(([, { status }]) => status === 412)).toHaveLength(CLIENTS - 1);
    expect((await readNames()).sort()).toEqual(['trigger', 'first', ...accepted].sort());
  });

  it('runs an edit with an Idempotency-Key once, however many send it', async () => {
    const answers = await Promise.all(
      Array.from({ length: CLIENTS }, () => addStep(owner, 'once', { 'idempotency-key': `crowd-${flowId}` })),
    );

    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect(answers.filter(({ body }) => body.code === 'FLOW_OPERATION_INVALID')).toEqual([]);
    expect((await readNames()).filter((name) => name === 'once')).toHaveLength(1);
  });
});

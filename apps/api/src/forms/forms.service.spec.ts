import {
  EntityNotFoundError,
  FlowDisabledError,
  FlowVersionReader,
  InvalidRequestError,
  RunIntake,
  type ArrivingRun,
  type FlowVersion,
  type TriggeredFlow,
} from '@millrace/domain';
import { anId } from '@millrace/domain/testing';
import { FormsService } from './forms.service';

const FLOW: TriggeredFlow = {
  flowId: anId(),
  projectId: anId(),
  status: 'ENABLED',
  publishedVersionId: anId(),
  triggerPiece: 'human_input',
  triggerInput: { fields: [{ name: 'count', type: 'number', required: true }] },
};

function setUp(flow: Partial<TriggeredFlow> | null = {}) {
  const accepted: ArrivingRun[] = [];
  const flows = {
    findPublished: async () => flow && { ...FLOW, ...flow },
    getVersion: async () => ({ displayName: 'Orders' }) as FlowVersion,
  } as Partial<FlowVersionReader> as FlowVersionReader;
  const runs: RunIntake = {
    accept: async (run) => {
      accepted.push(run);
      return { runId: run.id, replayed: false };
    },
  };
  return { accepted, forms: new FormsService(flows, runs) };
}

describe('FormsService', () => {
  it('starts a run whose payload is what was given, with the types of the fields', async () => {
    const { accepted, forms } = setUp();

    const { id } = await forms.submit(FLOW.flowId, { count: '3' });

    expect(accepted).toMatchObject([
      { id, flowVersionId: FLOW.publishedVersionId, environment: 'PRODUCTION', payload: '{"count":3}' },
    ]);
  });

  it('shows the form under the name of its flow', async () => {
    const fields = [{ name: 'count', label: 'count', type: 'number', required: true }];
    expect(await setUp().forms.open(FLOW.flowId)).toEqual({
      flowName: 'Orders',
      request: { kind: 'form', fields },
      startsRun: true,
    });
  });

  it('starts no run for values that do not fit', async () => {
    const { accepted, forms } = setUp();
    for (const body of [{}, { count: 'many' }, { count: 1, more: 2 }, [], 'text'])
      await expect(forms.submit(FLOW.flowId, body)).rejects.toThrow(InvalidRequestError);
    expect(accepted).toEqual([]);
  });

  it.each<[string, Partial<TriggeredFlow> | null, new (...args: never[]) => Error]>([
    ['does not exist', null, EntityNotFoundError],
    ['has another trigger', { triggerPiece: 'webhook' }, EntityNotFoundError],
    ['is disabled', { status: 'DISABLED' }, FlowDisabledError],
    ['was never published', { publishedVersionId: null, triggerPiece: null }, FlowDisabledError],
  ])('shows and takes no form of a flow that %s', async (_, flow, error) => {
    const { accepted, forms } = setUp(flow);
    await expect(forms.open(FLOW.flowId)).rejects.toThrow(error);
    await expect(forms.submit(FLOW.flowId, { count: 1 })).rejects.toThrow(error);
    await expect(forms.open('nope')).rejects.toThrow(EntityNotFoundError);
    expect(accepted).toEqual([]);
  });
});

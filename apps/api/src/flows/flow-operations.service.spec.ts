import {
  FlowInUseError,
  InvalidRequestError,
  PreconditionFailedError,
  QuotaExceededError,
  TriggerRegistrationError,
  type Flow,
  type FlowChange,
  type FlowDecision,
  type FlowRepository,
  type FlowSurroundings,
  type FlowVersion,
  type PopulatedFlow,
} from '@millrace/domain';
import {
  aFlow,
  aFlowVersion,
  HandDrivenClock,
  RecordingTriggerRegistry,
  webhookTrigger,
  aPrincipal,
} from '@millrace/domain/testing';
import { BuiltInPieces } from '@millrace/pieces';
import { Logger } from '@nestjs/common';
import { FlowOperations } from './flow-operations.service';
import type { AwaitedOperations } from './awaited-operations';
import { LiveTriggers } from './live-triggers';
import type { VersionChecker } from './version-checker';

const published = aFlowVersion([], { id: 'published', trigger: webhookTrigger([], { authType: 'none' }) });
const draft = aFlowVersion([], { id: 'draft', state: 'DRAFT', trigger: webhookTrigger([], { authType: 'basic' }) });
const ENABLED = { status: 'ENABLED', publishedVersionId: 'published' } as const;
const DISABLED = { status: 'DISABLED', publishedVersionId: 'published' } as const;

const principal = aPrincipal('ADMIN', { userId: 'author' });
const disable = { type: 'CHANGE_STATUS', request: { status: 'DISABLED' } };
const enable = { type: 'CHANGE_STATUS', request: { status: 'ENABLED' } };
const publish = { type: 'LOCK_AND_PUBLISH', request: {} };

/** The triggers of these flows have no hooks, so nothing may be asked of workers. */
const NO_OPERATIONS = {} as AwaitedOperations;

/** Holds one flow with a published version and a draft. */
class OneFlow implements Pick<FlowRepository, 'get' | 'change' | 'delete'> {
  readonly surroundings: FlowSurroundings = {
    countEnabled: () => Promise.resolve(this.enabledFlows),
    findVersion: (id) => Promise.resolve([published, draft].find((version) => version.id === id) ?? null),
    hasFolder: () => Promise.resolve(false),
    knownSecrets: () => Promise.resolve(new Set()),
    keepPackages: () => Promise.resolve([]),
    hasMember: () => Promise.resolve(false),
  };
  enabledFlows = 0;
  /** The error that the database throws at the commit; null when the commit succeeds. */
  refusal: Error | null = null;
  isDeleted = false;
  /** What each change says of the trigger. */
  readonly listening: FlowChange['listening'][] = [];

  constructor(
    public flow: Flow,
    public version: FlowVersion = draft,
  ) {}

  get(): Promise<PopulatedFlow> {
    return Promise.resolve({ ...this.flow, version: this.version });
  }

  async change(_flowId: string, _projectIds: unknown, decide: FlowDecision): Promise<PopulatedFlow> {
    const { flow, version, listening } = await decide(await this.get(), this.surroundings);
    this.commit();
    this.listening.push(listening);
    [this.flow, this.version] = [flow, version];
    return this.get();
  }

  async delete(...[, , agree]: Parameters<FlowRepository['delete']>): Promise<void> {
    await agree(await this.get(), this.surroundings);
    this.commit();
    this.isDeleted = true;
  }

  private commit(): void {
    if (this.refusal) throw this.refusal;
  }
}

function setUp(more: Partial<Flow> = {}, limit?: number) {
  const flows = new OneFlow(aFlow({ updatedBy: 'author', revision: 3, ...more }));
  const registry = new RecordingTriggerRegistry();
  const check = (version: FlowVersion) => Promise.resolve({ version, problems: [] });
  const kept: string[] = [];
  const checker = {
    prepare: () => Promise.resolve(),
    checkHiding: () => check,
    keepPackages: async ({ id }: FlowVersion) => void kept.push(id),
  } as unknown as VersionChecker;
  const operations = new FlowOperations(
    flows as unknown as FlowRepository,
    new LiveTriggers(registry, new BuiltInPieces(), NO_OPERATIONS),
    checker,
    new HandDrivenClock(),
    { SVC_ACTIVE_FLOWS_LIMIT: limit },
  );
  const apply = (body: unknown, ifMatch?: string) => operations.apply(principal, 'flow_1', body, ifMatch);
  const calls = () => registry.calls.map(({ call, trigger }) => `${call} ${trigger.flowVersionId}`);
  return { flows, registry, operations, apply, calls, kept };
}

beforeAll(() => Logger.overrideLogger(false));

describe('the packages of a flow', () => {
  it('are kept by its publication, and by no other change', async () => {
    const { apply, kept } = setUp(DISABLED);
    await apply({ type: 'CHANGE_NAME', request: { displayName: 'Other' } });
    await apply(enable);
    expect(kept).toEqual([]);

    await apply(publish);
    expect(kept).toEqual(['draft']);
  });
});

describe('the trigger of a flow', () => {
  it('is registered when the flow is enabled, and unregistered when it is disabled', async () => {
    const { apply, calls } = setUp(DISABLED);

    await apply(enable);
    expect(calls()).toEqual(['register published']);

    await apply(disable);
    expect(calls()).toEqual(['register published', 'unregister published']);
  });

  it('takes the place of the one published before', async () => {
    const { apply, calls } = setUp(ENABLED);
    await apply(publish);
    expect(calls()).toEqual(['register draft', 'unregister published']);
  });

  it('is put on record with the change', async () => {
    const { apply, flows } = setUp(ENABLED);

    await apply({ type: 'CHANGE_NAME', request: { displayName: 'Other' } });
    await apply(disable);
    await apply(publish);

    expect(flows.listening).toEqual([undefined, null, { flowVersionId: 'draft', plan: { kind: 'WEBHOOK' } }]);
  });

  it('stays as it is while only the draft changes', async () => {
    const { apply, calls } = setUp(ENABLED);
    await apply({ type: 'CHANGE_NAME', request: { displayName: 'Other' } });
    expect(calls()).toEqual([]);
  });

  it('is unregistered when an enabled flow is deleted, and only then', async () => {
    const enabled = setUp(ENABLED);
    await enabled.operations.delete(principal, 'flow_1');
    expect(enabled.calls()).toEqual(['unregister published']);

    const disabled = setUp(DISABLED);
    await disabled.operations.delete(principal, 'flow_1');
    expect(disabled.calls()).toEqual([]);
  });

  it('leaves the flow as it was when it cannot be registered', async () => {
    const { flows, registry, apply } = setUp(DISABLED);
    registry.refuse('register', new TriggerRegistrationError('published', 'trigger', 'It does not listen.'));

    await expect(apply(enable)).rejects.toThrow(TriggerRegistrationError);

    expect(flows.flow.status).toBe('DISABLED');
  });

  it('leaves an enabled flow undeleted when it cannot be unregistered', async () => {
    const { flows, registry, operations } = setUp(ENABLED);
    registry.refuse('unregister', new TriggerRegistrationError('published', 'trigger', 'It goes on listening.'));

    await expect(operations.delete(principal, 'flow_1')).rejects.toThrow(TriggerRegistrationError);

    expect(flows.isDeleted).toBe(false);
  });

  it('is as it was when the change is not committed after all', async () => {
    const { flows, apply, calls } = setUp(ENABLED);
    flows.refusal = new Error('The database is away.');

    await expect(apply(publish)).rejects.toThrow('The database is away.');

    expect(calls()).toEqual(['register draft', 'unregister published', 'register published', 'unregister draft']);
  });

  it('does not hide why the change failed when it cannot be taken back either', async () => {
    const { flows, registry, apply } = setUp(DISABLED);
    flows.refusal = new Error('The database is away.');
    registry.refuse('unregister', new TriggerRegistrationError('published', 'trigger', 'It goes on listening.'));

    await expect(apply(enable)).rejects.toThrow('The database is away.');
  });
});

describe('a flow operation', () => {
  it('is let through by an If-Match that names the present state, and moves on to the next', async () => {
    const { apply } = setUp(DISABLED);
    expect((await apply(enable, '"3"')).revision).toBe(4);
    await expect(apply(disable, '"3"')).rejects.toThrow(PreconditionFailedError);
  });

  it('is refused for its body before its If-Match, and for that before another principal', async () => {
    const { apply } = setUp({ ...DISABLED, updatedBy: 'another' });
    await expect(apply({ type: 'NOPE' }, '"2"')).rejects.toThrow(InvalidRequestError);
    await expect(apply(enable, '"2"')).rejects.toThrow(PreconditionFailedError);
    await expect(apply(enable, '"3"')).rejects.toThrow(FlowInUseError);
  });

  it('enables no flow above the limit of the project, and registers nothing then', async () => {
    const { flows, apply, calls } = setUp(DISABLED, 2);
    flows.enabledFlows = 2;

    await expect(apply(enable)).rejects.toThrow(QuotaExceededError);

    expect(calls()).toEqual([]);
    flows.enabledFlows = 1;
    expect((await apply(enable)).status).toBe('ENABLED');
  });

  it('publishes a new version of an enabled flow at the limit', async () => {
    const { flows, apply } = setUp(ENABLED, 2);
    flows.enabledFlows = 2;
    expect((await apply(publish)).publishedVersionId).toBe('draft');
  });
});

describe('deleting a flow', () => {
  it('is refused when If-Match names another state than the present one', async () => {
    const { flows, operations } = setUp();
    await expect(operations.delete(principal, 'flow_1', '"2"')).rejects.toThrow(PreconditionFailedError);
    expect(flows.isDeleted).toBe(false);

    await operations.delete(principal, 'flow_1', '"3"');
    expect(flows.isDeleted).toBe(true);
  });
});

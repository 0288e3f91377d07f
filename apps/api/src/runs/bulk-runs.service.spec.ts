import {
  InvalidRequestError,
  type BulkRuns,
  type FlowRunFilter,
  type FlowRunRepository,
  type Principal,
  type ProjectRepository,
} from '@millrace/domain';
import { anId, aPrincipal } from '@millrace/domain/testing';
import { ProjectAccess } from '../auth/project-access';
import { BulkRunsService } from './bulk-runs.service';

const project = anId();
const keyOf = (projectIds: Principal['projectIds']): Principal => ({
  ...aPrincipal(projectIds === 'any' ? 'ADMIN' : Object.fromEntries(projectIds.map((id) => [id, 'OPERATOR']))),
  kind: 'api_key',
  apiKeyId: 'k',
  expiresAt: null,
});
const key = keyOf([project]);

describe('BulkRunsService', () => {
  let matching: string[];
  let found: { filter: FlowRunFilter; afterId: string | null }[];
  let cancelled: string[][];
  let spared: (readonly string[] | undefined)[];
  let archived: string[][];
  let counted: FlowRunFilter[];
  let service: BulkRunsService;

  beforeEach(() => {
    matching = Array.from({ length: 2_500 }, (_, index) => String(index).padStart(6, '0'));
    [found, cancelled, spared, archived, counted] = [[], [], [], [], []];
    const bulk: BulkRuns = {
      find: (filter, afterId, limit) => {
        found.push({ filter, afterId });
        return Promise.resolve(matching.filter((id) => afterId === null || id > afterId).slice(0, limit));
      },
      cancel: (runIds, excluded) => {
        spared.push(excluded);
        return Promise.resolve(cancelled.push([...runIds]) && runIds.length - 1);
      },
      countCancellable: (filter, excluded) => {
        spared.push(excluded);
        return Promise.resolve(counted.push(filter) && 9);
      },
      archive: (runIds) => Promise.resolve(archived.push([...runIds]) && runIds.length),
    };
    const count = (filter: FlowRunFilter) => Promise.resolve(counted.push(filter) && 7);
    const runs = { count } as unknown as FlowRunRepository;
    service = new BulkRunsService(bulk, runs, new ProjectAccess({} as ProjectRepository));
  });

  it('acts on every run that matches once, in batches', async () => {
    expect(await service.archive(key, {})).toBe(2_500);
    expect(archived.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(archived.flat()).toEqual(matching);
    expect(found.map(({ afterId }) => afterId)).toEqual([null, '000999', '001999']);
  });

  it('leaves runs alone that are accepted while it acts', async () => {
    const before = [...matching];
    matching.push('ffff0', 'ffff1');

    expect(await service.archive(key, {})).toBe(2_500);
    expect(archived.flat()).toEqual(before);
  });

  it('acts on a run that it is named, also one whose id comes from a clock that is ahead', async () => {
    matching = [anId(new Date(Date.now() + 3_600_000))];

    await service.cancel(key, { flowRunIds: matching });

    expect(cancelled).toEqual([matching]);
  });

  it('answers how many were stopped, not how many were found', async () => {
    expect(await service.cancel(key, {})).toBe(2_497);
    expect(cancelled.flat()).toEqual(matching);
  });

  it.each([{ status: ['PAUSED' as const] }, { flowRunIds: [anId()] }, { dryRun: true }])(
    'spares the children that are excluded, with %j',
    async (body) => {
      matching = matching.slice(0, 1);
      const excluded = anId();

      await service.cancel(key, { ...body, excludeFlowRunIds: [excluded] });

      expect(spared).toEqual([[excluded]]);
    },
  );

  it('asks for no act where nothing matches, and once more after a full batch', async () => {
    matching = [];
    expect(await service.cancel(key, {})).toBe(0);
    matching = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(6, '0'));
    expect(await service.cancel(key, {})).toBe(999);
    expect(cancelled).toHaveLength(1);
    expect(found).toHaveLength(3);
  });

  it('means every run that qualifies when there is no filter', async () => {
    await service.cancel(key, {});
    await service.archive(key, {});
    expect(found[0]?.filter).toMatchObject({ projectId: project, status: ['PAUSED', 'RUNNING'] });
    expect(found.at(-1)?.filter.status).toEqual([
      'SUCCEEDED',
      'FAILED',
      'QUOTA_EXCEEDED',
      'INTERNAL_ERROR',
      'TIMEOUT',
      'STOPPED',
    ]);
  });

  it('takes all filters', async () => {
    const [flowId, excluded] = [anId(), anId()];
    const span = { createdAfter: new Date(1), createdBefore: new Date(2) };
    const failed = { status: ['FAILED' as const], failedStepName: 'step_1' };
    const others = { tags: ['vip'], environment: 'TESTING' as const };
    await service.archive(key, { flowId, excludeFlowRunIds: [excluded, 'no id'], ...span, ...failed, ...others });
    expect(found[0]?.filter).toEqual({
      projectId: project,
      flowId,
      excludeFlowRunIds: [excluded],
      ...span,
      ...failed,
      ...others,
    });
  });

  it('takes the runs it is named and ignores all other filters', async () => {
    const runId = anId();
    await service.cancel(key, {
      flowRunIds: [runId, 'r1'],
      status: ['PAUSED'],
      flowId: anId(),
      createdAfter: new Date(),
    });
    expect(found[0]?.filter).toEqual({ projectId: project, status: ['PAUSED', 'RUNNING'], flowRunIds: [runId] });
  });

  it.each([{ flowRunIds: [] }, { flowRunIds: ['r1'] }, { flowId: 'nope' }])(
    'does not ask at all for %j',
    async (body) => {
      expect(await service.cancel(key, body)).toBe(0);
      expect(await service.archive(key, { ...body, dryRun: true })).toBe(0);
      expect([found, counted]).toEqual([[], []]);
    },
  );

  it('only counts in a dry run', async () => {
    expect(await service.cancel(key, { dryRun: true })).toBe(9);
    expect(await service.archive(key, { dryRun: true })).toBe(7);
    expect([found, cancelled, archived]).toEqual([[], [], []]);
    expect(counted.map(({ status }) => status?.length)).toEqual([2, 6]);
  });

  it('wants a project named by who has several', async () => {
    const several = keyOf([project, anId()]);
    await expect(service.cancel(several, {})).rejects.toThrow(InvalidRequestError);
    await service.cancel(several, { projectId: project });
    expect(found[0]?.filter.projectId).toBe(project);
  });

  it('lets nobody into a foreign project', async () => {
    await expect(service.archive(key, { projectId: anId() })).rejects.toMatchObject({ code: 'AUTHORIZATION' });
    expect(found).toEqual([]);
  });
});

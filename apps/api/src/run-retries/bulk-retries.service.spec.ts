import {
  EntityNotFoundError,
  FlowRunDataExpiredError,
  FlowRunDataUnreadableError,
  FlowRunNotRetryableError,
  ServiceUnavailableError,
  type BulkRuns,
  type FlowRunFilter,
  type NewRun,
  type Principal,
  type ProjectRepository,
  type RunWithRecord,
} from '@millrace/domain';
import { aNewRun, anId, aPrincipal } from '@millrace/domain/testing';
import { newId } from '@millrace/persistence';
import { ProjectAccess } from '../auth/project-access';
import { BulkRetriesService } from './bulk-retries.service';
import type { PacedRetriesService } from './paced-retries.service';
import { RetriesOfMany } from './retries-of-many';
import type { RunsToRetry } from './runs-to-retry';
import type { RetryRunsDto } from './run-retry.dto';
import type { RunRetriesService } from './run-retries.service';

const project = anId();
const principal: Principal = {
  ...aPrincipal({ [project]: 'OPERATOR' }),
  kind: 'api_key',
  apiKeyId: 'k',
  expiresAt: null,
};

describe('BulkRetriesService', () => {
  let matching: string[];
  let filters: FlowRunFilter[];
  let troubles: Map<string, Error>;
  let accepted: NewRun[];
  let atOnce: number;
  let mostAtOnce: number;
  let made: object[];
  let service: BulkRetriesService;

  beforeEach(() => {
    matching = Array.from({ length: 1_200 }, () => newId());
    [filters, troubles, accepted, atOnce, mostAtOnce] = [[], new Map(), [], 0, 0];
    const bulk = {
      find: (filter: FlowRunFilter, afterId: string | null, limit: number) => {
        filters.push(filter);
        return Promise.resolve(matching.filter((id) => afterId === null || id > afterId).slice(0, limit));
      },
    } as Partial<BulkRuns> as BulkRuns;
    const runsToRetry = {
      recorded: async (runId: string) => {
        mostAtOnce = Math.max(mostAtOnce, ++atOnce);
        await Promise.resolve();
        return { run: { id: runId } } as RunWithRecord;
      },
      start: (run: NewRun) => {
        accepted.push(run);
        matching.push(newId());
        return Promise.resolve(run.id);
      },
    } as Partial<RunsToRetry> as RunsToRetry;
    const retries = {
      retryOf: async (_triggeredBy: string, { run }: RunWithRecord, strategy: string) => {
        const trouble = troubles.get(run.id);
        await Promise.resolve();
        atOnce--;
        if (trouble) throw trouble;
        return aNewRun({ retryOfRunId: run.id, triggeredBy: strategy });
      },
    } as Partial<RunRetriesService> as RunRetriesService;
    made = [];
    const paced = {
      make: (_principal: Principal, body: object) => {
        made.push(body);
        return Promise.resolve({ id: 'paced' });
      },
    } as unknown as PacedRetriesService;
    const access = new ProjectAccess({} as ProjectRepository);
    service = new BulkRetriesService(bulk, new RetriesOfMany(runsToRetry, retries), paced, access);
  });

  const call = (body: Partial<RetryRunsDto> = {}, callKey: string | null = null) =>
    service.retry(principal, { strategy: 'FROM_FAILED_STEP', ...body }, callKey);
  const retry = async (...asked: Parameters<typeof call>) => (await call(...asked)).retried;

  it.each([{ ratePerSecond: 20 }, { stopAfterFailures: 3 }])('makes a paced retry for %j', async (pace) => {
    expect(await call(pace)).toEqual({ retried: 0, pacedRetryId: 'paced' });
    expect(made).toEqual([expect.objectContaining({ ...pace, projectId: project })]);
    expect(accepted).toEqual([]);
  });

  it('counts the runs of a paced retry without making one', async () => {
    expect(await call({ ratePerSecond: 20, dryRun: true })).toEqual({ retried: 1_200 });
    expect(made).toEqual([]);
  });

  it('names each retry by the call, so that a call that broke off can be made again', async () => {
    matching = matching.slice(0, 1);
    const [runId] = matching;
    await retry({}, 'mine');
    expect(accepted[0]?.idempotencyKey).toMatch(new RegExp(`^retry:.+ mine ${runId}$`));

    await retry();
    expect(accepted[1]?.idempotencyKey).toBeNull();
  });

  it('retries every run that matches once, and no retry that matches too', async () => {
    const before = [...matching];
    expect(await retry()).toBe(1_200);
    expect(accepted.map(({ retryOfRunId }) => retryOfRunId).sort()).toEqual(before.sort());
    expect(accepted[0]?.triggeredBy).toBe('FROM_FAILED_STEP');
  });

  it('holds few runs at a time', async () => {
    await retry();
    expect(mostAtOnce).toBe(8);
  });

  it('passes over runs that cannot be retried and does not count them', async () => {
    troubles.set(matching[0] ?? '', new FlowRunNotRetryableError('r', 'SUCCEEDED', 'No.'));
    troubles.set(matching[1] ?? '', new FlowRunDataExpiredError('r', 30));
    troubles.set(matching[2] ?? '', new EntityNotFoundError('flow_run', 'r'));
    troubles.set(matching[3] ?? '', new FlowRunDataUnreadableError('r'));
    expect(await retry()).toBe(1_196);
    expect(accepted).toHaveLength(1_196);
  });

  it('says so when runs cannot be started', async () => {
    troubles.set(matching[3] ?? '', new ServiceUnavailableError('The database is away.', 1));
    await expect(retry()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it('only counts when it is asked to, and counts the same', async () => {
    troubles.set(matching[0] ?? '', new FlowRunDataExpiredError('r', 30));
    expect(await retry({ dryRun: true })).toBe(1_199);
    expect(accepted).toEqual([]);
  });

  it('means those that ended badly when no status is named', async () => {
    await retry({ failedStepName: 'step_1' });
    expect(filters[0]).toMatchObject({
      projectId: project,
      failedStepName: 'step_1',
      status: ['FAILED', 'TIMEOUT', 'INTERNAL_ERROR', 'QUOTA_EXCEEDED', 'STOPPED'],
    });
    expect(filters[0]?.includeArchived).toBeUndefined();
  });

  it('leaves out runs that have been retried, when it is given filters', async () => {
    await retry({ tags: ['vip'], environment: 'TESTING' });
    expect(filters[0]).toMatchObject({ withoutRetry: true, tags: ['vip'], environment: 'TESTING' });
  });

  it('takes the statuses it is named', async () => {
    await retry({ status: ['SUCCEEDED'] });
    expect(filters[0]?.status).toEqual(['SUCCEEDED']);
  });

  it('takes the runs it is named, archived or not, and ignores other filters', async () => {
    const runId = anId();
    await retry({ flowRunIds: [runId], status: ['FAILED'], flowId: anId() });
    expect(filters[0]).toEqual({
      projectId: project,
      flowRunIds: [runId],
      includeArchived: true,
      status: ['SUCCEEDED', 'FAILED', 'QUOTA_EXCEEDED', 'INTERNAL_ERROR', 'TIMEOUT', 'STOPPED'],
    });
  });

  it('refuses a project in which the caller has no role', async () => {
    await expect(retry({ projectId: anId() })).rejects.toMatchObject({ code: 'AUTHORIZATION' });
  });
});

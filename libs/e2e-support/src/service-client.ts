import type { FlowTrigger } from '@millrace/domain';
import { answerContract } from './answer-contract';
import { patience } from './service-environment';

export interface Answer<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

/** A run as the interface shows it. */
export interface RunAnswer {
  id: string;
  projectId: string;
  flowId: string;
  flowVersionId: string;
  status: string;
  statusReason: string | null;
  environment: string;
  triggeredBy: string;
  /** Of runs that were listed or read. */
  triggeredByName?: string | null;
  tags: string[];
  parentRunId: string | null;
  failParentOnFailure: boolean;
  startTime: string | null;
  finishTime: string | null;
  archivedAt: string | null;
  created: string;
  updated: string;
  stepsCount: number;
  waitingOn?: { kind: string; since: string; until?: string; requestId?: string; reason?: string };
  failedStep?: { name: string; displayName: string; message: string };
  logsFileId: string | null;
  steps?: Record<
    string,
    {
      type: string;
      status?: string;
      input?: unknown;
      output: unknown;
      duration: number;
      startTime?: string;
      waited?: number;
      errorMessage?: string;
      logs?: string[];
    }
  >;
}

interface FlowAnswer {
  id: string;
  status: string;
  publishedVersionId: string | null;
  version: { id: string; valid: boolean; state: string };
}

const FIRST_POLL_MS = 25;
const LONGEST_POLL_MS = 250;

/** The time between two polls. It grows with the time waited, because polls take CPU time from all processes. */
const pollAfter = (waitedMs: number): number => Math.min(LONGEST_POLL_MS, Math.max(FIRST_POLL_MS, waitedMs / 20));

/**
 * Calls a running service as a client of the interface. Every answer must agree with the service's OpenAPI document.
 */
export class ServiceClient {
  constructor(
    readonly baseUrl: string,
    private readonly token: string | null,
  ) {}

  withToken(token: string | null): ServiceClient {
    return new ServiceClient(this.baseUrl, token);
  }

  /** Sends a request and resolves with any answer. Text and bytes are sent as they are. Throws when the answer differs from the OpenAPI document. */
  async request<Body = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<Body>> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const answer = await fetch(`${this.baseUrl}/api/v1${path}`, {
      method,
      headers: {
        ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : isRaw ? body : JSON.stringify(body),
    });
    const text = await answer.text();
    const { status, headers: answered } = answer;
    const parsed: unknown = text === '' ? null : JSON.parse(text);
    const contract = await answerContract();
    contract.check(method, `/api/v1${path}`, { status, contentType: answered.get('content-type'), body: parsed });
    return { status, headers: answered, body: parsed as Body };
  }

  /** Sends a request that must succeed for the test to make sense. Throws when its status is 300 or more. */
  async must<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const answer = await this.request<Body>(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async createProject(displayName: string): Promise<string> {
    return (await this.must<{ id: string }>('POST', '/projects', { displayName })).id;
  }

  async createFlow(projectId: string, displayName: string): Promise<FlowAnswer> {
    return this.must('POST', '/flows', { projectId, displayName });
  }

  async importFlow(flowId: string, displayName: string, trigger: FlowTrigger): Promise<FlowAnswer> {
    const request = { displayName, trigger, schemaVersion: '20', notes: [] };
    return this.must('POST', `/flows/${flowId}`, { type: 'IMPORT_FLOW', request });
  }

  /** Creates a flow with this definition, and publishes and enables it. */
  async publishFlow(projectId: string, displayName: string, trigger: FlowTrigger): Promise<FlowAnswer> {
    const { id } = await this.createFlow(projectId, displayName);
    await this.importFlow(id, displayName, trigger);
    return this.must('POST', `/flows/${id}`, { type: 'LOCK_AND_PUBLISH', request: {} });
  }

  sendWebhook(flowId: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer<{ id: string }>> {
    return this.withToken(null).request('POST', `/webhooks/${flowId}`, body, headers);
  }

  /** Resolves with the run once `isSo` accepts it. Throws after `usualMs` milliseconds, on a slow machine later. */
  async runOnce(runId: string, isSo: (run: RunAnswer) => boolean, usualMs = 60_000): Promise<RunAnswer> {
    const withinMs = usualMs * patience;
    const startedAt = Date.now();
    for (;;) {
      const run = await this.must<RunAnswer>('GET', `/flow-runs/${runId}`);
      if (isSo(run)) return run;
      const waitedMs = Date.now() - startedAt;
      if (waitedMs > withinMs)
        throw new Error(`Run ${runId} was not as asked for within ${withinMs} ms: ${JSON.stringify(run)}`);
      await new Promise((resolve) => setTimeout(resolve, pollAfter(waitedMs)));
    }
  }

  /** Resolves with the run once it has ended. */
  endedRun(runId: string, usualMs?: number): Promise<RunAnswer> {
    return this.runOnce(runId, ({ status }) => status !== 'RUNNING' && status !== 'PAUSED', usualMs);
  }

  /** Resolves with the run once it is paused. `requestId` is '' when the run waits for no request. */
  async pausedRun(runId: string): Promise<RunAnswer & { requestId: string }> {
    const run = await this.runOnce(runId, ({ status }) => status === 'PAUSED');
    return { ...run, requestId: run.waitingOn?.requestId ?? '' };
  }
}

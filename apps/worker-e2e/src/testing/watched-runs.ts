import type { FlowAction, FlowTrigger } from '@millrace/domain';
import { webhookTrigger } from '@millrace/domain/testing';
import type { Answer, RunAnswer, ServiceClient } from '@millrace/e2e-support';

/** A run as lists show it, and with its steps. */
export interface WatchedRun extends RunAnswer {
  flowId: string;
  projectId: string;
  triggeredBy: string;
  parentRunId: string | null;
  failParentOnFailure: boolean;
  statusReason: string | null;
  updated: string;
  waitingOn?: { kind: string; since: string; until?: string; requestId?: string };
}

const POLL_MS = 25;
const WITHIN_MS = 20_000;

/** The runs of one project: started, watched, answered and cancelled. */
export class WatchedRuns {
  private constructor(
    readonly client: ServiceClient,
    readonly project: string,
  ) {}

  static async inNewProject(client: ServiceClient, displayName: string): Promise<WatchedRuns> {
    return new WatchedRuns(client, await client.createProject(displayName));
  }

  /** A published flow; steps alone come after a webhook. */
  async publish(flow: FlowTrigger | FlowAction[], displayName = 'Watched'): Promise<string> {
    const trigger = Array.isArray(flow) ? webhookTrigger(flow) : flow;
    return (await this.client.publishFlow(this.project, displayName, trigger)).id;
  }

  async send(flowId: string, body: unknown = {}): Promise<string> {
    return (await this.client.sendWebhook(flowId, body)).body.id;
  }

  async start(steps: FlowAction[], body: unknown = {}): Promise<string> {
    return this.send(await this.publish(steps), body);
  }

  read(runId: string): Promise<WatchedRun> {
    return this.client.must('GET', `/flow-runs/${runId}`);
  }

  /** The newest runs, without their steps. */
  async listed(query = ''): Promise<WatchedRun[]> {
    const path = `/flow-runs?projectId=${this.project}&limit=100${query}`;
    return (await this.client.must<{ data: WatchedRun[] }>('GET', path)).data;
  }

  /** The run, once it is as asked for. */
  async once(runId: string, isSo: (run: WatchedRun) => boolean, withinMs = WITHIN_MS): Promise<WatchedRun> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const run = await this.read(runId);
      if (isSo(run)) return run;
      if (Date.now() > deadline) throw new Error(`It was not so within ${withinMs} ms: ${JSON.stringify(run)}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  paused(runId: string): Promise<WatchedRun> {
    return this.once(runId, ({ status }) => status === 'PAUSED');
  }

  ended(runId: string, withinMs = WITHIN_MS): Promise<WatchedRun> {
    return this.once(runId, ({ finishTime }) => finishTime !== null, withinMs);
  }

  /** Answers what the run waits for, as anybody may who has the link. */
  answer({ id, waitingOn }: WatchedRun, body: unknown): Promise<Answer<unknown>> {
    return this.post(`/flow-runs/${id}/requests/${waitingOn?.requestId}/sync`, body);
  }

  /** Follows a link that a run gave away, by POST. */
  follow(link: string, body?: unknown): Promise<Answer<unknown>> {
    const { pathname, search } = new URL(link);
    return this.post(pathname.replace('/api/v1', '') + search, body);
  }

  /** How many runs that stopped. */
  async cancel(...flowRunIds: string[]): Promise<number> {
    const body = { projectId: this.project, flowRunIds };
    return (await this.client.must<{ cancelled: number }>('POST', '/flow-runs/cancel', body)).cancelled;
  }

  private post(path: string, body: unknown): Promise<Answer<unknown>> {
    return this.client.withToken(null).request('POST', path, body);
  }
}

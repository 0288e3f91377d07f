import type { FlowAction, FlowTrigger } from '@millrace/domain';
import { webhookTrigger } from '@millrace/domain/testing';
import type { Answer, RunAnswer, ServiceClient } from '@millrace/e2e-support';

/** Starts, watches, answers and cancels the runs of one project. */
export class WatchedRuns {
  private constructor(
    readonly client: ServiceClient,
    readonly project: string,
  ) {}

  static async inNewProject(client: ServiceClient, displayName: string): Promise<WatchedRuns> {
    return new WatchedRuns(client, await client.createProject(displayName));
  }

  /** Publishes a flow. A list of steps gets a webhook trigger. */
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

  read(runId: string): Promise<RunAnswer> {
    return this.client.must('GET', `/flow-runs/${runId}`);
  }

  /** Lists the newest runs, without their steps. */
  async listed(query = ''): Promise<RunAnswer[]> {
    const path = `/flow-runs?projectId=${this.project}&limit=100${query}`;
    return (await this.client.must<{ data: RunAnswer[] }>('GET', path)).data;
  }

  once(runId: string, isSo: (run: RunAnswer) => boolean, withinMs?: number): Promise<RunAnswer> {
    return this.client.runOnce(runId, isSo, withinMs);
  }

  paused(runId: string): Promise<RunAnswer> {
    return this.client.pausedRun(runId);
  }

  ended(runId: string, withinMs?: number): Promise<RunAnswer> {
    return this.client.endedRun(runId, withinMs);
  }

  /** Answers the request of the run without credentials, through its link. */
  answer({ id, waitingOn }: RunAnswer, body: unknown): Promise<Answer<unknown>> {
    return this.post(`/flow-runs/${id}/requests/${waitingOn?.requestId}/sync`, body);
  }

  /** Follows a link from a run's output, with POST. */
  follow(link: string, body?: unknown): Promise<Answer<unknown>> {
    const { pathname, search } = new URL(link);
    return this.post(pathname.replace('/api/v1', '') + search, body);
  }

  /** Cancels the runs, and returns how many runs that stopped. */
  async cancel(...flowRunIds: string[]): Promise<number> {
    const body = { projectId: this.project, flowRunIds };
    return (await this.client.must<{ cancelled: number }>('POST', '/flow-runs/cancel', body)).cancelled;
  }

  private post(path: string, body: unknown): Promise<Answer<unknown>> {
    return this.client.withToken(null).request('POST', path, body);
  }
}

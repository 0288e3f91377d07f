import type { RunAnswer, ServiceClient } from '@millrace/e2e-support';

/** A run as the interface shows it, with what these tests ask beyond its steps. */
export interface WaitingRun extends RunAnswer {
  projectId: string;
  flowId: string;
  environment: string;
  triggeredBy: string;
  tags: string[];
  archivedAt: string | null;
  parentRunId: string | null;
  failParentOnFailure: boolean;
  statusReason: string | null;
  waitingOn?: { kind: string; since: string; until?: string; requestId?: string };
}

const POLL_MS = 25;

/** The run, once it is as asked for. */
export async function runOnce(
  client: ServiceClient,
  runId: string,
  isAsAskedFor: (run: WaitingRun) => boolean,
  withinMs = 20_000,
): Promise<WaitingRun> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const run = await client.must<WaitingRun>('GET', `/flow-runs/${runId}`);
    if (isAsAskedFor(run)) return run;
    if (Date.now() > deadline)
      throw new Error(`Run ${runId} was not as asked for after ${withinMs} ms: ${JSON.stringify(run)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The run, once it waits; `requestId` is that of the request which it waits for, if any. */
export async function pausedRun(client: ServiceClient, runId: string): Promise<WaitingRun & { requestId: string }> {
  const run = await runOnce(client, runId, ({ status }) => status === 'PAUSED');
  return { ...run, requestId: run.waitingOn?.requestId ?? '' };
}

import type { RunResponse } from '../runs/run-effects';
import { RunNotices, type RunListener } from '../runs/run-notices';

/** Tells at once, within one process. */
export class InMemoryRunNotices extends RunNotices {
  /** By run id. */
  readonly responses = new Map<string, RunResponse>();
  private readonly listeners: RunListener[] = [];

  override listen(listener: RunListener): void {
    this.listeners.push(listener);
  }

  override async announceAnswered(runId: string, response: RunResponse | null): Promise<void> {
    if (response) this.responses.set(runId, response);
    for (const listener of this.listeners) listener.answered?.(runId);
  }

  announceStopped(runIds: readonly string[] | null): void {
    for (const listener of this.listeners) listener.stopped?.(runIds);
  }
}

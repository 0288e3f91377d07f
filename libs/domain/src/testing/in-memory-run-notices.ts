import type { RunAnswer } from '../runs/run-answers';
import { RunNotices, type RunListener } from '../runs/run-notices';

/** Notifies the listeners of this process at once. */
export class InMemoryRunNotices extends RunNotices {
  private readonly listeners: RunListener[] = [];

  override listen(listener: RunListener): void {
    this.listeners.push(listener);
  }

  override async announceAnswered(runId: string, answer: RunAnswer): Promise<void> {
    for (const listener of this.listeners) listener.answered?.(runId, answer);
  }

  announceStopped(runIds: readonly string[] | null): void {
    for (const listener of this.listeners) listener.stopped?.(runIds);
  }
}

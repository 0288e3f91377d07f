import { RunFamilies } from '../runs/run-families';
import { isFinal } from '../runs/run-transitions';
import { RecordedRun } from '../journal/recorded-run';
import { failedByChild } from '../runs/wait-rules';
import { endRun, type InMemoryRunJournal, type JournalledRun } from './in-memory-run-journal';
import type { InMemoryRunNotices } from './in-memory-run-notices';

/** Notifies parents among the runs of an in-memory journal. */
export class InMemoryRunFamilies extends RunFamilies {
  constructor(
    private readonly journal: InMemoryRunJournal,
    private readonly notices: InMemoryRunNotices | null = null,
  ) {
    super();
  }

  override async notifyParent(childRunId: string): Promise<void> {
    const child = this.journal.runs.get(childRunId);
    if (!child || !isUntold(child)) return;
    child.parentTold = true;
    const parent = this.journal.runs.get(child.parentRunId ?? '');
    if (!parent || isFinal(parent.status)) return;
    const wait = [...parent.requests.values()].find(({ childRunId: id, ended }) => id === child.id && !ended);
    if (wait) {
      const { id: runId, status } = child;
      const response = new RecordedRun(child.segments.flat()).response;
      const why = status === 'SUCCEEDED' ? {} : { message: messageOf(child) ?? undefined };
      Object.assign(wait, { ended: true, ending: { kind: 'child', runId, status, response, ...why } });
      if (parent.status === 'PAUSED') await this.journal.enqueue([this.journal.wake(parent)]);
    } else if (child.failParentOnFailure && child.status !== 'SUCCEEDED') {
      endRun(parent, 'FAILED', failedByChild(child.id, child.status, messageOf(child)));
      this.notices?.announceStopped([parent.id]);
      await this.notifyParent(parent.id);
    }
  }

  override async notifyParents(limit: number): Promise<number> {
    const untold = [...this.journal.runs.values()].filter(isUntold).slice(0, limit);
    for (const { id } of untold) await this.notifyParent(id);
    return untold.length;
  }
}

const messageOf = ({ ending, statusReason }: JournalledRun): string | null =>
  ending?.failedStep?.message ?? statusReason;

const isUntold = ({ status, parentRunId, parentTold }: JournalledRun): boolean =>
  isFinal(status) && parentRunId !== null && !parentTold;

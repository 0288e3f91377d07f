import { JobQueue, type RunJob } from '../jobs/job-queue';
import { payloadText } from '../journal/run-payload';
import { describeFlowControl } from './flow-control.contract';
import { HandDrivenClock } from './hand-driven-clock';
import { InMemoryFlowControl } from './in-memory-flow-control';
import { InMemoryJobQueue } from './in-memory-job-queue';
import { InMemoryRunJournal, type JournalledRun } from './in-memory-run-journal';

describeFlowControl('memory', () => {
  const clock = new HandDrivenClock();
  const queue: JobQueue & { waiting(): RunJob[] } = new InMemoryJobQueue();
  const journal = new InMemoryRunJournal(clock, queue);
  const control = new InMemoryFlowControl(journal);
  const rowIn = (runId: string): JournalledRun => journal.runs.get(runId) as JournalledRun;
  return {
    control,
    addRun: async ({ retryOf, ...run }) => {
      journal.add(run);
      if (retryOf) control.retries.add(run.id);
    },
    setStatus: async (runId, status) => {
      rowIn(runId).status = status;
    },
    rowOf: async (runId) => {
      const { status, statusReason, payload } = rowIn(runId);
      return { status, statusReason, payload: JSON.parse(payloadText(payload)) as unknown };
    },
    woken: () => queue.waiting().flatMap(({ runs }) => runs.map(({ runId }) => runId)),
    publish: async (flowId, settings) => control.publish(flowId, settings),
    passTime: async (ms) => clock.advance(ms),
  };
});

import { HandDrivenClock } from './hand-driven-clock';
import { InMemoryJobQueue } from './in-memory-job-queue';
import { InMemoryRunFamilies } from './in-memory-run-families';
import { InMemoryRunJournal } from './in-memory-run-journal';
import { InMemoryRunWaits } from './in-memory-run-waits';
import { describeWaitingRuns } from './run-journal.contract';

const clock = new HandDrivenClock();
const queue = new InMemoryJobQueue();
const journal = new InMemoryRunJournal(clock, queue);

describeWaitingRuns('in memory', () => ({
  journal,
  waits: new InMemoryRunWaits(journal),
  families: new InMemoryRunFamilies(journal),
  queue,
  accept: async (run) => {
    journal.accept(run);
  },
  cancel: async (runId) => journal.cancel([runId]),
  now: () => clock.now(),
}));

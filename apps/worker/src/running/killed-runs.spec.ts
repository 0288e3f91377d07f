import { anId, HandDrivenClock, InMemoryRunJournal } from '@millrace/domain/testing';
import { describeKilledRuns } from './testing/killed-runs.contract';

const journal = new InMemoryRunJournal(new HandDrivenClock());

describeKilledRuns('a run whose workers are killed', () => ({
  journal,
  add: (payload) => Promise.resolve(journal.add({ id: anId(), payload }).id),
  endLease: (runId) => {
    const run = journal.runs.get(runId);
    if (run) run.leaseUntil = null;
    return Promise.resolve();
  },
}));

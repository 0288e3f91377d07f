import {
  anId,
  HandDrivenClock,
  InMemoryRunFamilies,
  InMemoryRunJournal,
  InMemoryRunWaits,
} from '@millrace/domain/testing';
import { describeKilledRuns } from './testing/killed-runs.contract';

const journal = new InMemoryRunJournal(new HandDrivenClock(new Date()));

describeKilledRuns('a run whose workers are killed', () => ({
  journal,
  waits: new InMemoryRunWaits(journal),
  families: new InMemoryRunFamilies(journal),
  add: (payload) => Promise.resolve(journal.add({ id: anId(), payload }).id),
  endLease: (runId) => {
    const run = journal.runs.get(runId);
    if (run) run.leaseUntil = null;
    return Promise.resolve();
  },
  comeDue: (runId) => {
    for (const request of journal.runs.get(runId)?.requests.values() ?? [])
      if (!request.endsRun) request.due = new Date(0);
    return Promise.resolve();
  },
  childrenOf: (runId) =>
    Promise.resolve([...journal.runs.values()].filter((run) => run.parentRunId === runId).map(({ id }) => id)),
}));

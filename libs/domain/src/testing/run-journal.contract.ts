import type { JournalUnderTest } from './journal-under-test';
import { describeRunClaims } from './run-claims.contract';
import { describeRunRecords } from './run-records.contract';
import { describeRunStatuses } from './run-statuses.contract';
import { describeWaitingRuns } from './waiting-runs.contract';

/** The promises of every journal, together with the ports that change the same runs. `subject` is the same each time. */
export function describeRunJournal(name: string, subject: () => JournalUnderTest): void {
  describeRunClaims(name, subject);
  describeRunRecords(name, subject);
  describeRunStatuses(name, subject);
  describeWaitingRuns(name, subject);
}

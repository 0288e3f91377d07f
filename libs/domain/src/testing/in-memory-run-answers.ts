import { RunAnswers, type RunAnswer } from '../runs/run-answers';
import { isFinal } from '../runs/run-transitions';
import { RecordedRun } from '../journal/recorded-run';
import type { InMemoryRunJournal } from './in-memory-run-journal';

/** Reads the responses of the runs of an in-memory journal. */
export class InMemoryRunAnswers extends RunAnswers {
  constructor(private readonly journal: InMemoryRunJournal) {
    super();
  }

  override async read(runIds: readonly string[]): Promise<ReadonlyMap<string, RunAnswer>> {
    const runs = runIds.flatMap((id) => this.journal.runs.get(id) ?? []);
    return new Map(
      runs.map(({ id, status, segments }) => [id, { status, response: new RecordedRun(segments.flat()).response }]),
    );
  }

  override async projectOf(runId: string): Promise<string | null> {
    return this.journal.runs.get(runId)?.projectId ?? null;
  }

  override async ended(runIds: readonly string[]): Promise<string[]> {
    return runIds.filter((id) => isFinal(this.journal.runs.get(id)?.status ?? 'RUNNING'));
  }
}

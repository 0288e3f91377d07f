import { isDeepStrictEqual } from 'node:util';
import type { RunJob } from '../jobs/job-queue';
import { isFinal } from '../runs/run-transitions';
import type { OpenedRequest, WaitEnding } from '../journal/step-wait';
import { RunWaits, type DueWaits, type RunRequest } from '../runs/run-waits';
import { PAUSED_TOO_LONG } from '../runs/wait-rules';
import {
  endRun,
  openRequest,
  type InMemoryRunJournal,
  type JournalledRequest,
  type JournalledRun,
} from './in-memory-run-journal';

const MINUTE_MS = 60_000;

/** Ends the waits of the runs of an in-memory journal. */
export class InMemoryRunWaits extends RunWaits {
  constructor(private readonly journal: InMemoryRunJournal) {
    super();
  }

  override async open(runId: string, opened: OpenedRequest): Promise<void> {
    const run = this.journal.runs.get(runId);
    if (run?.status === 'RUNNING') openRequest(opened, run);
  }

  override async find(runId: string, requestId: string): Promise<RunRequest | null> {
    const run = this.journal.runs.get(runId);
    const found = run?.requests.get(requestId);
    if (!run || !found?.request || found.kind !== 'human') return null;
    const { projectId, flowId, status } = run;
    const { request, ending, ended } = found;
    const isOpen = !ended && !isFinal(status);
    const answered = ending?.kind === 'human' ? { answer: ending.answer } : {};
    return { requestId, runId, projectId, flowName: flowId, request, status, isOpen, ...answered };
  }

  override async answer(
    runId: string,
    requestId: string,
    answer: unknown,
  ): Promise<'answered' | 'repeated' | 'refused'> {
    const run = this.journal.runs.get(runId);
    const request = run?.requests.get(requestId);
    if (!run || request?.kind !== 'human') return 'refused';
    const ending: WaitEnding = { kind: 'human', answer: JSON.parse(JSON.stringify(answer ?? null)) as unknown };
    if (request.ended) return isDeepStrictEqual(request.ending, ending) ? 'repeated' : 'refused';
    if (isFinal(run.status)) return 'refused';
    Object.assign(request, { ended: true, ending });
    if (run.status === 'PAUSED' && request.stepPath !== null) await this.journal.enqueue([this.journal.wake(run)]);
    return 'answered';
  }

  override async endDue(limit: number): Promise<DueWaits> {
    const now = this.journal.clock.now();
    const due = [...this.journal.runs.values()]
      .flatMap((run) => [...run.requests.values()].map((request) => ({ run, request, due: request.due })))
      .filter(({ request, due }) => !request.ended && due !== null && due <= now)
      .sort((a, b) => Number(a.due) - Number(b.due))
      .slice(0, limit);
    const jobs = due.flatMap(({ run, request }) => this.end(run, request, now));
    await this.journal.enqueue(jobs);
    return { ended: due.length };
  }

  private end(run: JournalledRun, request: JournalledRequest, now: Date): RunJob[] {
    if (isFinal(run.status)) {
      request.ended = true;
    } else if (!request.endsRun) {
      request.ended = true;
      request.ending =
        request.kind === 'timer' ? { kind: 'timer', resumedAt: now.toISOString() } : { kind: 'unanswered' };
      if (run.status === 'PAUSED') return [this.journal.wake(run)];
    } else if (run.status === 'PAUSED') {
      endRun(run, 'TIMEOUT', PAUSED_TOO_LONG);
    } else {
      request.due = new Date(now.getTime() + MINUTE_MS);
    }
    return [];
  }
}

import type { Clock } from '../clock';
import { isFinal } from '../runs/run-transitions';
import { RunJournal, type JournalSegment, type RunClaim, type RunEnding, type RunToExecute } from '../runs/run-journal';
import type { RecordedStep } from '../runs/step-record';

export interface JournalledRun extends Omit<RunToExecute, 'recorded' | 'nextSegment' | 'isLeased'> {
  leaseUntil: Date | null;
  segments: RecordedStep[][];
  ending: RunEnding | null;
}

/** The journal without a database: the same fencing, in memory. `before` lets a test fail or delay a write. */
export class InMemoryRunJournal extends RunJournal {
  readonly runs = new Map<string, JournalledRun>();
  before: (write: 'load' | 'claim' | 'renew' | 'release' | 'append' | 'finish') => Promise<void> = () =>
    Promise.resolve();

  constructor(private readonly clock: Clock) {
    super();
  }

  add(run: Partial<JournalledRun> & { id: string }): JournalledRun {
    const added: JournalledRun = {
      projectId: 'project',
      flowId: 'flow',
      flowVersionId: 'version',
      status: 'RUNNING',
      environment: 'PRODUCTION',
      triggerType: 'WEBHOOK',
      epoch: 0,
      startTime: null,
      payload: '{}',
      testStep: null,
      leaseUntil: null,
      segments: [],
      ending: null,
      ...run,
    };
    this.runs.set(added.id, added);
    return added;
  }

  override async load(runId: string): Promise<RunToExecute | null> {
    await this.before('load');
    const run = this.runs.get(runId);
    if (!run) return null;
    const { leaseUntil: _leaseUntil, segments, ending: _ending, ...rest } = run;
    return { ...rest, isLeased: this.isLeased(run), recorded: segments.flat(), nextSegment: segments.length };
  }

  override async claim(claim: RunClaim, startTime: Date, leaseSeconds: number): Promise<number | null> {
    await this.before('claim');
    const run = this.held(claim);
    if (!run || this.isLeased(run)) return null;
    run.startTime ??= startTime;
    run.leaseUntil = this.leaseEnd(leaseSeconds);
    return ++run.epoch;
  }

  override async renew(claims: readonly RunClaim[], leaseSeconds: number): Promise<ReadonlySet<string>> {
    await this.before('renew');
    const held = claims.map((claim) => this.held(claim)).filter((run) => run !== null);
    for (const run of held) run.leaseUntil = this.leaseEnd(leaseSeconds);
    return new Set(held.map((run) => run.id));
  }

  override async release(claim: RunClaim): Promise<void> {
    await this.before('release');
    const run = this.held(claim);
    if (run) run.leaseUntil = null;
  }

  override async append(segment: JournalSegment): Promise<boolean> {
    await this.before('append');
    if (!this.held(segment)?.leaseUntil) return false;
    return this.write(segment) !== null;
  }

  override async finish(ending: RunEnding): Promise<boolean> {
    await this.before('finish');
    const run = this.write(ending);
    if (!run) return false;
    Object.assign(run, { status: ending.status, startTime: ending.startTime, ending });
    return true;
  }

  private isLeased({ leaseUntil }: JournalledRun): boolean {
    return leaseUntil !== null && leaseUntil > this.clock.now();
  }

  private write(segment: JournalSegment): JournalledRun | null {
    const run = this.held(segment);
    if (!run) return null;
    if (segment.records.length > 0)
      run.segments[segment.seq] = segment.records.map(({ input, output, ...rest }) => ({
        ...rest,
        ...(input === undefined ? {} : { input: JSON.parse(input) as unknown }),
        ...(output === undefined ? {} : { output: JSON.parse(output) as unknown }),
      }));
    return run;
  }

  private held({ runId, epoch }: RunClaim): JournalledRun | null {
    const run = this.runs.get(runId);
    return run && run.epoch === epoch && !isFinal(run.status) ? run : null;
  }

  private leaseEnd(leaseSeconds: number): Date {
    return new Date(this.clock.now().getTime() + leaseSeconds * 1_000);
  }
}

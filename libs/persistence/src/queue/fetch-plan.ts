import { wantsAnotherJob, type RunRoom } from '@millrace/domain';

// What a worker has asked the queue for, and what of it has not reached its slots.
//
// A fetch under way counts as much as the job that came last, so that many jobs which end together do not all bring
// another one.
export class FetchPlan {
  private underWay = 0;
  private arrived = 0;
  private usualRuns = 1;
  private hasException = false;

  constructor(private readonly room: RunRoom) {}

  get wantsMore(): boolean {
    return this.hasException || wantsAnotherJob(this.room, this.arrived + this.underWay * this.usualRuns);
  }

  /** The queue is asked for a job. */
  asked(): void {
    this.underWay++;
  }

  /** It has answered, or failed. */
  answered(): void {
    this.underWay--;
  }

  came(runs: number): void {
    this.arrived += runs;
    this.usualRuns = Math.max(1, runs);
    this.hasException = false;
  }

  /** The runs of a job have their slots, or wait for them here. */
  handedOver(runs: number): void {
    this.arrived -= runs;
  }

  /** One more is fetched, although there is no room: it holds runs that would begin before those that are here. */
  makeException(projectIds: readonly string[]): boolean {
    this.hasException ||= projectIds.some((projectId) => this.room.hasTurnFor(projectId));
    return this.hasException;
  }
}

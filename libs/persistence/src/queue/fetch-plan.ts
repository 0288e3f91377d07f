import { wantsAnotherJob, type RunRoom } from '@millrace/domain';

// Decides whether a worker fetches another job. It counts the fetches under way and the runs that have been fetched but
// not handed to the slots.
//
// A fetch under way counts as many runs as the job that came last, so that many jobs which end at the same time do not
// each fetch another one.
export class FetchPlan {
  private underWay = 0;
  private arrived = 0;
  private usualRuns = 1;
  private hasException = false;
  private cameByException = false;

  constructor(private readonly room: RunRoom) {}

  get wantsMore(): boolean {
    return this.hasException || wantsAnotherJob(this.room, this.arrived + this.underWay * this.usualRuns);
  }

  /** The worker has asked the queue for a job. */
  asked(): void {
    this.underWay++;
  }

  /** The queue has answered, or the fetch has failed. */
  answered(): void {
    this.underWay--;
  }

  came(runs: number): void {
    this.arrived += runs;
    this.usualRuns = Math.max(1, runs);
    this.cameByException ||= this.hasException;
    this.hasException = false;
  }

  /**
   * The runs of a job have taken their slots, or wait for slots in this worker. Returns whether a job has come by an
   * exception, so that the next in the queue may deserve one too.
   */
  handedOver(runs: number): boolean {
    this.arrived -= runs;
    const { cameByException } = this;
    this.cameByException = false;
    return cameByException;
  }

  /**
   * Allows one fetch without room when the first job in the queue holds a run of a project whose turn it is: that run
   * would begin before the runs that wait here. Returns whether a fetch is allowed.
   */
  makeException(projectIds: readonly string[]): boolean {
    this.hasException ||= projectIds.some((projectId) => this.room.hasTurnFor(projectId));
    return this.hasException;
  }
}

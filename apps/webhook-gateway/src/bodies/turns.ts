import { FairSlots, ServiceUnavailableError } from '@millrace/domain';

const RETRY_AFTER_SECONDS = 2;

// Lets some pieces of work be under way at once. The others wait for their turn.
//
// T1. Projects take turns (FairSlots), so the work of one project does not hold up other projects for long.
// T2. Projects share the places in which work waits: a project has at most the number of places divided by the number
//     of projects that wait. So a project that fills them does not keep others out.
export class Turns {
  private readonly slots: FairSlots;
  private readonly waitingOf = new Map<string, number>();

  constructor(
    atOnce: number,
    private readonly mostWaiting = Infinity,
  ) {
    this.slots = new FairSlots(atOnce, 0);
  }

  /** Rejects with ServiceUnavailableError, without doing the work, when too much work of the project waits already. */
  async take<Result>(projectId: string, work: () => Promise<Result>): Promise<Result> {
    this.assertPlace(projectId);
    const turn = this.slots.take(projectId);
    try {
      if (!turn.isGranted) await this.waitIn(projectId, turn.granted);
      return await work();
    } finally {
      turn.end();
    }
  }

  private assertPlace(projectId: string): void {
    const own = this.waitingOf.get(projectId) ?? 0;
    const projects = this.waitingOf.size + (own === 0 ? 1 : 0);
    if (own * projects < this.mostWaiting) return;
    throw new ServiceUnavailableError(
      'Too many webhooks with large bodies or files wait; try again later.',
      RETRY_AFTER_SECONDS,
    );
  }

  private async waitIn(projectId: string, turn: Promise<void>): Promise<void> {
    this.waitingOf.set(projectId, (this.waitingOf.get(projectId) ?? 0) + 1);
    await turn;
    const left = (this.waitingOf.get(projectId) ?? 1) - 1;
    if (left > 0) this.waitingOf.set(projectId, left);
    else this.waitingOf.delete(projectId);
  }
}

import { ExecutionSlot } from '../runs/execution-slot';

/**
 * A slot that notes in `events` when it is left and when the run comes back. Other parts of a test may note there too.
 */
export class RecordingSlot extends ExecutionSlot {
  constructor(readonly events: string[] = []) {
    super();
  }

  override leave(): void {
    this.events.push('left');
  }

  override comeBack(): Promise<void> {
    this.events.push('came back');
    return Promise.resolve();
  }
}

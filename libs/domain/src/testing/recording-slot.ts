import { ExecutionSlot } from '../runs/execution-slot';

/** Keeps what happens to it, among what else is noted. */
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

import type { IntakeGate } from '@millrace/domain';

/** How long the first runs wait for the first look at the backlog and the disk. The database answers within ms. */
const FIRST_LOOK_MS = 2_000;

/**
 * Admits runs through the gate. The first runs after the start wait until the gate has looked at the backlog and the
 * disk. They do not wait for longer than a bound, because a look that takes so long says nothing against a run.
 */
export class Admission {
  private isOpen = false;
  private look: Promise<void> | null = null;

  constructor(
    private readonly gate: IntakeGate,
    private readonly firstLookMs = FIRST_LOOK_MS,
  ) {}

  /** Throws or rejects as IntakeGate.admit throws. Undefined, without a promise, after the first look. */
  admit(projectId: string): Promise<void> | undefined {
    if (this.isOpen) return void this.gate.admit(projectId);
    this.look ??= this.lookFirst();
    return this.look.then(() => this.gate.admit(projectId));
  }

  private async lookFirst(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.firstLookMs)));
    await Promise.race([this.gate.lookFirst(), bound]);
    clearTimeout(timer);
    this.isOpen = true;
  }
}

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
    return this.looked().then(() => this.gate.admit(projectId));
  }

  /** Why the project gets no run now, as one sentence; null when it may have one. Never rejects. */
  async refusal(projectId: string): Promise<string | null> {
    if (!this.isOpen) await this.looked();
    const refusal = this.gate.refusal(projectId);
    return refusal && `${refusal.reason}.`;
  }

  private looked(): Promise<void> {
    return (this.look ??= this.lookFirst());
  }

  private async lookFirst(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const bound = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.firstLookMs)));
    await Promise.race([this.gate.lookFirst(), bound]);
    clearTimeout(timer);
    this.isOpen = true;
  }
}

/** Counts things by a label of which there are few values. */
export class Tally<Label extends string> {
  private readonly counts = new Map<Label, number>();

  /** The labels that are known from the start are reported with 0, so that a first increase is seen as one. */
  constructor(known: readonly Label[] = []) {
    for (const label of known) this.counts.set(label, 0);
  }

  add(label: Label, times = 1): void {
    this.counts.set(label, (this.counts.get(label) ?? 0) + times);
  }

  of(label: Label): number {
    return this.counts.get(label) ?? 0;
  }

  entries(): [Label, number][] {
    return [...this.counts];
  }
}

/**
 * Bounds what several holders use together. A holder gets more only while it has fewer than are free, so nobody uses up
 * what others need: alone a holder gets half, and each of two gets a third.
 */
export class FairBound {
  private used = 0;
  private readonly byHolder = new Map<string, number>();

  constructor(private readonly most: number) {}

  /** How many the holder has. */
  of(holder: string): number {
    return this.byHolder.get(holder) ?? 0;
  }

  hasRoomFor(holder: string): boolean {
    return this.of(holder) < this.most - this.used;
  }

  /** Counts one more of the holder. The function gives it back, once. */
  take(holder: string): () => void {
    this.used++;
    this.byHolder.set(holder, this.of(holder) + 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.giveBack(holder);
      isTaken = false;
    };
  }

  private giveBack(holder: string): void {
    this.used--;
    const left = this.of(holder) - 1;
    if (left > 0) this.byHolder.set(holder, left);
    else this.byHolder.delete(holder);
  }
}

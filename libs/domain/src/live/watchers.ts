/** What a process that serves clients says about the runs and projects that they watch. */
export interface WatchNotice {
  /** The process. */
  from: string;
  added: readonly string[];
  dropped: readonly string[];
}

interface Watcher {
  ids: Set<string>;
  silentSince: number;
}

/**
 * Knows which runs and projects the clients of all processes watch. A process repeats what its clients watch, so it is
 * forgotten when it was silent for too long. Ids of runs and projects differ, so both are kept together.
 */
export class Watchers {
  private readonly byProcess = new Map<string, Watcher>();
  private readonly counts = new Map<string, number>();

  constructor(private readonly silenceMs: number) {}

  get isEmpty(): boolean {
    return this.counts.size === 0;
  }

  has(id: string): boolean {
    return this.counts.has(id);
  }

  hear({ from, added, dropped }: WatchNotice, nowMs: number): void {
    const watcher = this.byProcess.get(from) ?? { ids: new Set(), silentSince: nowMs };
    watcher.silentSince = nowMs;
    this.byProcess.set(from, watcher);
    for (const id of dropped) if (watcher.ids.delete(id)) this.uncount(id);
    for (const id of added) {
      if (watcher.ids.has(id)) continue;
      watcher.ids.add(id);
      this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
    }
    if (watcher.ids.size === 0) this.byProcess.delete(from);
  }

  /** Forgets the processes that have been silent for too long. */
  forgetSilent(nowMs: number): void {
    for (const [from, { ids, silentSince }] of this.byProcess) {
      if (nowMs - silentSince < this.silenceMs) continue;
      this.byProcess.delete(from);
      for (const id of ids) this.uncount(id);
    }
  }

  clear(): void {
    this.byProcess.clear();
    this.counts.clear();
  }

  private uncount(id: string): void {
    const count = (this.counts.get(id) ?? 0) - 1;
    if (count > 0) this.counts.set(id, count);
    else this.counts.delete(id);
  }
}

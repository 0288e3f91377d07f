/** Jobs in one lane per tenant. Tenants take turns, so the waiting jobs of one tenant do not delay another's. */
export class FairQueue<Job extends { tenant: string }> {
  /** Jobs that had their turn already and came back. They go before all others. */
  private readonly returned = new Turns<Job>();
  private readonly waiting = new Turns<Job>();

  get size(): number {
    return this.returned.size + this.waiting.size;
  }

  push(job: Job): void {
    this.waiting.push(job);
  }

  /** Adds the job and puts its tenant behind all other tenants. */
  pushLast(job: Job): void {
    for (const returned of this.returned.takeLane(job.tenant)) this.waiting.push(returned);
    this.waiting.push(job);
    this.waiting.toEnd(job.tenant);
  }

  /** Adds jobs that had their turn already. They go before all others. */
  putBack(jobs: readonly Job[]): void {
    for (const job of jobs) this.returned.push(job);
  }

  /**
   * Removes and returns the next job of the tenant whose turn it is. Tenants for which `may` is false are passed over.
   */
  next(may?: (tenant: string) => boolean): Job | undefined {
    return this.returned.next(may) ?? this.waiting.next(may);
  }

  /** The first job of each tenant. */
  *firsts(): Iterable<Job> {
    yield* this.returned.firsts();
    yield* this.waiting.firsts();
  }

  remove(job: Job): void {
    this.returned.remove(job);
    this.waiting.remove(job);
  }

  clear(): void {
    this.returned.clear();
    this.waiting.clear();
  }
}

class Turns<Job extends { tenant: string }> {
  size = 0;
  /** The lanes in the order of their turns. */
  private readonly lanes = new Map<string, Lane<Job>>();

  push(job: Job): void {
    let lane = this.lanes.get(job.tenant);
    if (!lane) this.lanes.set(job.tenant, (lane = new Lane()));
    lane.push(job);
    this.size++;
  }

  next(may?: (tenant: string) => boolean): Job | undefined {
    for (const [tenant, lane] of this.lanes) {
      if (may && !may(tenant)) continue;
      const job = lane.shift();
      this.size--;
      if (lane.isEmpty) this.lanes.delete(tenant);
      else this.toEnd(tenant);
      return job;
    }
    return undefined;
  }

  takeLane(tenant: string): Job[] {
    const jobs = this.lanes.get(tenant)?.rest() ?? [];
    this.lanes.delete(tenant);
    this.size -= jobs.length;
    return jobs;
  }

  toEnd(tenant: string): void {
    const lane = this.lanes.get(tenant);
    if (!lane || this.lanes.size === 1) return;
    this.lanes.delete(tenant);
    this.lanes.set(tenant, lane);
  }

  *firsts(): Iterable<Job> {
    for (const lane of this.lanes.values()) yield lane.first;
  }

  remove(job: Job): void {
    const lane = this.lanes.get(job.tenant);
    if (!lane?.remove(job)) return;
    this.size--;
    if (lane.isEmpty) this.lanes.delete(job.tenant);
  }

  clear(): void {
    this.lanes.clear();
    this.size = 0;
  }
}

/** The jobs of one tenant. Taken jobs leave a gap at the start, because removing the first of a long list is slow. */
class Lane<Job> {
  private jobs: (Job | undefined)[] = [];
  private head = 0;

  get isEmpty(): boolean {
    return this.head === this.jobs.length;
  }

  get first(): Job {
    return this.jobs[this.head] as Job;
  }

  push(job: Job): void {
    this.jobs.push(job);
  }

  rest(): Job[] {
    return this.jobs.slice(this.head) as Job[];
  }

  shift(): Job {
    const job = this.first;
    this.jobs[this.head++] = undefined;
    if (this.head > 1_000 && this.head * 2 > this.jobs.length) this.cutGap();
    return job;
  }

  remove(job: Job): boolean {
    const at = this.jobs.indexOf(job, this.head);
    if (at >= 0) this.jobs.splice(at, 1);
    return at >= 0;
  }

  private cutGap(): void {
    this.jobs = this.jobs.slice(this.head);
    this.head = 0;
  }
}

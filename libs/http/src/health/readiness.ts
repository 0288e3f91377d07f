/** Checks something that the app needs. It resolves to false or rejects when that is not available. */
export type ReadinessCheck = () => Promise<boolean>;

export interface ReadinessReport {
  ready: boolean;
  checks: Record<string, boolean>;
}

const CHECK_DEADLINE_MS = 2_000;

/** Tells whether this app is ready for requests. A closing app is never ready. */
export class Readiness {
  private closing = false;

  constructor(private readonly checks: Readonly<Record<string, ReadinessCheck>>) {}

  /** The first step of a shutdown. */
  close(): void {
    this.closing = true;
  }

  async report(): Promise<ReadinessReport> {
    const entries = await Promise.all(
      Object.entries(this.checks).map(async ([name, check]) => [name, await passes(check)] as const),
    );
    return { ready: !this.closing && entries.every(([, passed]) => passed), checks: Object.fromEntries(entries) };
  }
}

/** A check that takes longer than the deadline has failed. */
async function passes(check: ReadinessCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), CHECK_DEADLINE_MS)));
  try {
    return await Promise.race([check(), deadline]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

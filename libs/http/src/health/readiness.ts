import { Injectable } from '@nestjs/common';

/** Checks something that the app needs. It resolves to false or rejects when that is not available. */
export type ReadinessCheck = () => Promise<boolean>;

/** The checks of an app by their names. */
export abstract class ReadinessChecks {
  abstract readonly byName: Readonly<Record<string, ReadinessCheck>>;
}

export interface ReadinessReport {
  ready: boolean;
  checks: Record<string, boolean>;
}

const CHECK_DEADLINE_MS = 2_000;

/** Tells whether this app is ready for requests. A closing app is never ready. */
@Injectable()
export class Readiness {
  private closing = false;

  constructor(private readonly checks: ReadinessChecks) {}

  /** The first step of a shutdown. */
  close(): void {
    this.closing = true;
  }

  async report(): Promise<ReadinessReport> {
    const entries = await Promise.all(
      Object.entries(this.checks.byName).map(async ([name, check]) => [name, await passes(check)] as const),
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

import { DomainError } from '@millrace/domain';
import type { IncomingHttpHeaders } from 'node:http';

/** Thrown when a page of an origin that is not listed opens a live connection. */
class OriginRefusedError extends DomainError {
  readonly code = 'PERMISSION_DENIED';
}

const REFUSED =
  "Pages of this origin may not connect: it is neither the service's own nor listed in SVC_API_CORS_ORIGINS.";

/**
 * The origins whose pages may open live connections. A browser lets every page open a WebSocket to any server, and says
 * from which origin it comes. Programs that are no browsers say nothing, and need a token as everybody does.
 */
export class PageOrigins {
  private readonly listed: ReadonlySet<string>;

  constructor(publicUrl: string | undefined, listed: readonly string[]) {
    this.listed = new Set([...listed, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])]);
  }

  /** Throws OriginRefusedError. */
  assertAllowed({ origin, host, 'x-forwarded-host': forwarded }: IncomingHttpHeaders): void {
    if (origin === undefined || this.listed.has(origin) || this.listed.has('*')) return;
    const called = [forwarded ?? host].flat()[0]?.split(',', 1)[0]?.trim();
    if (called === undefined || hostIn(origin) !== called.toLowerCase()) throw new OriginRefusedError(REFUSED);
  }
}

const hostIn = (origin: string): string | null => (URL.canParse(origin) ? new URL(origin).host : null);

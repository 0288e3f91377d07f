import {
  Clock,
  principalName,
  RequestCounts,
  RequestLimit,
  type Principal,
  type RequestAllowance,
} from '@millrace/domain';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { API_SETTINGS, type ApiSettings } from '../settings/config';

type Limits = Pick<ApiSettings, 'SVC_API_RATE_LIMIT_PER_MINUTE' | 'SVC_API_RATE_LIMIT_PER_MINUTE_PER_PROJECT'>;

/** How often the counts are told to the other processes, while there are requests. */
const TELLS_EVERY_MS = 250;

/**
 * Limits how often a caller, and all API keys of a project together, use the api. Without settings it counts only the
 * requests of the kinds that have a limit of their own.
 */
@Injectable()
export class RequestLimits implements OnApplicationShutdown {
  private readonly logger = new Logger(RequestLimits.name);
  private readonly limit: RequestLimit;
  private telling: NodeJS.Timeout | null = null;

  constructor(
    counts: RequestCounts,
    private readonly clock: Clock,
    @Inject(API_SETTINGS) private readonly settings: Limits,
  ) {
    this.limit = new RequestLimit(counts);
  }

  /** Counts a request and says in its answer what is left. Throws RateLimitedError. */
  count(principal: Principal, reply: FastifyReply): void {
    const allowances = this.limitsOf(principal).map(([name, limit]) => this.limit.take(name, limit, this.clock.now()));
    const [tightest] = allowances.sort((one, other) => one.remaining - other.remaining);
    if (!tightest) return;
    void reply.headers(headersOf(tightest));
    this.telling ??= setTimeout(() => void this.tell(), TELLS_EVERY_MS);
  }

  /** Counts a request of a kind that has a limit of its own in each minute. Throws RateLimitedError. */
  countKind(kind: string, principal: Principal, limit: number): void {
    this.limit.take(`${kind}:${principalName(principal)}`, limit, this.clock.now());
    this.telling ??= setTimeout(() => void this.tell(), TELLS_EVERY_MS);
  }

  onApplicationShutdown(): void {
    if (this.telling) clearTimeout(this.telling);
  }

  private limitsOf(principal: Principal): [name: string, limit: number][] {
    const { SVC_API_RATE_LIMIT_PER_MINUTE: perCaller, SVC_API_RATE_LIMIT_PER_MINUTE_PER_PROJECT: perProject } =
      this.settings;
    const project = principal.kind === 'user' ? null : projectOfKey(principal);
    return [
      ...(perCaller === undefined ? [] : [[principalName(principal), perCaller] as [string, number]]),
      ...(perProject === undefined || project === null ? [] : [[`project:${project}`, perProject] as [string, number]]),
    ];
  }

  private async tell(): Promise<void> {
    this.telling = null;
    try {
      await this.limit.tell();
    } catch (error) {
      this.logger.warn(`Counts of requests could not be shared with other processes: ${String(error)}`);
    }
  }
}

/** Null for a key of the platform. */
const projectOfKey = ({ roles }: Principal): string | null =>
  typeof roles === 'string' ? null : (roles.keys().next().value ?? null);

const headersOf = ({ limit, remaining, resetSeconds }: RequestAllowance): Record<string, string> => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(remaining),
  'ratelimit-reset': String(resetSeconds),
});

import { abortWith, CallTokens, Clock, PayloadTooLargeError, ServiceUnavailableError } from '@millrace/domain';
import { Inject, Injectable, NotFoundException } from '@nestjs/common';
import { getFromApi } from '../api/api-client';
import { WORKER_CONFIG, type WorkerConfig } from '../settings/config';
import type { CallOfApi, InnerAnswer } from './call-of-api';

/** What packages may read of the api. It checks by itself that the project is theirs. */
const READABLE =
  /^\/api\/v1\/(?:flows|flows\/count|flow-runs|flow-runs\/count|store-entries|folders|(?:flows|flow-runs|projects)\/[0-9a-f-]{36})$/;
const MOST_BYTES = 10 * 1024 * 1024;
const READ_MS = 30_000;

/** Reads from the api for packages, with a token that is made for each request and that no package has. */
@Injectable()
export class ApiReads {
  constructor(
    private readonly tokens: CallTokens,
    private readonly clock: Clock,
    @Inject(WORKER_CONFIG) private readonly config: Pick<WorkerConfig, 'SVC_API_URL'>,
  ) {}

  /**
   * Throws NotFoundException for what packages do not read, and ServiceUnavailableError, also when the call ends or the
   * client has left.
   */
  async read({ pathname, search }: URL, { projectId, signal }: CallOfApi, left: AbortSignal): Promise<InnerAnswer> {
    if (!READABLE.test(pathname)) throw new NotFoundException();
    const token = await this.tokens.issue(projectId, this.clock.now());
    const patience = abortWith([signal, left, AbortSignal.timeout(READ_MS)]);
    try {
      const options = { signal: patience.signal, mostBytes: MOST_BYTES };
      const { statusCode, json } = await getFromApi(`${this.config.SVC_API_URL}${pathname}${search}`, token, options);
      return { status: statusCode, json };
    } catch (cause) {
      if (cause instanceof PayloadTooLargeError) throw cause;
      throw new ServiceUnavailableError('The api gives no answer.', 5, { cause });
    } finally {
      patience.end();
    }
  }
}

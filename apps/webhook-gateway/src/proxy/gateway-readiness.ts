import { OperatorHttp, ReadinessChecks } from '@millrace/http';
import { databaseChecks, QueueProbe } from '@millrace/persistence';
import { Injectable, type OnApplicationShutdown, type Type } from '@nestjs/common';
import { Pool } from 'pg';

const API_ANSWERS_WITHIN_MS = 2_000;

/**
 * What the gateway uses. It accepts webhooks as long as the database answers: without its queue it commits runs, which
 * the rescuer enqueues later, and without its api only what it passes on is refused (docs/adr/0072).
 */
export function gatewayReadiness(apiUrl: string | undefined): Type<ReadinessChecks> {
  @Injectable()
  class GatewayReadiness extends ReadinessChecks implements OnApplicationShutdown {
    private readonly http = new OperatorHttp();
    readonly needed;
    override readonly reported;

    constructor(pool: Pool, queue: QueueProbe) {
      super();
      this.needed = databaseChecks(pool);
      this.reported = {
        queue: () => queue.answers(),
        ...(apiUrl !== undefined && { api: () => this.hasStarted(apiUrl) }),
      };
    }

    onApplicationShutdown(): Promise<void> {
      return this.http.close();
    }

    /** The api answers this without its stores: one that is frozen must not be reported as a lost api. */
    private async hasStarted(url: string): Promise<true | string> {
      const probe = { method: 'GET', url: `${url}/api/v1/health/startup`, timeoutMs: API_ANSWERS_WITHIN_MS };
      const { status } = await this.http.send({ ...probe, ignoresBody: true });
      return status === 200 || `it answers ${status}, as it does while it starts.`;
    }
  }
  return GatewayReadiness;
}

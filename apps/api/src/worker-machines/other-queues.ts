import { Logger } from '@nestjs/common';
import type { WorkerHeartbeatDto } from './worker-machine.dto';

/** How many workers are remembered, which have a new id at each start. */
const MOST_REMEMBERED = 1_000;

/** Warns, once for each worker, of those that take their jobs from another store than the api puts them into. */
export class OtherQueues {
  private readonly warned = new Set<string>();

  constructor(private readonly logger: Pick<Logger, 'warn'> = new Logger('WorkerMachines')) {}

  look({ id, hostname, queue }: Pick<WorkerHeartbeatDto, 'id' | 'hostname' | 'queue'>, own: string): void {
    if (queue === own || this.warned.has(id)) return;
    if (this.warned.size >= MOST_REMEMBERED) this.warned.clear();
    this.warned.add(id);
    this.logger.warn(
      `The worker ${id} on ${hostname} takes jobs from ${queue}, and this api puts them into ${own}: it executes nothing. Set SVC_REDIS_URL to the same for all apps.`,
    );
  }
}

import { AuditLog, ConnectionUses } from '@millrace/domain';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';

const WRITTEN_EVERY_MS = 5_000;

/** The uses of connections by the runs of this worker, which are written to the audit log beside the runs. */
@Injectable()
export class NotedConnectionUses extends ConnectionUses implements OnApplicationShutdown {
  private readonly logger = new Logger(NotedConnectionUses.name);
  private readonly timer: NodeJS.Timeout;

  constructor(log: AuditLog) {
    super(log);
    this.timer = setInterval(() => void this.write(), WRITTEN_EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }

  private async write(): Promise<void> {
    try {
      await this.flush();
    } catch (error) {
      this.logger.warn(`Uses of connections could not be written to the audit log: ${String(error)}`);
    }
  }
}

import { PermissionDeniedError, QueueAdministration } from '@millrace/domain';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { LiveSession } from './live-access';
import { LiveOutput } from './live-output';
import { RoomKind, type RoomState } from './room-kind';

const NAME = 'queue.metrics';
const COUNT_EVERY_MS = 2_000;
/** Counting may take long in a large queue. It takes at most one part in so many of the time. */
const SHARE = 20;

/** The room of the queue's counts, for platform administrators. The queue is counted only while somebody is in it. */
@Injectable()
export class QueueRoom extends RoomKind implements OnApplicationShutdown {
  private readonly logger = new Logger(QueueRoom.name);
  private timer: NodeJS.Timeout | null = null;
  private isOpen = false;

  constructor(
    private readonly queue: QueueAdministration,
    private readonly output: LiveOutput,
  ) {
    super();
  }

  override keyOf(name: string): string | null {
    return name === NAME ? NAME : null;
  }

  override owns(key: string): boolean {
    return key === NAME;
  }

  override admit(_key: string, { principal }: LiveSession): Promise<void> {
    return principal.platformAdmin ? Promise.resolve() : Promise.reject(new PermissionDeniedError('READ_QUEUE'));
  }

  override opened(): void {
    this.isOpen = true;
    this.countIn(0);
  }

  override closed(): void {
    this.isOpen = false;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }

  override entered(): Promise<() => RoomState> {
    return Promise.resolve(() => ({}));
  }

  onApplicationShutdown(): void {
    this.closed();
  }

  private countIn(ms: number): void {
    this.timer ??= setTimeout(() => void this.count(), ms);
  }

  private async count(): Promise<void> {
    this.timer = null;
    const startedAt = performance.now();
    try {
      this.output.send(NAME, 'queue.metrics', await this.queue.counts());
    } catch (error) {
      this.logger.debug(`The queue could not be counted: ${String(error)}`);
    }
    if (this.isOpen) this.countIn(Math.max(COUNT_EVERY_MS, SHARE * (performance.now() - startedAt)));
  }
}

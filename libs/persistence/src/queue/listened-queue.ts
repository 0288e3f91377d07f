// The classes Nest makes our queue and workers from: none is without a listener for its errors, and all close while Redis is away.

import { Logger } from '@nestjs/common';
import { Queue, RedisQueueBackend, Worker, type Processor, type QueueOptions, type WorkerOptions } from 'bullmq';
import { logQueueErrors } from './queue-errors';

export class ListenedQueue<Payload = unknown, Result = unknown, Name extends string = string> extends Queue<
  Payload,
  Result,
  Name
> {
  constructor(name: string, options: QueueOptions) {
    super(name, options);
    logQueueErrors(this, new Logger('Queue'));
  }

  override async close(): Promise<void> {
    if (await isAway(this.backend)) this.closing ??= this.backend.close(true);
    await super.close();
  }
}

export class ListenedWorker extends Worker {
  constructor(name: string, processor: string | URL | null | Processor, options: WorkerOptions) {
    super(name, processor, options);
    logQueueErrors(this, new Logger('QueueWorker'));
  }

  /** Waits for the jobs in hand, unless Redis is away: then none could be completed, and the queue gives them to another worker. */
  override async close(force = false): Promise<void> {
    await super.close(force || (await isAway(this.backend)));
  }
}

/** A polite QUIT to a Redis that is away waits for its return. */
async function isAway(backend: unknown): Promise<boolean> {
  if (!(backend instanceof RedisQueueBackend)) return false;
  const notYetConnected = new Promise<null>((resolve) => setImmediate(resolve, null));
  const client = await Promise.race([backend.client, notYetConnected]);
  return client?.status !== 'ready';
}

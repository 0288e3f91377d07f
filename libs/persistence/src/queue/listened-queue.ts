// The classes from which Nest makes the queue and the workers. Each logs its errors, and closes while Redis is away.

import { Queue, RedisQueueBackend, Worker, type Processor, type QueueOptions, type WorkerOptions } from 'bullmq';
import { logQueueErrors } from './queue-errors';

export class ListenedQueue<Payload = unknown, Result = unknown, Name extends string = string> extends Queue<
  Payload,
  Result,
  Name
> {
  constructor(name: string, options: QueueOptions) {
    super(name, options);
    logQueueErrors(this);
  }

  override async close(): Promise<void> {
    if (await isAway(this.backend)) this.closing ??= this.backend.close(true);
    await super.close();
  }
}

export class ListenedWorker extends Worker {
  /** How many jobs have used up their attempts in this worker. */
  givenUp = 0;

  constructor(name: string, processor: string | URL | null | Processor, options: WorkerOptions) {
    super(name, processor, options);
    logQueueErrors(this);
    // A job that is tried again has not finished.
    this.on('failed', (job) => {
      if (job?.finishedOn !== undefined) this.givenUp++;
    });
  }

  /**
   * Waits for the jobs that are being executed, unless Redis is away. They could not be completed without Redis, which
   * later delivers them to another worker.
   */
  override async close(force = false): Promise<void> {
    await super.close(force || (await isAway(this.backend)));
  }
}

/** Tells whether Redis is away. A graceful close would then wait until Redis is back. */
async function isAway(backend: unknown): Promise<boolean> {
  if (!(backend instanceof RedisQueueBackend)) return false;
  const notYetConnected = new Promise<null>((resolve) => setImmediate(resolve, null));
  const client = await Promise.race([backend.client, notYetConnected]);
  return client?.status !== 'ready';
}

import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { WrongWorkerTokenError, type WorkerRegistration } from './worker-registration';

/** The class is also the token of these options. */
export abstract class HeartbeatOptions {
  abstract readonly registration: Pick<WorkerRegistration, 'tell' | 'apiUrl'>;
  abstract readonly everyMs: number;
  /** Begins the orderly stop of this worker. */
  abstract readonly stop: () => void;
}

/**
 * Tells the api that this worker lives. Without the api the worker goes on: only its entry in the list grows old. When
 * the api refuses its token, it finishes what it has and stops.
 */
@Injectable()
export class Heartbeat implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Heartbeat.name);
  private next: NodeJS.Timeout | undefined;
  private isHeard = true;
  private hasStopped = false;

  constructor(private readonly options: HeartbeatOptions) {}

  onApplicationBootstrap(): void {
    this.wait();
  }

  onApplicationShutdown(): void {
    this.hasStopped = true;
    clearTimeout(this.next);
  }

  private wait(): void {
    if (this.hasStopped) return;
    this.next = setTimeout(
      () => void this.beat().then((goesOn) => goesOn && this.wait()),
      this.options.everyMs,
    ).unref();
  }

  /** Says whether there is to be another one. */
  private async beat(): Promise<boolean> {
    const { registration, stop } = this.options;
    try {
      await registration.tell();
      if (!this.isHeard) this.logger.log('The api hears this worker again.');
      this.isHeard = true;
      return true;
    } catch (error) {
      if (error instanceof WrongWorkerTokenError) {
        this.logger.error(`${error.message} It finishes the runs that it has, and stops.`);
        stop();
        return false;
      }
      const told = `The api at ${registration.apiUrl} does not hear this worker, which goes on: ${String(error)}`;
      if (this.isHeard) this.logger.warn(told);
      this.isHeard = false;
      return true;
    }
  }
}

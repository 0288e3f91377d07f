import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PackageHosts } from '../packages/package-hosts';
import { WrongWorkerTokenError, type WorkerRegistration } from './worker-registration';

/** The walls are found when the start is over, which they do not delay then. */
const LOOKS_FOR_WALLS_AFTER_MS = 1_000;

/** The class is also the token of these options. */
export abstract class HeartbeatOptions {
  abstract readonly registration: Pick<WorkerRegistration, 'tell' | 'apiUrl'>;
  abstract readonly everyMs: number;
  /** Begins the orderly stop of this worker. */
  abstract readonly stop: () => void;
}

/**
 * Tells the api that this worker lives, and which walls it has around packages of pieces. Without the api the worker goes on: only its entry in the list grows old. When
 * the api refuses its token, it finishes what it has and stops.
 */
@Injectable()
export class Heartbeat implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(Heartbeat.name);
  private next: NodeJS.Timeout | undefined;
  private look: NodeJS.Timeout | undefined;
  private isHeard = true;
  private hasStopped = false;

  constructor(
    private readonly options: HeartbeatOptions,
    private readonly hosts: PackageHosts,
  ) {}

  onApplicationBootstrap(): void {
    this.wait();
    this.look = setTimeout(() => void this.lookForWalls(), LOOKS_FOR_WALLS_AFTER_MS).unref();
  }

  onApplicationShutdown(): void {
    this.hasStopped = true;
    clearTimeout(this.next);
    clearTimeout(this.look);
  }

  /** The api is told at once. */
  private async lookForWalls(): Promise<void> {
    await this.hosts.lookForWalls();
    if (this.hosts.isolation) this.wait(0);
  }

  private wait(ms = this.options.everyMs): void {
    if (this.hasStopped) return;
    clearTimeout(this.next);
    this.next = setTimeout(() => void this.beat().then((goesOn) => goesOn && this.wait()), ms).unref();
  }

  /** Says whether there is to be another one. */
  private async beat(): Promise<boolean> {
    const { registration, stop } = this.options;
    try {
      await registration.tell(this.hosts.isolation);
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

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  notOfAdministrator,
  PIECE_WALLS,
  WrongSettingError,
  type PiecePackage,
  type PieceWall,
} from '@millrace/domain';
import { AddressGuard } from '@millrace/http';
import {
  findWalls,
  holdNativeParts,
  HostPool,
  HostProcess,
  sweepHostFolders,
  type HostAnswer,
  type HostOptions,
  type InstalledPackage,
  type PooledCall,
  type Walls,
} from '@millrace/piece-hosts';
import { UnansweredCall } from '@millrace/pieces';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { WorkerConfig } from '../settings/config';

const CONNECTIONS = 50;
const BYTES_OF_CALL = 1024 * 1024 * 1024;
const DESCRIBE_MS = 20_000;
/** A host that keeps more memory than this between two calls is replaced. */
const IDLE_SHARE = 0.5;

/** What a host must offer. */
type HostNeeds = Pick<InstalledPackage, 'hasNativeParts'>;

export type PackageHostSettings = Pick<
  WorkerConfig,
  | 'SVC_PIECE_PACKAGES'
  | 'SVC_PIECE_ISOLATION'
  | 'SVC_PIECE_MEMORY_LIMIT'
  | 'SVC_PIECE_HOSTS'
  | 'SVC_PIECE_TIMEOUT_SECONDS'
  | 'SVC_OUTBOUND_CA_FILE'
>;

/** What of the machine hosts depend on. */
export interface HostMachine {
  /** The compiled program of a host. */
  readonly program: string;
  /** The strongest walls, or stronger ones than these where there are any. */
  readonly findWalls: (known?: Walls) => Promise<Walls>;
  readonly now: () => number;
}

const MACHINE: HostMachine = {
  program: join(__dirname, 'host-program.cjs'),
  findWalls: (known) => findWalls(known),
  now: () => performance.now(),
};
/** How long after the first look the walls are looked for again, and how long at most after a later one. */
const NEXT_LOOK_MS = 60_000;
const MOST_NEXT_LOOK_MS = 3_600_000;

/** What hosts reach of the network. */
type Ways = Pick<HostOptions, 'resolve' | 'lookUp'>;

/** The processes in which this worker runs packages of pieces. There is none until the first call. */
export class PackageHosts implements OnApplicationShutdown {
  private readonly logger = new Logger('PackageHosts');
  private readonly pool: HostPool;
  private walls: Promise<Walls> | undefined;
  private nextLook = { atMs: Infinity, afterMs: NEXT_LOOK_MS };
  /** The walls of this machine, once they are known. */
  isolation: readonly PieceWall[] | null = null;

  /** Throws WrongSettingError when the settings require walls that this machine does not offer. */
  static async start(
    settings: PackageHostSettings,
    guard: AddressGuard,
    machine?: Partial<HostMachine>,
  ): Promise<PackageHosts> {
    const hosts = new PackageHosts(settings, guard, { ...MACHINE, ...machine });
    if (settings.SVC_PIECE_ISOLATION === 'required' && settings.SVC_PIECE_PACKAGES !== 'off') await hosts.assertWalls();
    return hosts;
  }

  private constructor(
    private readonly settings: PackageHostSettings,
    private readonly guard: AddressGuard,
    private readonly machine: HostMachine,
  ) {
    this.pool = new HostPool({
      start: (needs) => this.startHost(needs),
      hosts: settings.SVC_PIECE_HOSTS,
      mostIdleMemoryMb: settings.SVC_PIECE_MEMORY_LIMIT * IDLE_SHARE,
    });
  }

  /** Calls a package when it is the turn of the project. Throws HostFailure, and UnansweredCall where none may run. */
  async run(call: Omit<PooledCall, 'timeoutMs'>): Promise<HostAnswer> {
    await this.wallsToRun(call.package);
    return this.pool.run({ ...call, timeoutMs: this.settings.SVC_PIECE_TIMEOUT_SECONDS * 1_000 });
  }

  /** Asks a package to describe itself, in a process of its own that reaches nothing. Throws HostFailure. */
  async describe({ folder, main, ...needs }: InstalledPackage, signal: AbortSignal): Promise<HostAnswer> {
    const nowhere = (): Promise<never> => Promise.reject(new Error('A package reaches nothing while it is described.'));
    const host = await this.startHost(needs, { resolve: nowhere });
    const options = { services: {}, timeoutMs: DESCRIBE_MS, signal };
    try {
      const loaded = await host.load(folder, main, options);
      return 'error' in loaded ? loaded : await host.run({ kind: 'describe' }, options);
    } finally {
      await host.stop();
    }
  }

  /** Finds out which walls this machine has, which runs a process for a moment. Does nothing where packages are off. */
  async lookForWalls(): Promise<void> {
    if (this.settings.SVC_PIECE_PACKAGES === 'off') return;
    try {
      await this.foundWalls();
    } catch (error) {
      this.logger.warn('The walls around packages of pieces cannot be found out. The next call tries again.', error);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  private get ways(): Ways {
    return {
      resolve: (host, port, signal) => this.guard.resolve(host, port, signal),
      lookUp: (kind, name, signal) => this.guard.records(kind, name, signal),
    };
  }

  private async startHost(needs: HostNeeds, ways: Ways = this.ways): Promise<HostProcess> {
    return HostProcess.start({
      walls: await this.wallsToRun(needs),
      limits: {
        loadsNativeParts: needs.hasNativeParts ?? false,
        memoryMb: this.settings.SVC_PIECE_MEMORY_LIMIT,
        connections: CONNECTIONS,
        bytesOfCall: BYTES_OF_CALL,
      },
      program: this.machine.program,
      authorities: this.settings.SVC_OUTBOUND_CA_FILE,
      ...ways,
    }).catch((error: unknown) => {
      this.logger.error('A process for packages of pieces cannot be started.', error);
      throw error;
    });
  }

  /** Throws UnansweredCall where no package may run. */
  assertOn(): void {
    if (this.settings.SVC_PIECE_PACKAGES === 'off')
      throw new UnansweredCall('Packages of pieces are switched off by SVC_PIECE_PACKAGES.');
  }

  /** Throws UnansweredCall for a package that the settings forbid, because no administrator has installed it. */
  assertMayRun(found: Pick<PiecePackage, 'name' | 'version' | 'installedByAdmin'>): void {
    if (this.settings.SVC_PIECE_PACKAGES === 'admin' && !found.installedByAdmin)
      throw new UnansweredCall(notOfAdministrator(found));
  }

  /** The walls of this machine. Throws UnansweredCall where no package may run, or none like this behind such walls. */
  private async wallsToRun({ hasNativeParts }: HostNeeds): Promise<Walls> {
    this.assertOn();
    const walls = await this.foundWalls();
    if (hasNativeParts && !holdNativeParts(walls))
      throw new UnansweredCall(
        'The package has native parts, which do not run on this worker, because its walls do not hold them. ' +
          'An administrator can allow namespaces there and install bubblewrap.',
      );
    if (walls.network || this.settings.SVC_PIECE_ISOLATION === 'basic') return walls;
    throw new UnansweredCall(
      'Packages of pieces do not run on this worker, because they would have the network of its machine. ' +
        'An administrator can allow namespaces there, or set SVC_PIECE_ISOLATION to basic.',
    );
  }

  private async assertWalls(): Promise<void> {
    const { network, processes } = await this.foundWalls();
    if (network && processes) return;
    throw new WrongSettingError(
      'SVC_PIECE_ISOLATION is required, and this machine offers no namespaces for network and processes. ' +
        'Allow them to this user or install bubblewrap, or set it to auto.',
    );
  }

  private foundWalls(): Promise<Walls> {
    this.walls ??= this.findWalls().catch((error: unknown) => {
      this.walls = undefined; // the next call looks again
      throw error;
    });
    if (this.machine.now() >= this.nextLook.atMs) void this.lookAgain(this.walls);
    return this.walls;
  }

  private async findWalls(): Promise<Walls> {
    await sweepHostFolders();
    const walls = await this.machine.findWalls();
    this.noteLook(NEXT_LOOK_MS);
    this.note(walls);
    return walls;
  }

  /**
   * A busy machine may have seemed to lack what it has, and an administrator may have given it more. Calls go on behind
   * the walls that are known meanwhile.
   */
  private async lookAgain(before: Promise<Walls>): Promise<void> {
    this.nextLook.atMs = Infinity;
    try {
      const known = await before;
      const walls = await this.machine.findWalls(known);
      this.noteLook(Math.min(2 * this.nextLook.afterMs, MOST_NEXT_LOOK_MS));
      if (isDeepStrictEqual(walls, known)) return;
      this.walls = Promise.resolve(walls);
      this.note(walls);
      this.pool.renew();
    } catch (error) {
      this.noteLook(NEXT_LOOK_MS);
      this.logger.warn('The walls around packages of pieces cannot be looked for again.', error);
    }
  }

  private noteLook(afterMs: number): void {
    this.nextLook = { atMs: this.machine.now() + afterMs, afterMs };
  }

  private note(walls: Walls): void {
    this.isolation = PIECE_WALLS.filter((wall) => walls[wall]);
    const missing = PIECE_WALLS.filter((wall) => !walls[wall]);
    const own = { own: this.isolation, missing, isolation: this.settings.SVC_PIECE_ISOLATION };
    if (walls.network) this.logger.log({ msg: 'The walls around packages of pieces are known.', ...own });
    else this.logger.warn({ msg: this.sayWithoutNetworkWall(), ...own });
  }

  private sayWithoutNetworkWall(): string {
    return this.settings.SVC_PIECE_ISOLATION === 'basic'
      ? 'Packages of pieces run with the network of this machine, as SVC_PIECE_ISOLATION allows.'
      : 'Packages of pieces do not run on this worker: its machine offers no namespaces.';
  }
}

import { Clock, PiecePackages, ProjectFlows, type PieceRef } from '@millrace/domain';
import {
  BUILT_ARCHIVE_LIMITS,
  HostFailure,
  NoRoomForPackageError,
  PackageStore,
  type StoredPackage,
} from '@millrace/piece-hosts';
import { flowServices, PackageCalls, UnansweredCall, type PackageAnswer, type PackageCall } from '@millrace/pieces';
import { Injectable } from '@nestjs/common';
import { InnerApi } from './inner-api';
import { PackageHosts } from './package-hosts';
import { StoredArchives } from '@millrace/persistence';

/** How soon a worker that has a package unpacked learns that it was removed. */
const LOOKED_UP_EVERY_MS = 60_000;

interface UnpackedPackage {
  readonly work: Promise<StoredPackage>;
  readonly lookedUpAtMs: number;
}

/** Calls packages in the processes of this worker. A package is unpacked at its first call, from its stored archive. */
@Injectable()
export class WorkerPackageCalls extends PackageCalls {
  /** A name and a version have one content for ever, so a package is looked up only to learn whether it is still there. */
  private readonly unpacked = new Map<string, UnpackedPackage>();

  constructor(
    private readonly packages: PiecePackages,
    private readonly archives: StoredArchives,
    private readonly store: PackageStore,
    private readonly hosts: PackageHosts,
    private readonly api: InnerApi,
    private readonly flows: ProjectFlows,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async call(call: PackageCall): Promise<PackageAnswer> {
    this.hosts.assertOn();
    const unpacked = await this.unpackedOnce(call.piece);
    const { server, inside } = this.api.for(call);
    const request = { ...server, ...call.request };
    const services = { ...flowServices(call.projectId, this.flows), ...call.services };
    const hosted = { ...call, request, services, inside, package: unpacked };
    try {
      // The folder stays while the call waits for a host, which gets a copy of it.
      const answer = await this.store.holding(unpacked, () => this.hosts.run(hosted));
      return 'error' in answer ? { failure: answer.error.message, output: answer.output } : answer;
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof HostFailure)) throw error;
      // Its folder may be gone. The next call unpacks it again then.
      if (error.reason === 'ended') this.unpacked.delete(keyOf(call.piece));
      return { failure: error.message, output: '', isUnanswered: true };
    }
  }

  private unpackedOnce(piece: PieceRef): Promise<StoredPackage> {
    const key = keyOf(piece);
    const known = this.unpacked.get(key);
    const now = this.clock.elapsedMs();
    if (known && now - known.lookedUpAtMs < LOOKED_UP_EVERY_MS) return known.work;
    const work = this.unpack(piece);
    this.unpacked.set(key, { work, lookedUpAtMs: now });
    work.catch(() => this.unpacked.delete(key)); // the call fails with it, and the next one tries again
    return work;
  }

  private async unpack({ name, version }: PieceRef): Promise<StoredPackage> {
    const [found] = await this.packages.find([{ name, version }]);
    if (!found) throw new UnansweredCall(`The package ${name} ${version} is not installed.`);
    this.hosts.assertMayRun(found);
    const { archiveId, builtIntegrity } = found;
    const wanted = { name, version, integrity: builtIntegrity ?? found.integrity };
    const limits = builtIntegrity === null ? undefined : BUILT_ARCHIVE_LIMITS;
    try {
      return await this.store.ensure(wanted, () => this.archives.read(archiveId), limits);
    } catch (error) {
      throw error instanceof NoRoomForPackageError ? new UnansweredCall(error.message) : error;
    }
  }
}

const keyOf = ({ name, version }: PieceRef): string => `${name} ${version}`;

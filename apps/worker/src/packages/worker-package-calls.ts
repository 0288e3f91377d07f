import { Clock, PiecePackages, ProjectFlows, type PieceRef } from '@millrace/domain';
import {
  BUILT_ARCHIVE_LIMITS,
  HostFailure,
  OVERSIZED_ANSWER,
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
/** How often the files of a package that cannot be loaded are looked at. Large ones take a while to read. */
const DOUBTED_EVERY_MS = 60_000;

interface UnpackedPackage {
  readonly work: Promise<StoredPackage>;
  readonly lookedUpAtMs: number;
  /** When its files were last looked at because it could not be loaded. */
  readonly doubtedAtMs?: number;
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
    try {
      return await this.answer(call);
    } catch (error) {
      call.signal.throwIfAborted();
      if (!(error instanceof HostFailure)) throw error;
      return { failure: error.message, output: error.output, isUnanswered: true };
    }
  }

  /** A package that cannot be loaded is loaded a second time, because its files may be damaged, or gone. */
  private async answer(call: PackageCall): Promise<PackageAnswer> {
    const unpacked = this.unpackedOnce(call.piece);
    try {
      return await this.run(call, await unpacked);
    } catch (error) {
      if (!(error instanceof HostFailure) || error.reason !== 'notLoaded') throw error;
      const again = await this.unpackedAgain(call.piece, unpacked);
      if (!again) throw error;
      return this.run(call, again);
    }
  }

  private async run(call: PackageCall, unpacked: StoredPackage): Promise<PackageAnswer> {
    const { server, inside } = this.api.for(call);
    const request = { ...server, ...call.request };
    const services = { ...flowServices(call.projectId, this.flows), ...call.services };
    const hosted = { ...call, request, services, inside, package: unpacked };
    // The folder stays while the call waits for a host, which gets a copy of it.
    const answer = await this.store.holding(unpacked, () => this.hosts.run(hosted));
    if (!('error' in answer)) return answer;
    const { message: failure, code } = answer.error;
    return { failure, output: answer.output, ...(code === OVERSIZED_ANSWER && { isOversized: true }) };
  }

  private unpackedOnce(piece: PieceRef): Promise<StoredPackage> {
    const known = this.unpacked.get(keyOf(piece));
    return known && this.clock.elapsedMs() - known.lookedUpAtMs < LOOKED_UP_EVERY_MS ? known.work : this.look(piece);
  }

  /**
   * The package with its files looked at since, or unpacked anew. All calls that could not load it share this. Null when
   * they were looked at lately.
   */
  private async unpackedAgain(piece: PieceRef, doubted: Promise<StoredPackage>): Promise<StoredPackage | null> {
    const unpacked = await doubted;
    const known = this.unpacked.get(keyOf(piece));
    if (known?.work !== doubted) return this.unpackedOnce(piece);
    const now = this.clock.elapsedMs();
    if (known.doubtedAtMs !== undefined && now - known.doubtedAtMs < DOUBTED_EVERY_MS) return null;
    this.store.doubt(unpacked);
    return this.look(piece, now);
  }

  private look(piece: PieceRef, doubtedAtMs = this.unpacked.get(keyOf(piece))?.doubtedAtMs): Promise<StoredPackage> {
    const key = keyOf(piece);
    const work = this.unpack(piece);
    const lookedUpAtMs = this.clock.elapsedMs();
    this.unpacked.set(key, { work, lookedUpAtMs, ...(doubtedAtMs !== undefined && { doubtedAtMs }) });
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

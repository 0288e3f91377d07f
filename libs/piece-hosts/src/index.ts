export { ArchiveError } from './install/archive-error';
export { identityInArchive } from './install/identity-in-archive';
export { packFiles, packFolder } from './install/pack-archive';
export {
  integrityOf,
  NoRoomForPackageError,
  PackageStore,
  type ContentFolders,
  type StoredPackage,
  type WantedPackage,
} from './install/package-store';
export { BUILT_ARCHIVE_LIMITS } from './install/unpack-archive';
export type { PackageManifest } from './install/package-manifest';
export { HostPool, type HostPoolOptions, type InstalledPackage, type PooledCall } from './pool/host-pool';
export { HostFailure, type HostFailureReason } from './process/host-failure';
export { OVERSIZED_ANSWER } from './process/messages';
export type { HostAnswer, Services } from './process/host-call';
export { sweepHostFolders } from './folders/host-folder';
export { HostProcess, type CallOptions, type HostOptions, type InsideService } from './process/host-process';
export { findWalls } from './walls/find-walls';
export { holdNativeParts, type HostLimits, type Walls } from './walls/host-command';
export type { LookUpRecords, RecordKind } from './way-out/look-ups';
export { MOST_VALUES_AT_ONCE } from './process/frames';
export type { Endpoint, ResolveTarget, WayOutBounds } from './way-out/way-out';

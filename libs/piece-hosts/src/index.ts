export { ArchiveError } from './install/archive-error';
export { integrityOf, PackageStore, type StoredPackage, type WantedPackage } from './install/package-store';
export type { PackageManifest } from './install/package-manifest';
export { HostPool, type HostPoolOptions, type InstalledPackage, type PooledCall } from './pool/host-pool';
export { HostFailure, type HostFailureReason } from './process/host-failure';
export {
  HostProcess,
  type CallOptions,
  type HostAnswer,
  type HostOptions,
  type Services,
} from './process/host-process';
export { findWalls } from './walls/find-walls';
export type { HostLimits, Walls } from './walls/host-command';
export type { Endpoint, ResolveTarget, WayOutBounds } from './way-out/way-out';

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

export { CompiledFlows } from './compiled-flows';
export { FlowRunner, type FlowSources, type RunSurroundings } from './flow-runner';
export { FreezeWatch } from './jobs/freeze-watch';
export { JobExecutor, type DeliveredJob } from './jobs/job-executor';
export type { StoreFailure } from './jobs/uncounted-attempts';
export { OwnedRuns } from './ownership/owned-runs';
export type { RunOwnership } from './ownership/run-ownership';
export { RunSlots } from './slots/run-slots';

export { CompiledFlows } from './compiled-flows';
export { FlowRunner, FlowSources, STEP_PORTS, type StepPorts } from './flow-runner';
export { FreezeWatch } from './jobs/freeze-watch';
export { JobExecutor, JobExecutorSettings, type DeliveredJob } from './jobs/job-executor';
export type { StoreFailure } from './jobs/uncounted-attempts';
export { OwnedRuns } from './ownership/owned-runs';
export type { RunOwnership } from './ownership/run-ownership';
export { FLOW_TIMEOUT_SECONDS, RunServices } from './ownership/run-services';
export { RunSlots } from './slots/run-slots';

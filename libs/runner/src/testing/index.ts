export { describeKilledRuns } from './killed-runs.contract';

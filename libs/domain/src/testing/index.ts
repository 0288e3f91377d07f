export { aCodeBundle } from './a-code-bundle';
export { aFlow } from './a-flow';
export {
  aFlowVersion,
  branch,
  chain,
  codeStep,
  fallback,
  loop,
  pieceStep,
  router,
  webhookTrigger,
  type BranchWithSteps,
} from './a-flow-version';
export { aFlowOfAllKinds } from './a-flow-of-all-kinds';
export { asBeforeNumbers } from '../flows/testing/an-old-export';
export { aNewRun, anEnding } from './a-run';
export { anId } from './an-id';
export { describeCodeBundleStore } from './code-bundle-store.contract';
export { describeIdempotencyRecords } from './idempotency-records.contract';
export { InMemoryCodeBundleStore } from './in-memory-code-bundle-store';
export { InMemoryIdempotencyRecords } from './in-memory-idempotency-records';
export { InMemoryJobQueue, type JobEnding, type RunJobProcessor } from './in-memory-job-queue';
export { InMemoryStoreEntries } from './in-memory-store-entries';
export { describeJobQueue, type JobQueueUnderTest } from './job-queue.contract';
export { HandDrivenClock } from './hand-driven-clock';
export { InMemoryRunJournal, type JournalledRun } from './in-memory-run-journal';
export { RecordingTriggerRegistry } from './recording-trigger-registry';
export { resultAt } from './result-at';
export { stepsInShort, type ShortStep } from './steps-in-short';
export { describeStoreEntries, type StoreEntriesUnderTest } from './store-entries.contract';

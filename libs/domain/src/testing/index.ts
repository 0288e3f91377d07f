export { aCodeBundle } from './a-code-bundle';
export { aNewFile } from './a-file';
export { aFlow } from './a-flow';
export { anEventDestination } from './an-event-destination';
export {
  aFlowVersion,
  branch,
  codeStep,
  fallback,
  loop,
  builtInStep,
  builtInTrigger,
  pieceStep,
  router,
  webhookTrigger,
} from './a-flow-version';
export { aFlowOfAllKinds } from './a-flow-of-all-kinds';
export { asBeforeNumbers } from './an-old-export';
export { aFlowRun } from './a-flow-run';
export { aChildRun, aNewRun, anEnding, aPause, aPausedRecord, aRecordedStep, aWait } from './a-run';
export { aPacedRetry, aRetryUnderWay } from './a-paced-retry';
export { aPrincipal } from './a-principal';
export { InMemoryBacklog } from './in-memory-backlog';
export { aMaintenanceJob } from './a-maintenance-job';
export { anId } from './an-id';
export { describeCodeBundleStore } from './code-bundle-store.contract';
export { describeFileStore } from './file-store.contract';
export { describeFlowControl, type FlowControlUnderTest } from './flow-control.contract';
export { describeIdempotencyRecords } from './idempotency-records.contract';
export { HELD, lostAfter } from './held-lease';
export { InMemoryCodeBundleStore } from './in-memory-code-bundle-store';
export { InMemoryFileStore } from './in-memory-file-store';
export { InMemoryFlowControl } from './in-memory-flow-control';
export { InMemoryIdempotencyRecords } from './in-memory-idempotency-records';
export { InMemoryJobQueue } from './in-memory-job-queue';
export { InMemoryMaintenanceQueue } from './in-memory-maintenance-queue';
export { InMemorySignInAttempts } from './in-memory-sign-in-attempts';
export { describeSignInAttempts } from './sign-in-attempts.contract';
export { InMemoryStoreEntries } from './in-memory-store-entries';
export { describeJobQueue, type JobQueueUnderTest } from './job-queue.contract';
export { describeMaintenanceQueue, type MaintenanceQueueUnderTest } from './maintenance-queue.contract';
export { HandDrivenClock, sharedBy } from './hand-driven-clock';
export { InMemoryPiecePackages } from './in-memory-piece-packages';
export { InMemoryPolls } from './in-memory-polls';
export { leastCpuMs } from './least-cpu-time';
export { modelledInstants } from './schedule-model';
export { InMemoryRunFamilies } from './in-memory-run-families';
export { InMemoryRunJournal, type JournalledRequest, type JournalledRun } from './in-memory-run-journal';
export { InMemoryRunNotices } from './in-memory-run-notices';
export { InMemoryRunWaits } from './in-memory-run-waits';
export { recordingRunEvents, shownRunEvents } from './recording-run-events';
export { RecordingTriggerRegistry } from './recording-trigger-registry';
export { resultAt } from './result-at';
export {
  expressionCases,
  operatorCases,
  stepOptionsCases,
  stepsOfExpressionCase,
  stepsWithOutputs,
  type ExpressionCase,
  type OperatorCase,
  type StepOptionsCase,
} from './step-cases';
export { authFieldsFor, WEBHOOK_SENDERS, type SentWebhook, type WebhookSender } from './webhook-senders';
export { stepsInShort } from './steps-in-short';
export { describeRunJournal } from './run-journal.contract';
export { type JournalRow, type JournalUnderTest } from './journal-under-test';
export { describeStoreEntries } from './store-entries.contract';
export { RecordingSlot } from './recording-slot';
export { describePiecePackages, type PiecePackagesUnderTest } from './piece-packages.contract';
export { describePollFaults } from './poll-faults.contract';
export { describePolls, type PollsUnderTest } from './polls.contract';
export { pgbouncerPrepares, pgbouncerVersion, startPgbouncer, type Pooler } from './pgbouncer';

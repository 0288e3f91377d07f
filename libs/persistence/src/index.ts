// PostgreSQL
export { newId } from './postgres/new-id';
export { pageOfRows } from './lists/page-cursor';
export { migrate } from './modules/migrate';
export { isStatementTimeout, nameDatabaseError } from './postgres/postgres-failure';
export { postgresEnv } from './postgres/postgres.env';
export { PostgresModule, PostgresReadiness } from './modules/postgres.module';
export { MaintenanceModule } from './modules/maintenance.module';
export { RepositoriesModule, type RepositoriesSettings } from './modules/repositories.module';
export { ConnectionValuesModule, type ConnectionValuesSettings } from './modules/connection-values.module';
export { GroupCommit, type GroupCommitOptions } from './postgres/group-commit';
export { PostgresRunIntake, type RunIntakeOptions } from './runs/postgres-run-intake';
export { LAZY_QUEUE_DEADLINE_MS, LazyRunIntakeModule } from './modules/lazy-run-intake.module';
export { RunExecutionModule, type RunExecutionSettings } from './modules/run-execution.module';
export { IntakeGateModule } from './modules/intake-gate.module';
export { encodeWebhook } from './runs/stored-payload';
export { intakeEnv, intakeSettings, type IntakeSettings } from './runs/intake.env';
export { ClaimedRuns } from './queue/claimed-runs';
export { RunIntakeModule } from './modules/run-intake.module';
export { fileSettings, filesEnv, type FileSettings } from './files/files.env';
export { FileStoreModule } from './modules/file-store.module';

// Job queue
export { queueEnv, queueSettings } from './queue/queue.env';
export { QueueModule } from './modules/queue.module';
export { BullMqJobQueue } from './queue/bullmq-job-queue';
export { type RunJobData, type RunQueue } from './queue/run-queue';
export { queueOptions, queueWorkerOptions, useQueueStore } from './queue/queue-connection';
export { type QueueSettings } from './queue/queue-settings';

// PostgreSQL
export { newId } from './postgres/new-id';
export { migrate } from './postgres/migrate';
export { isStatementTimeout, nameDatabaseError } from './postgres/postgres-failure';
export { postgresEnv } from './postgres/postgres.env';
export { PostgresModule, type PostgresSettingsFactory } from './postgres/postgres.module';
export { type PostgresSettings } from './postgres/postgres-settings';
export { MaintenanceModule, type MaintenanceSettings } from './maintenance/maintenance.module';
export { RepositoriesModule, type RepositoriesSettings } from './postgres/repositories.module';
export { ConnectionValuesModule, type ConnectionValuesSettings } from './connections/connection-values.module';
export { GroupCommit, type GroupCommitOptions } from './postgres/group-commit';
export { PostgresRunIntake, type RunIntakeOptions } from './runs/postgres-run-intake';
export { LAZY_QUEUE_DEADLINE_MS, LazyRunIntakeModule } from './runs/lazy-run-intake.module';
export { RunExecutionModule, type RunExecutionSettings } from './runs/run-execution.module';
export { IntakeGateModule } from './runs/intake-gate.module';
export { encodeWebhook } from './runs/stored-payload';
export { intakeEnv, intakeSettings, type IntakeSettings } from './runs/intake.env';
export { ClaimedRuns } from './runs/claimed-runs';
export { RunIntakeModule } from './runs/run-intake.module';
export { fileSettings, filesEnv, type FileSettings } from './files/files.env';
export { FileStoreModule } from './files/file-store.module';

// Job queue
export { queueEnv, queueSettings } from './queue/queue.env';
export { QueueModule } from './queue/queue.module';
export { BullMqJobQueue, type RunJobData, type RunQueue } from './queue/bullmq-job-queue';
export { queueOptions, queueWorkerOptions, useQueueStore, type QueueSettings } from './queue/queue-connection';

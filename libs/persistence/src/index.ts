export { logOutages } from './log-outages';

// PostgreSQL
export { newId } from './postgres/new-id';
export { pageOfRows } from './lists/page-cursor';
export { migrate, revertLastMigration } from './schema/migrate';
export { untilPostgresAnswers } from './postgres/until-postgres-answers';
export { untilMigrated, untilSchemaFits } from './schema/until-schema-fits';
export { schemaFits } from './schema/schema-fit';
export { isStatementTimeout, nameDatabaseError, nameRequestError } from './postgres/postgres-failure';
export {
  connectionShares,
  databaseAddress,
  SESSION_CONNECTIONS,
  sessionUrl,
  type ConnectionShares,
} from './postgres/postgres-settings';
export { databaseChecks, PostgresModule } from './modules/postgres.module';
export { QueueProbe } from './queue/queue-probe';
export { MaintenanceModule } from './modules/maintenance.module';
export { EventDeliveryModule } from './modules/event-delivery.module';
export { RepositoriesModule } from './modules/repositories.module';
export { SecretsModule } from './modules/secrets.module';
export { InstallationKeys } from './secrets/installation-keys';
export { KeyRing, keyRing, webhookKeyRing } from './secrets/key-ring';
export { checkKeys, prepareSecrets, rotateKeys, untilKeysAreOpen } from './key-rotation/secrets-at-start';
export {
  ConnectionValuesModule,
  FreshConnectionsModule,
  WebhookSecretsModule,
} from './modules/connection-values.module';
export { PostgresRunIntake } from './runs/postgres-run-intake';
export { PieceQuestionsModule } from './modules/piece-questions.module';
export { LAZY_QUEUE_DEADLINE_MS, LazyRunIntakeModule } from './modules/lazy-run-intake.module';
export { RunExecutionModule } from './modules/run-execution.module';
export { IntakeGateModule } from './modules/intake-gate.module';
export { encodeWebhook } from './postgres/stored-payload';
export { intakeSettings } from './runs/intake-settings';
export { ClaimedRuns } from './queue/claimed-runs';
export { RunIntakeModule } from './modules/run-intake.module';
export { fileSettings } from './files/file-settings';
export { FileStoreModule } from './modules/file-store.module';

// Backups
export { backUp } from './backup/back-up';
export { BackupError } from './backup/backup-error';
export { fingerprintsOf } from './backup/key-check';
export type { Manifest } from './backup/manifest';
export { checkBackup, restore } from './backup/restore';
export { openBucket } from './files/s3-file-storage';

// Job queue
export { queueSettings } from './queue/queue-settings';
export { openAllQueues, type AllQueues } from './queue/all-queues';
export { withinDeadline } from './queue/within-deadline';
export { failedMaintenanceJob, failedRunJob } from './queue/bullmq-failed-jobs';
export { QueueModule } from './modules/queue.module';
export { MaintenanceQueueModule } from './modules/maintenance-queue.module';
export type { ListenedWorker } from './queue/listened-queue';
export { MaintenanceWorker } from './queue/maintenance-worker';
export { queueWorkerOptions } from './queue/queue-connection';
export { StoredArchives } from './pieces/stored-archives';

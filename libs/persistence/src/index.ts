// PostgreSQL
export { newId } from './postgres/new-id';
export { pageOfRows } from './lists/page-cursor';
export { migrate } from './modules/migrate';
export { isStatementTimeout, nameDatabaseError, nameRequestError } from './postgres/postgres-failure';
export { postgresEnv } from './postgres/postgres.env';
export { PostgresModule, PostgresReadiness } from './modules/postgres.module';
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
export { LAZY_QUEUE_DEADLINE_MS, LazyRunIntakeModule } from './modules/lazy-run-intake.module';
export { RunExecutionModule } from './modules/run-execution.module';
export { IntakeGateModule } from './modules/intake-gate.module';
export { encodeWebhook } from './postgres/stored-payload';
export { intakeEnv, intakeSettings } from './runs/intake.env';
export { ClaimedRuns } from './queue/claimed-runs';
export { RunIntakeModule } from './modules/run-intake.module';
export { fileSettings, filesEnv } from './files/files.env';
export { FileStoreModule } from './modules/file-store.module';

// Job queue
export { queueEnv, queueSettings } from './queue/queue.env';
export { QueueModule } from './modules/queue.module';
export { MaintenanceQueueModule } from './modules/maintenance-queue.module';
export { MaintenanceWorker } from './queue/maintenance-worker';
export { queueWorkerOptions } from './queue/queue-connection';

import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  ApiKeyRepository,
  BulkRuns,
  CodeBundleStore,
  ConnectionRepository,
  ConnectionValues,
  FlowChanges,
  FlowRepository,
  FlowRunRepository,
  FlowTemplateRepository,
  FlowVersionReader,
  FolderRepository,
  IdempotencyRecords,
  JobQueue,
  ProjectRepository,
  RunAnswers,
  RunFamilies,
  RunIntake,
  RunJournal,
  RunNotices,
  RunWaits,
  SampleDataReader,
  SampleDataWriter,
  SampleOutputs,
  StoreEntries,
  UnfinishedRuns,
  UserRepository,
} from '@millrace/domain';
import { aNewRun, InMemoryJobQueue } from '@millrace/domain/testing';
import { ConnectionValuesModule } from './connection-values.module';
import { JobTable } from '../queue/job-table';
import { RunExecutionModule } from './run-execution.module';
import { RunIntakeModule } from './run-intake.module';
import { createTestDatabase } from '../testing/test-database';
import { PostgresModule } from './postgres.module';
import { SecretsModule } from './secrets.module';
import { KeyRing } from '../secrets/key-ring';
import { RepositoriesModule } from './repositories.module';

@Module({
  providers: [
    { provide: JobQueue, useValue: new InMemoryJobQueue() },
    { provide: JobTable, useValue: null },
  ],
  exports: [JobQueue, JobTable],
})
class InMemoryQueueModule {}

describe('PostgresModule and RepositoriesModule', () => {
  it('provide every port, work, and close their connections', async () => {
    const database = await createTestDatabase();
    const app = await Test.createTestingModule({
      imports: [
        PostgresModule.forRoot({ databaseUrl: database.url, applicationName: 'module test' }),
        SecretsModule.forRoot(KeyRing.of({ encryptionKey: randomBytes(32) })),
        RepositoriesModule,
        ConnectionValuesModule,
        { module: InMemoryQueueModule, global: true },
        RunIntakeModule,
        RunExecutionModule.forRoot({ pausedLimitDays: 30 }),
      ],
    }).compile();
    const ports = [
      ApiKeyRepository,
      BulkRuns,
      CodeBundleStore,
      ConnectionRepository,
      ConnectionValues,
      FlowChanges,
      FlowRepository,
      FlowRunRepository,
      FlowTemplateRepository,
      FlowVersionReader,
      FolderRepository,
      IdempotencyRecords,
      ProjectRepository,
      RunAnswers,
      RunFamilies,
      RunIntake,
      RunJournal,
      RunNotices,
      RunWaits,
      SampleDataReader,
      SampleDataWriter,
      SampleOutputs,
      StoreEntries,
      UnfinishedRuns,
      UserRepository,
    ];

    expect(ports.every((port) => app.get<object>(port) instanceof port)).toBe(true);
    const { runId } = await app.get(RunIntake).accept(aNewRun());
    expect(await app.get(RunJournal).load(runId)).toMatchObject({ id: runId });

    await app.close();
    await expect(app.get(RunJournal).load(runId)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await database.drop();
  });
});

import { join } from 'node:path';
import { Processor } from '@nestjs/bullmq';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import {
  Clock,
  CodeBundleStore,
  ConnectionValues,
  JobQueue,
  RUN_QUEUE,
  RunJournal,
  SampleOutputs,
  StoreEntries,
  SystemClock,
  UnfinishedRuns,
} from '@millrace/domain';
import { DEFAULT_EXECUTION_LIMITS, SystemRunClock, type ExecutionPorts } from '@millrace/engine';
import { AddressGuard, GuardedHttp, NodemailerMailer } from '@millrace/http';
import { queueSettings, queueWorkerOptions } from '@millrace/persistence';
import { BuiltInPieces, PieceHost, type PieceServices } from '@millrace/pieces';
import { bundleCode, Sandbox } from '@millrace/sandbox';
import pLimit from 'p-limit';
import type { WorkerConfig } from '../config';
import { ExecuteFlowProcessor } from '../processors/execute-flow.processor';
import { CodeBundles } from './code-bundles';
import { CompiledFlows } from './compiled-flows';
import { FlowRunner } from './flow-runner.service';
import { OwnedRuns } from './owned-runs';
import { SandboxCodeRunner } from './sandbox-code-runner';
import { StoredConnections } from './stored-connections';
import { WorkerPieceRunner } from './worker-piece-runner';

/** Under the 30 s that a process is given after SIGTERM. */
const DRAIN_SECONDS = 25;
/** All that steps reach the world by. */
const EXECUTION_PORTS = Symbol('ExecutionPorts');

/** What it takes to execute a run. */
@Module({})
export class RunningModule implements OnApplicationShutdown {
  constructor(
    @Inject(Sandbox) private readonly sandbox: Sandbox,
    @Inject(GuardedHttp) private readonly http: GuardedHttp,
  ) {}

  static forRoot(config: WorkerConfig): DynamicModule {
    const timeoutSeconds = config.SVC_FLOW_TIMEOUT_SECONDS;
    const concurrency = config.SVC_WORKER_CONCURRENCY;
    Processor(RUN_QUEUE, queueWorkerOptions(queueSettings(config), { concurrency }))(ExecuteFlowProcessor);
    return {
      module: RunningModule,
      providers: [
        CompiledFlows,
        SandboxCodeRunner,
        { provide: Clock, useClass: SystemClock },
        {
          provide: CodeBundles,
          inject: [CodeBundleStore],
          useFactory: (store: CodeBundleStore) => {
            const options = { packageCacheDir: join(config.SVC_DATA_DIR, 'packages') };
            return new CodeBundles(store, (source) => bundleCode(source, options));
          },
        },
        { provide: Sandbox, useFactory: () => startSandbox(config) },
        {
          provide: OwnedRuns,
          inject: [RunJournal, Clock],
          useFactory: (journal: RunJournal, clock: Clock) =>
            new OwnedRuns(journal, clock, { flowTimeoutSeconds: timeoutSeconds }),
        },
        { provide: AddressGuard, useFactory: () => new AddressGuard({ allowList: config.SVC_SSRF_ALLOW_LIST }) },
        { provide: GuardedHttp, inject: [AddressGuard], useFactory: (guard: AddressGuard) => new GuardedHttp(guard) },
        {
          provide: WorkerPieceRunner,
          inject: [GuardedHttp, AddressGuard, StoreEntries],
          useFactory: (http: GuardedHttp, guard: AddressGuard, store: StoreEntries) =>
            pieceRunner(new BuiltInPieces(), { http, store, mailer: new NodemailerMailer(guard) }),
        },
        {
          provide: StoredConnections,
          inject: [ConnectionValues],
          useFactory: (values: ConnectionValues) => new StoredConnections(values),
        },
        {
          provide: EXECUTION_PORTS,
          inject: [SandboxCodeRunner, WorkerPieceRunner, StoredConnections],
          useFactory: (
            codeRunner: SandboxCodeRunner,
            pieceRunner: WorkerPieceRunner,
            connections: StoredConnections,
          ): Omit<ExecutionPorts, 'sink'> => {
            const limits = { ...DEFAULT_EXECUTION_LIMITS, retryBaseMs: config.SVC_STEP_RETRY_BASE_SECONDS * 1_000 };
            return { codeRunner, pieceRunner, connections, clock: new SystemRunClock(), limits };
          },
        },
        {
          provide: FlowRunner,
          inject: [RunJournal, CompiledFlows, SampleOutputs, OwnedRuns, EXECUTION_PORTS, Clock],
          useFactory: (
            journal: RunJournal,
            flows: CompiledFlows,
            samples: SampleOutputs,
            owned: OwnedRuns,
            ports: Omit<ExecutionPorts, 'sink'>,
            clock: Clock,
          ) => new FlowRunner(journal, { flows, samples }, owned, ports, { clock, timeoutSeconds }),
        },
        {
          provide: ExecuteFlowProcessor,
          inject: [FlowRunner, UnfinishedRuns, JobQueue],
          useFactory: (runner: FlowRunner, runs: UnfinishedRuns, queue: JobQueue) =>
            new ExecuteFlowProcessor(runner, runs, queue, { slots: pLimit(concurrency), drainSeconds: DRAIN_SECONDS }),
        },
      ],
      exports: [Clock],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.sandbox.close(), this.http.close()]);
  }
}

const pieceRunner = (pieces: BuiltInPieces, services: PieceServices): WorkerPieceRunner =>
  new WorkerPieceRunner(new PieceHost(pieces, services), pieces);

const startSandbox = (config: WorkerConfig): Promise<Sandbox> =>
  Sandbox.start({
    threads: config.SVC_SANDBOX_THREADS,
    limits: { memoryMb: config.SVC_SANDBOX_MEMORY_LIMIT, cpuMs: config.SVC_SANDBOX_CPU_SECONDS * 1_000 },
  });

import { join } from 'node:path';
import { Processor } from '@nestjs/bullmq';
import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import {
  Clock,
  CodeBundleStore,
  ConnectionValues,
  FileStore,
  JobQueue,
  RUN_QUEUE,
  RunJournal,
  RunEvents,
  RunNotices,
  SampleOutputs,
  SystemClock,
  UnfinishedRuns,
} from '@millrace/domain';
import { DEFAULT_EXECUTION_LIMITS, SystemRunClock, type ExecutionPorts } from '@millrace/engine';
import { AddressGuard, GuardedHttp } from '@millrace/http';
import { newId, queueSettings, queueWorkerOptions, RunIntakeModule, type ClaimedRuns } from '@millrace/persistence';
import {
  CompiledFlows,
  FlowRunner,
  FreezeWatch,
  JobExecutor,
  OwnedRuns,
  RunSlots,
  type FlowSources,
  type RunSurroundings,
} from '@millrace/runner';
import { CodeBundler, Sandbox } from '@millrace/sandbox';
import type { WorkerConfig } from './settings/config';
import { ExecuteFlowProcessor } from './processors/execute-flow.processor';
import { CodeBundles } from './adapters/code-bundles';
import { SandboxCodeRunner } from './adapters/sandbox-code-runner';
import { storeFailure } from './adapters/store-failure';
import { StoredConnections } from './adapters/stored-connections';
import { StoredOutputs } from './adapters/stored-outputs';
import { WorkerPieceRunner } from './adapters/worker-piece-runner';
import { pieceRunnerProvider } from './adapters/worker-piece-runner.provider';

/** A process gets 30 s to end after SIGTERM; the runs in hand get less, so that time is left to close everything. */
const DRAIN_SECONDS = 25;
/** The ports through which steps reach the outside: code, pieces, connections, large outputs. */
const EXECUTION_PORTS = Symbol('ExecutionPorts');
const FLOW_SOURCES = Symbol('FlowSources');
const RUN_SURROUNDINGS = Symbol('RunSurroundings');

/** Provides everything that executes a run in the worker. */
@Module({})
export class RunningModule implements OnApplicationShutdown {
  constructor(
    @Inject(Sandbox) private readonly sandbox: Sandbox,
    @Inject(GuardedHttp) private readonly http: GuardedHttp,
    @Inject(CodeBundler) private readonly bundler: CodeBundler,
  ) {}

  static forRoot(config: WorkerConfig, claimedRuns: ClaimedRuns): DynamicModule {
    const timeoutSeconds = config.SVC_FLOW_TIMEOUT_SECONDS;
    const slots = new RunSlots(config.SVC_WORKER_CONCURRENCY);
    Processor(RUN_QUEUE, queueWorkerOptions(queueSettings(config), { room: slots, claimedRuns }))(ExecuteFlowProcessor);
    return {
      module: RunningModule,
      imports: [RunIntakeModule],
      providers: [
        CompiledFlows,
        SandboxCodeRunner,
        { provide: Clock, useClass: SystemClock },
        {
          provide: CodeBundles,
          inject: [CodeBundleStore, CodeBundler],
          useFactory: (store: CodeBundleStore, bundler: CodeBundler) =>
            new CodeBundles(store, (source) => bundler.bundle(source)),
        },
        {
          provide: CodeBundler,
          useFactory: () => new CodeBundler({ packageCacheDir: join(config.SVC_DATA_DIR, 'packages') }),
        },
        { provide: Sandbox, useFactory: () => startSandbox(config) },
        {
          provide: OwnedRuns,
          inject: [RunJournal, Clock, RunEvents, RunNotices],
          useFactory: (journal: RunJournal, clock: Clock, events: RunEvents, notices: RunNotices) => {
            const owned = new OwnedRuns(journal, clock, { flowTimeoutSeconds: timeoutSeconds, events });
            notices.listen({ stopped: (runIds) => owned.stop(runIds) });
            return owned;
          },
        },
        { provide: RunSlots, useValue: slots },
        { provide: AddressGuard, useFactory: () => new AddressGuard({ allowList: config.SVC_SSRF_ALLOW_LIST }) },
        { provide: GuardedHttp, inject: [AddressGuard], useFactory: (guard: AddressGuard) => new GuardedHttp(guard) },
        pieceRunnerProvider(config),
        {
          provide: StoredConnections,
          inject: [ConnectionValues],
          useFactory: (values: ConnectionValues) => new StoredConnections(values),
        },
        {
          provide: EXECUTION_PORTS,
          inject: [SandboxCodeRunner, WorkerPieceRunner, StoredConnections, FileStore],
          useFactory: (
            codeRunner: SandboxCodeRunner,
            pieceRunner: WorkerPieceRunner,
            connections: StoredConnections,
            files: FileStore,
          ): Omit<ExecutionPorts, 'sink'> => {
            const limits = {
              ...DEFAULT_EXECUTION_LIMITS,
              retryBaseMs: config.SVC_STEP_RETRY_BASE_SECONDS * 1_000,
              storageBytes: config.SVC_RUN_STORAGE_LIMIT_MB * 1024 * 1024,
            };
            const largeOutputs = new StoredOutputs(files);
            return { codeRunner, pieceRunner, connections, largeOutputs, clock: new SystemRunClock(), limits };
          },
        },
        {
          provide: FlowRunner,
          inject: [RunJournal, FLOW_SOURCES, OwnedRuns, EXECUTION_PORTS, RUN_SURROUNDINGS],
          useFactory: (...parts: ConstructorParameters<typeof FlowRunner>) => new FlowRunner(...parts),
        },
        {
          provide: FLOW_SOURCES,
          inject: [CompiledFlows, SampleOutputs],
          useFactory: (flows: CompiledFlows, samples: SampleOutputs): FlowSources => ({ flows, samples }),
        },
        {
          provide: RUN_SURROUNDINGS,
          inject: [Clock, RunEvents],
          useFactory: (clock: Clock, events: RunEvents): RunSurroundings => ({ clock, timeoutSeconds, events }),
        },
        {
          provide: JobExecutor,
          inject: [FlowRunner, UnfinishedRuns, JobQueue, RunSlots],
          useFactory: (runner: FlowRunner, runs: UnfinishedRuns, queue: JobQueue, slots: RunSlots) =>
            new JobExecutor(runner, runs, queue, {
              slots,
              drainSeconds: DRAIN_SECONDS,
              freezes: new FreezeWatch(),
              storeFailure,
              newId,
            }),
        },
        ExecuteFlowProcessor,
      ],
      exports: [Clock],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    this.bundler.close();
    await Promise.all([this.sandbox.close(), this.http.close()]);
  }
}

const startSandbox = (config: WorkerConfig): Promise<Sandbox> =>
  Sandbox.start({
    threads: config.SVC_SANDBOX_THREADS,
    sleepingMb: config.SVC_SANDBOX_SLEEP_MEMORY,
    limits: { memoryMb: config.SVC_SANDBOX_MEMORY_LIMIT, cpuMs: config.SVC_SANDBOX_CPU_SECONDS * 1_000 },
  });

import { join } from 'node:path';
import { Processor } from '@nestjs/bullmq';
import { Logger, Module, type DynamicModule, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import {
  ChildRuns,
  Clock,
  FileStore,
  FlowVersionReader,
  LiveUpdates,
  Mailer,
  PieceCatalogue,
  PollSource,
  RUN_QUEUE,
  RunNotices,
  StepFiles,
  SystemClock,
  TriggerHooks,
} from '@millrace/domain';
import { CodeRunner, ConnectionSource, LargeOutputs, PieceRunner, RunClock, SystemRunClock } from '@millrace/engine';
import { NodemailerMailer, OutboundModule, Tracing } from '@millrace/http';
import {
  FreshConnectionsModule,
  InstallationKeys,
  newId,
  PieceQuestionsModule,
  queueSettings,
  queueWorkerOptions,
  RunIntakeModule,
  type ClaimedRuns,
} from '@millrace/persistence';
import { BuiltInPieces, InstalledPieces, PieceHost } from '@millrace/pieces';
import {
  CompiledFlows,
  FLOW_TIMEOUT_SECONDS,
  FlowRunner,
  FlowSources,
  FreezeWatch,
  JobExecutor,
  JobExecutorSettings,
  OwnedRuns,
  RunSlots,
  RunServices,
  RunTracer,
  STEP_PORTS,
  TriggerItems,
} from '@millrace/runner';
import { CodeBundler, Sandbox } from '@millrace/sandbox';
import { WORKER_CONFIG, workerConnections, type WorkerConfig } from './settings/config';
import { TracedRuns } from './tracing/traced-runs';
import { RunningMetrics } from './metrics/running-metrics';
import { PackageHosts } from './packages/package-hosts';
import { packages } from './packages/package-providers';
import { ExecuteFlowProcessor } from './processors/execute-flow.processor';
import { MaintenanceJobs } from './processors/maintenance-jobs';
import { maintenanceProcessors } from './processors/maintenance-processors';
import { PublishedChildRuns } from './adapters/child-runs';
import { CodeBundles } from './adapters/code-bundles';
import { NotedConnectionUses } from './adapters/noted-connection-uses';
import { RequestIds } from './adapters/request-ids';
import { linkedStepFiles } from './adapters/linked-step-files';
import { PreWarming } from './adapters/pre-warming';
import { linesOfLostThreads } from './adapters/lost-threads';
import { SandboxCodeRunner } from './adapters/sandbox-code-runner';
import { storeFailure } from './adapters/store-failure';
import { StoredConnections } from './adapters/stored-connections';
import { StoredOutputs } from './adapters/stored-outputs';
import { WorkerHookHost } from './adapters/worker-hook-host';
import { WorkerPieceHost } from './adapters/worker-piece-host';
import { WorkerPollHost } from './adapters/worker-poll-host';
import { WorkerPieceRunner } from './adapters/worker-piece-runner';
import { WorkerStepPorts } from './adapters/worker-step-ports';

const MEGABYTE = 1024 * 1024;

/** A process gets 30 s to end after SIGTERM; the runs in hand get less, so that time is left to close everything. */
const DRAIN_SECONDS = 25;

/** The parts of the runner, which bring delivered runs to their end. */
const runner: Provider[] = [CompiledFlows, FlowSources, RunServices, TriggerItems, OwnedRuns, FlowRunner, JobExecutor];

/** The adapters through which steps reach the outside. */
const adapters: Provider[] = [
  { provide: STEP_PORTS, useClass: WorkerStepPorts },
  { provide: RunClock, useClass: SystemRunClock },
  { provide: CodeRunner, useClass: SandboxCodeRunner },
  CodeBundles,
  { provide: PieceRunner, useClass: WorkerPieceRunner },
  {
    provide: RequestIds,
    inject: [InstallationKeys],
    useFactory: async (keys: InstallationKeys) => new RequestIds(await keys.requestIds()),
  },
  { provide: PieceHost, useClass: WorkerPieceHost },
  { provide: TriggerHooks, useClass: WorkerHookHost },
  { provide: PollSource, useClass: WorkerPollHost },
  { provide: BuiltInPieces, useExisting: InstalledPieces },
  { provide: PieceCatalogue, useExisting: InstalledPieces },
  { provide: ChildRuns, useClass: PublishedChildRuns },
  { provide: Mailer, useClass: NodemailerMailer },
  {
    provide: StepFiles,
    inject: [FileStore, InstallationKeys, Clock, WORKER_CONFIG],
    useFactory: linkedStepFiles,
  },
  NotedConnectionUses,
  { provide: ConnectionSource, useClass: StoredConnections },
  { provide: LargeOutputs, useClass: StoredOutputs },
];

/** It is ready when what it loads is: before the worker takes its first run, and before it is ready itself. */
const preWarming: Provider = {
  provide: PreWarming,
  inject: [FlowVersionReader, CompiledFlows, CodeBundles],
  useFactory: async (...parts: ConstructorParameters<typeof PreWarming>) => {
    const warming = new PreWarming(...parts);
    await warming.warm();
    return warming;
  },
};

/** Provides everything that executes runs, and the jobs of the maintenance queue, in the worker. */
@Module({})
export class RunningModule implements OnApplicationShutdown {
  constructor(
    private readonly sandbox: Sandbox,
    private readonly bundler: CodeBundler,
    owned: OwnedRuns,
    notices: RunNotices,
    live: LiveUpdates,
  ) {
    notices.listen({ stopped: (runIds) => owned.stop(runIds) });
    live.whenWatched((runIds) => owned.show(runIds));
  }

  static forRoot(config: WorkerConfig, claimedRuns: ClaimedRuns): DynamicModule {
    const slots = new RunSlots(config.SVC_WORKER_CONCURRENCY);
    const queue = queueSettings(config, workerConnections(config).queue);
    Processor(RUN_QUEUE, queueWorkerOptions(queue, { room: slots, claimedRuns }))(ExecuteFlowProcessor);
    const freezes = new FreezeWatch();
    const jobs: JobExecutorSettings = { slots, drainSeconds: DRAIN_SECONDS, freezes, storeFailure, newId };
    return {
      module: RunningModule,
      imports: [FreshConnectionsModule, PieceQuestionsModule, RunIntakeModule, OutboundModule.forRoot(config)],
      providers: [
        { provide: WORKER_CONFIG, useValue: config },
        { provide: FLOW_TIMEOUT_SECONDS, useValue: config.SVC_FLOW_TIMEOUT_SECONDS },
        { provide: JobExecutorSettings, useValue: jobs },
        { provide: Clock, useClass: SystemClock },
        {
          provide: CodeBundler,
          useFactory: () =>
            new CodeBundler({
              packageCacheDir: join(config.SVC_DATA_DIR, 'packages'),
              packageCacheBytes: config.SVC_PACKAGE_CACHE_MB * MEGABYTE,
              onPruningFailed: (cause) =>
                new Logger('Packages').warn('Old packages of code steps cannot be removed.', cause),
            }),
        },
        { provide: Sandbox, useFactory: () => startSandbox(config) },
        ...adapters,
        ...packages(config),
        ...runner,
        ExecuteFlowProcessor,
        ...maintenanceProcessors,
        MaintenanceJobs,
        RunningMetrics,
        ...(config.SVC_PRE_WARM_CACHE ? [preWarming] : []),
        {
          provide: TracedRuns,
          inject: [Tracing],
          useFactory: (tracing: Tracing | null) => tracing && new TracedRuns(tracing),
        },
        { provide: RunTracer, useExisting: TracedRuns },
      ],
      exports: [Clock, PackageHosts],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    this.bundler.close();
    await this.sandbox.close();
  }
}

const startSandbox = (config: WorkerConfig): Promise<Sandbox> =>
  Sandbox.start({
    threads: config.SVC_SANDBOX_THREADS,
    sleepingMb: config.SVC_SANDBOX_SLEEP_MEMORY,
    limits: { memoryMb: config.SVC_SANDBOX_MEMORY_LIMIT, cpuMs: config.SVC_SANDBOX_CPU_SECONDS * 1_000 },
    onThreadMissing: (cause) =>
      new Logger('Sandbox').error('A thread for code steps cannot be started. Steps wait until one can.', cause),
    onThreadLost: linesOfLostThreads(new Logger('Sandbox')),
  });
